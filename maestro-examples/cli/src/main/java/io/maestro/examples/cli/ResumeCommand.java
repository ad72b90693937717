package io.maestro.examples.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code maestro resume}. */
@Command(
        name = "resume",
        mixinStandardHelpOptions = true,
        description = "Goes on with all that has not ended, or with one story that has failed.")
final class ResumeCommand implements Callable<Integer> {
    @Mixin
    private TeamOptions team;

    @Parameters(
            arity = "0..1",
            paramLabel = "STORY",
            description = "The id of a story that has ended in ERROR; default: all that has not ended.")
    private String story;

    @Option(
            names = "--grants",
            paramLabel = "NUMBER",
            description = "How many more budgets that story gets; default: ${DEFAULT-VALUE}.")
    private int grants = 1;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        return Work.run(
                team,
                spec.commandLine(),
                maestro -> story == null ? Work.results(maestro.resume()) : Work.result(maestro.resume(story, grants)));
    }
}
