package io.maestro.examples.cli;

import io.maestro.MaestroRecord;
import io.maestro.record.Cancellation;
import io.maestro.record.Cancellations;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code maestro cancel}. */
@Command(
        name = "cancel",
        mixinStandardHelpOptions = true,
        description =
                "Ends a story, or a specification with its stories: within seconds where a process works on it, else when"
                        + " somebody goes on with it, before anything is done.")
final class CancelCommand implements Callable<Integer> {
    @Mixin
    private ProjectOptions project;

    @Parameters(paramLabel = "ID", description = "The story or the specification.")
    private String id;

    @Option(
            names = {"-m", "--message"},
            paramLabel = "TEXT",
            description = "Why.")
    private String message = "";

    @Option(names = "--as", paramLabel = "NAME", description = "Who asks; default: ${DEFAULT-VALUE}.")
    private String person = System.getProperty("user.name");

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        try (MaestroRecord record = project.record()) {
            Cancellations.Status status = record.cancellations().ask(id, person, message);
            List<Cancellation> cancellations = record.cancellations().of(id);
            String by = cancellations.isEmpty()
                    ? ""
                    : cancellations.get(cancellations.size() - 1).by();
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("id", id);
            result.put("status", status.name());
            if (status != Cancellations.Status.ENDED) {
                result.put("to_be_cancelled", by);
            }
            spec.commandLine()
                    .getOut()
                    .println(
                            project.json
                                    ? Output.json(result)
                                    : switch (status) {
                                        case ASKED ->
                                            id + " is cancelled " + Output.line(by)
                                                    + ". Where nobody works on it, it ends when somebody goes on with it.";
                                        case ASKED_BEFORE -> id + " is cancelled already, " + Output.line(by);
                                        case ENDED -> "Too late: " + id + " has ended.";
                                    });
            return status == Cancellations.Status.ENDED ? MaestroCommand.TOO_LATE : 0;
        }
    }
}
