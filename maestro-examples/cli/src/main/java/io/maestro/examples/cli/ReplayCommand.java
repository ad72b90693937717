package io.maestro.examples.cli;

import io.maestro.MaestroBuilder;
import io.maestro.MaestroRecord;
import io.maestro.claude.ClaudeCodeMode;
import io.maestro.record.AuditLog;
import io.maestro.replay.Replay;
import io.maestro.replay.SpecReplay;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code maestro replay}. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        description =
                "Plays a recorded story, or all stories of a specification, again: without a model, on the commit that each"
                        + " began on. Says what differs. Nothing reaches the repository.")
final class ReplayCommand implements Callable<Integer> {
    @Mixin
    private ProjectOptions project;

    @Parameters(paramLabel = "ID", description = "A story or a specification, by its id.")
    private String id;

    @Option(names = "--repository", paramLabel = "URL", description = "Default: that of the project's settings.")
    private String repository;

    @Option(
            names = "--test",
            paramLabel = "COMMAND",
            description = "Runs the tests; default: as in the project's settings.")
    private String test;

    @Option(
            names = "--into",
            paramLabel = "DIRECTORY",
            description =
                    "Where everything is put, and stays; must be empty or not exist. Default: a new one for a while.")
    private Path into;

    @Option(names = "--keep", description = "Leaves the new directory, and says where it is.")
    private boolean keep;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        RecordedProject settings = new RecordedProject(project.settings());
        String from = repository != null ? RecordedProject.absolute(repository) : settings.repository();
        Path directory = into != null ? into : Files.createTempDirectory("maestro-replay");
        try (MaestroRecord record = project.record()) {
            List<Replay.Result> results =
                    replay(record.auditLog(), from, directory, builder -> configure(builder, settings));
            PrintWriter out = spec.commandLine().getOut();
            boolean same = results.stream().allMatch(Replay.Result::same);
            if (project.json) {
                out.println(Output.json(json(results, same, directory)));
            } else {
                results.forEach(result -> print(out, result));
                if (stays()) {
                    out.println(directory.toAbsolutePath());
                }
            }
            return same ? 0 : MaestroCommand.DIFFERS;
        } finally {
            if (!stays()) {
                delete(directory);
            }
        }
    }

    private List<Replay.Result> replay(AuditLog log, String from, Path directory, Consumer<MaestroBuilder> settings) {
        ClaudeCodeMode claude = new ClaudeCodeMode();
        if (log.story(id).isEmpty() && log.spec(id).isPresent()) {
            return SpecReplay.of(log, id)
                    .program(claude)
                    .run(from, directory, settings)
                    .stories();
        }
        return List.of(Replay.of(log, id).program(claude).run(from, directory, settings));
    }

    private boolean stays() {
        return into != null || keep;
    }

    private void configure(MaestroBuilder builder, RecordedProject settings) {
        builder.config(settings.json());
        if (test != null) {
            builder.testCommand(test);
        }
    }

    private static void print(PrintWriter out, Replay.Result result) {
        out.println(result.result().storyId() + (result.same() ? " is the same." : " differs."));
        result.difference().ifPresent(difference -> out.println(Output.safe(difference.toString())));
        out.println("files then: " + result.recordedTree().orElse("nothing was merged"));
        out.println("files now:  " + result.tree().orElse("nothing was merged"));
        if (!result.same()) {
            result.result().error().ifPresent(error -> out.println("it ended " + Output.line(error)));
        }
    }

    private Map<String, Object> json(List<Replay.Result> results, boolean same, Path directory) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("id", id);
        shown.put("same", same);
        shown.put("stories", results.stream().map(ReplayCommand::json).toList());
        if (stays()) {
            shown.put("directory", directory.toAbsolutePath().toString());
        }
        return shown;
    }

    private static Map<String, Object> json(Replay.Result result) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("story", result.result().storyId());
        shown.put("same", result.same());
        shown.put("outcome", result.result().outcome().name());
        result.result().error().ifPresent(error -> shown.put("error", error));
        result.recordedTree().ifPresent(tree -> shown.put("recorded_tree", tree));
        result.tree().ifPresent(tree -> shown.put("replayed_tree", tree));
        result.difference().ifPresent(difference -> {
            Map<String, Object> call = new LinkedHashMap<>();
            call.put("number", difference.number());
            json(difference.recorded()).ifPresent(then -> call.put("recorded", then));
            json(difference.replayed()).ifPresent(now -> call.put("replayed", now));
            shown.put("difference", call);
        });
        return shown;
    }

    private static Optional<Map<String, Object>> json(AuditLog.ToolExecution call) {
        if (call == null) {
            return Optional.empty();
        }
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("tool", call.tool());
        shown.put("state", call.state());
        shown.put("parameters", call.parameters());
        if (call.result() != null) {
            shown.put("result", call.result());
        }
        if (call.error() != null) {
            shown.put("error", call.error());
        }
        if (call.exitCode() != null) {
            shown.put("exit_code", call.exitCode());
        }
        return Optional.of(shown);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
