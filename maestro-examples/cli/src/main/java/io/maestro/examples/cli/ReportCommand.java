package io.maestro.examples.cli;

import io.maestro.MaestroRecord;
import io.maestro.report.RunReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code maestro report}. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        description =
                "Writes what became of a story or a specification: a page of HTML, or JSON to a file that ends in .json.")
final class ReportCommand implements Callable<Integer> {
    @Mixin
    private ProjectOptions project;

    @Parameters(paramLabel = "ID", description = "The story or the specification.")
    private String id;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Default: report.html.")
    private Path file = Path.of("report.html");

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (MaestroRecord record = project.record()) {
            RunReport report = RunReport.of(record.auditLog(), id);
            if (file.toString().endsWith(".json")) {
                report.writeJson(file);
            } else {
                report.writeHtml(file);
            }
        }
        String written = file.toAbsolutePath().toString();
        out.println(project.json ? Output.json(Map.of("file", written)) : written);
        return 0;
    }
}
