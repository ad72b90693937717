package io.maestro.examples.maven;

import io.maestro.CheckReport;
import io.maestro.CheckReport.Finding;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Mojo;

/**
 * Looks at what a story needs before one is paid: repository, right to push, key and models, prices, test command, tools. Asks
 * no model, and changes nothing.
 */
@Mojo(name = "doctor", aggregator = true, threadSafe = true)
public final class DoctorMojo extends MaestroMojo {
    @Override
    void work() throws MojoFailureException {
        CheckReport report = builder().check();
        report.findings().forEach(this::log);
        if (!report.passed()) {
            throw new MojoFailureException("a story would fail: "
                    + report.findings().stream()
                            .filter(finding -> finding.status() == CheckReport.Status.FAILED)
                            .map(Finding::detail)
                            .toList());
        }
    }

    private void log(Finding finding) {
        switch (finding.status()) {
            case FAILED -> getLog().error(finding.toString());
            case WARNING -> getLog().warn(finding.toString());
            default -> getLog().info(finding.toString());
        }
    }
}
