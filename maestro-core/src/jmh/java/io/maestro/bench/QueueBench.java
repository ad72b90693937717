package io.maestro.bench;

import com.sun.management.OperatingSystemMXBean;
import io.maestro.Approving;
import io.maestro.Maestro;
import io.maestro.Submission;
import io.maestro.TestRepository;
import io.maestro.chaos.RolePlay;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How many stories a minute so many coders get into one target branch, with a model and tests that only take time: each story has
 * six turns and changes a file of its own. Beside it the bound: what the model alone would take, shared by the coders, or two runs of
 * the tests for each story, shared by the runs at once, whichever is more.
 *
 * <p>Arguments: how many stories a coder (10), then coders, milliseconds of a turn and of the tests, each a list with commas
 * (1,4,8,16 and 50,1000 and 200,2000).
 */
public final class QueueBench {
    private static final int TURNS = 6;
    private static final int FILES = 300;

    private QueueBench() {}

    /** Prints a line for each combination. */
    public static void main(String[] arguments) throws Exception {
        int each = Integer.parseInt(argument(arguments, 0, "10"));
        System.out.println("coders turn_ms tests_ms stories seconds stories_a_minute bound share runs cpu_seconds");
        for (String turn : argument(arguments, 2, "50,1000").split(",")) {
            for (String tests : argument(arguments, 3, "200,2000").split(",")) {
                for (String coders : argument(arguments, 1, "1,4,8,16").split(",")) {
                    System.out.println(
                            line(Integer.parseInt(coders), each, Integer.parseInt(turn), Integer.parseInt(tests)));
                }
            }
        }
    }

    private static String argument(String[] arguments, int index, String otherwise) {
        return arguments.length > index ? arguments[index] : otherwise;
    }

    private static String line(int coders, int each, int turn, int tests) throws Exception {
        Path directory = Files.createTempDirectory("maestro-bench");
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        int stories = coders * each;
        try {
            long cpu = system.getProcessCpuTime();
            long begin = System.nanoTime();
            int runs = run(directory, coders, stories, turn, tests);
            double seconds = (System.nanoTime() - begin) / 1e9;
            double used = (system.getProcessCpuTime() - cpu) / 1e9;
            double model = stories * TURNS * turn / 1000.0 / coders;
            double testing =
                    2.0 * stories * tests / 1000.0 / Runtime.getRuntime().availableProcessors();
            double bound = stories * 60 / Math.max(model, testing);
            double rate = stories * 60 / seconds;
            return String.format(
                    Locale.ROOT,
                    "%6d %7d %8d %7d %7.1f %16.1f %5.0f %5.2f %4d %11.1f",
                    coders,
                    turn,
                    tests,
                    stories,
                    seconds,
                    rate,
                    bound,
                    rate / bound,
                    runs,
                    used);
        } finally {
            delete(directory);
        }
    }

    private static int run(Path directory, int coders, int stories, int turn, int tests) throws Exception {
        Map<String, String> files = new HashMap<>();
        for (int i = 0; i < FILES; i++) {
            files.put("src/d" + i % 10 + "/f" + i + ".txt", "line " + i + "\n" + "text\n".repeat(50));
        }
        files.put("check.sh", "sleep " + tests / 1000.0 + "\n");
        TestRepository repository = TestRepository.create(directory, files);
        LlmClient play = new RolePlay("coder", request -> {
            String id = request.origin().storyId();
            return List.of(
                    RolePlay.call("read_file", "path", "src/d1/f1.txt"),
                    RolePlay.call("read_file", "path", "src/d2/f2.txt"),
                    RolePlay.call("list_files"),
                    RolePlay.call("write_file", "path", "new/" + id + ".txt", "content", id),
                    RolePlay.call("read_file", "path", "new/" + id + ".txt"),
                    RolePlay.call("done", "summary", "wrote " + id));
        });
        LlmClient coder = new LlmClient() {
            @Override
            public String model() {
                return play.model();
            }

            @Override
            public LlmResponse complete(LlmRequest request) {
                try {
                    Thread.sleep(turn);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return play.complete(request);
            }
        };
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving())
                .maxCoders(coders)
                .testCommand("sh check.sh")
                .tools(tools -> tools.discover(false))
                .build()) {
            List<Submission<StoryResult>> submitted = new ArrayList<>();
            for (int number = 1; number <= stories; number++) {
                submitted.add(maestro.submit(Story.builder("s" + number, "Story " + number)
                        .content("do it")
                        .express()
                        .build()));
            }
            int runs = 0;
            for (Submission<StoryResult> one : submitted) {
                StoryResult result = one.await();
                if (result.outcome() != StoryResult.Outcome.MERGED) {
                    throw new IllegalStateException(result.toString());
                }
                runs += (int) maestro.auditLog().toolExecutions(result.storyId()).stream()
                        .filter(call -> call.tool().equals("test"))
                        .count();
            }
            return runs;
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
