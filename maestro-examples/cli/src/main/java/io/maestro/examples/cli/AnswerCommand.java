package io.maestro.examples.cli;

import io.maestro.MaestroRecord;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code maestro answer}. */
@Command(
        name = "answer",
        mixinStandardHelpOptions = true,
        description =
                "Answers a question, or decides on another request. The first answer counts; a story that waits in another"
                        + " process goes on soon after.")
final class AnswerCommand implements Callable<Integer> {
    @Mixin
    private ProjectOptions project;

    @Parameters(paramLabel = "REQUEST", description = "The request, by its id: see maestro inbox.")
    private String request;

    @ArgGroup(multiplicity = "1")
    private Choice choice;

    @Option(
            names = {"-m", "--message"},
            paramLabel = "TEXT",
            description = "With a decision: why, or what to mind.")
    private String message = "";

    @Option(names = "--plan", paramLabel = "FILE", description = "With --approve: what to do in the place of the plan.")
    private Path plan;

    @Option(names = "--as", paramLabel = "NAME", description = "Who answers; default: ${DEFAULT-VALUE}.")
    private String person = System.getProperty("user.name");

    @Spec
    private CommandLine.Model.CommandSpec spec;

    /** One of these. */
    private static final class Choice {
        @Option(names = "--approve", description = "Go on.")
        private boolean approve;

        @Option(names = "--say", paramLabel = "TEXT", description = "The answer to a question. Decides nothing else.")
        private String say;

        @Option(names = "--changes", description = "Go back and change something; say what by -m.")
        private boolean changes;

        @Option(names = "--reject", description = "Stop; say why by -m.")
        private boolean reject;

        private InboxAnswer.Kind kind() {
            if (say != null) {
                return InboxAnswer.Kind.ANSWER;
            }
            if (changes) {
                return InboxAnswer.Kind.NEEDS_CHANGES;
            }
            if (reject) {
                return InboxAnswer.Kind.REJECTED;
            }
            if (approve) {
                return InboxAnswer.Kind.APPROVED;
            }
            throw new IllegalStateException("picocli wants one of these");
        }
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        InboxAnswer answer = InboxAnswer.of(person, choice.kind(), choice.say != null ? choice.say : message);
        if (plan != null) {
            answer = answer.withPlan(Files.readString(plan));
        }
        try (MaestroRecord record = project.record()) {
            Inbox.Result result = record.inbox().answer(request, answer);
            if (project.json) {
                out.println(Output.json(Map.of(
                        "status",
                        result.status().name(),
                        "summary",
                        result.summary(),
                        "request",
                        InboxCommand.json(result.item()))));
            } else {
                out.println(Output.line(result.summary()));
            }
            return result.status() == Inbox.Status.TOO_LATE ? MaestroCommand.TOO_LATE : 0;
        }
    }
}
