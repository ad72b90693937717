package io.maestro.examples.maven;

import io.maestro.Maestro;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import java.io.File;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;

/**
 * Has a specification built: the architect makes stories of it, and coders work on them. The key of the model is read from
 * ANTHROPIC_API_KEY.
 */
@Mojo(name = "spec", aggregator = true, threadSafe = true)
public final class SpecMojo extends MaestroMojo {
    /** The specification, in Markdown: its name is the specification's id, its first heading or line the title. */
    @Parameter(property = "maestro.specFile", required = true)
    private File specFile;

    @Override
    void work() throws MojoFailureException {
        Spec spec = Spec.fromMarkdown(specFile.toPath()).build();
        SpecResult result;
        try (Maestro maestro = maestro()) {
            result = maestro.runSpec(spec);
        }
        result.toMarkdown().lines().forEach(getLog()::info);
        if (!result.succeeded()) {
            throw new MojoFailureException("specification " + result.specId() + " is " + result.outcome()
                    + result.error().map(error -> ": " + error).orElse("; the table above says which story failed"));
        }
        getLog().info("specification " + result.specId() + " is " + result.outcome()
                + spent(result.usage(), result.cost()));
    }
}
