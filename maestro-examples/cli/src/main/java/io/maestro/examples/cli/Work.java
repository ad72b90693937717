package io.maestro.examples.cli;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.Submission;
import io.maestro.error.MaestroException;
import io.maestro.event.ConsoleProgress;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** Work of a team, with its progress, to the end. */
final class Work {
    private Work() {}

    /** What the team is to do; gives what became of it. */
    @FunctionalInterface
    interface Order {
        List<Map<String, Object>> give(Maestro maestro);
    }

    /**
     * Does the work. Ctrl-C closes the team: what is not done yet stays where it stands, for {@code maestro resume}.
     *
     * @return the exit code
     */
    static int run(TeamOptions team, CommandLine line, Order order) {
        ProjectOptions project = team.project;
        PrintWriter out = line.getOut();
        try (Progress progress = new Progress(project, line);
                Maestro maestro = progress.watching(team.builder()).build()) {
            maestro.monitor().ifPresent(page -> line.getErr().println("monitor " + page));
            Thread closing = new Thread(maestro::close);
            Runtime.getRuntime().addShutdownHook(closing);
            List<Map<String, Object>> results = order.give(maestro);
            Runtime.getRuntime().removeShutdownHook(closing);
            progress.close();
            if (project.json) {
                out.println(Output.json(results));
            } else {
                results.forEach(result -> out.println(text(result)));
            }
            if (!results.stream().allMatch(result -> result.get("succeeded").equals(true))) {
                return MaestroCommand.FAILED;
            }
            return results.stream().anyMatch(result -> result.get("untested").equals(true))
                    ? MaestroCommand.UNTESTED
                    : 0;
        }
    }

    /** Lines about what happens go where they do not get between a program and its JSON. */
    private record Progress(ConsoleProgress console) implements AutoCloseable {
        Progress(ProjectOptions project, CommandLine line) {
            this(ConsoleProgress.builder(project.json ? System.err : terminal(line))
                    .terminal(!project.json && ConsoleProgress.isTerminal())
                    .build());
        }

        private static PrintStream terminal(CommandLine line) {
            line.getOut().flush();
            return System.out;
        }

        MaestroBuilder watching(MaestroBuilder builder) {
            return builder.listener(console);
        }

        @Override
        public void close() {
            console.close();
        }
    }

    static List<Map<String, Object>> result(Submission<?> work) {
        return results(List.of(work));
    }

    static List<Map<String, Object>> results(List<Submission<?>> all) {
        List<Map<String, Object>> results = new ArrayList<>();
        for (Submission<?> work : all) {
            Object result;
            try {
                result = work.await();
            } catch (MaestroException e) {
                // The others go on.
                results.add(failed(work, e));
                continue;
            }
            if (result instanceof StoryResult story) {
                results.add(of(story));
            } else if (result instanceof SpecResult spec) {
                results.add(of(spec));
            }
        }
        return results;
    }

    private static Map<String, Object> failed(Submission<?> work, MaestroException e) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("story", work.id());
        result.put("outcome", "UNKNOWN");
        result.put("succeeded", false);
        result.put("untested", false);
        result.put("error", String.valueOf(e.getMessage()));
        return result;
    }

    private static Map<String, Object> of(StoryResult story) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("story", story.storyId());
        result.put("outcome", story.outcome().name());
        result.put("succeeded", story.succeeded());
        result.put("untested", story.untested());
        story.tests().ifPresent(tests -> result.put("tests", tests.name()));
        result.put("attempt", story.attempt());
        story.mergeCommit().ifPresent(commit -> result.put("merge_commit", commit));
        story.error().ifPresent(error -> result.put("error", error));
        result.put("tokens", story.usage().totalTokens());
        story.cost().ifPresent(dollars -> result.put("dollars", dollars));
        return result;
    }

    private static Map<String, Object> of(SpecResult spec) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("specification", spec.specId());
        result.put("outcome", spec.outcome().name());
        result.put("succeeded", spec.succeeded());
        result.put(
                "untested",
                spec.stories().stream().anyMatch(story -> story.result().untested()));
        spec.error().ifPresent(error -> result.put("error", error));
        result.put("tokens", spec.usage().totalTokens());
        spec.cost().ifPresent(dollars -> result.put("dollars", dollars));
        result.put(
                "stories",
                spec.stories().stream().map(story -> of(story.result())).toList());
        return result;
    }

    private static String text(Map<String, Object> result) {
        Object id = result.getOrDefault("story", result.get("specification"));
        Object error = result.get("error");
        Object commit = result.get("merge_commit");
        return id + " " + result.get("outcome") + (commit == null ? "" : " " + commit)
                + (result.get("untested").equals(true) ? " UNTESTED" : "")
                + (error == null ? "" : ": " + Output.safe(error.toString()));
    }
}
