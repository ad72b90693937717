package io.maestro.examples.cli;

import io.maestro.story.Spec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code maestro spec}. */
@Command(
        name = "spec",
        mixinStandardHelpOptions = true,
        description = "Takes a specification to its end: the architect makes stories of it, coders do them.")
final class SpecCommand implements Callable<Integer> {
    @Mixin
    private TeamOptions team;

    @Parameters(paramLabel = "SPECIFICATION", description = "The specification, in Markdown.")
    private Path file;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec command;

    @Override
    public Integer call() throws IOException {
        Spec spec = Spec.fromMarkdown(file).build();
        return Work.run(team, command.commandLine(), maestro -> Work.result(maestro.submitSpec(spec)));
    }
}
