package io.maestro.examples.cli;

import io.maestro.story.Story;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code maestro run}. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = "Runs a story to its end: planned, coded, tested, merged.")
final class RunCommand implements Callable<Integer> {
    @Mixin
    private TeamOptions team;

    @Parameters(paramLabel = "STORY", description = "The story, in Markdown.")
    private Path file;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Story story = Story.fromMarkdown(file).build();
        return Work.run(team, spec.commandLine(), maestro -> Work.result(maestro.submit(story)));
    }
}
