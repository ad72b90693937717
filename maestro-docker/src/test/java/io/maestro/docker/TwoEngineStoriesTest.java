package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.Submission;
import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.SecondEngine;
import io.maestro.docker.testing.Shows;
import io.maestro.docker.testing.TestImages;
import io.maestro.event.MaestroEvent;
import io.maestro.llm.LlmRequest;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whole stories on this machine's engine and on one that does not see this machine's files. */
@Full("whole stories; TwoEnginesTest, VolumeWorkspaceTest and LostContainerTest try their steps")
@RequiresEngine
class TwoEngineStoriesTest {
    @RegisterExtension
    static final SecondEngine SECOND = new SecondEngine();

    private static final DockerHost FIRST = DockerHost.builder().name("first").build();

    private static TestImages images;
    private static String base;

    private final Path directory = SECOND.unseen().resolve(UUID.randomUUID().toString());
    private final Map<String, String> reviewed = new ConcurrentHashMap<>();
    private final List<String> states = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void buildImages() throws Exception {
        images = TestImages.ofDocker();
        base = images.baseWithGit();
        SECOND.load(base);
    }

    @BeforeEach
    void makeDirectory() throws IOException {
        Files.createDirectories(directory);
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        for (DockerHost host : List.of(FIRST, SECOND.host())) {
            for (String kind : List.of("container", "volume", "network", "image")) {
                assertThat(ids(host, kind)).as("%s on %s", kind, host.name()).isEmpty();
            }
        }
        Path syncs = directory.resolve("project/.maestro/sync");
        if (Files.exists(syncs)) {
            assertThat(syncs).isEmptyDirectory();
        }
    }

    private List<String> ids(DockerHost host, String kind) throws IOException {
        String id = Files.readAllLines(directory.resolve("project/.maestro/instance"))
                .get(0)
                .strip();
        String label = kind.equals("image") ? "io.maestro.built-by=" : "io.maestro.instance=";
        List<String> words = new ArrayList<>(List.of(kind, "ls", "--quiet", "--filter", "label=" + label + id));
        if (kind.equals("container")) {
            words.add("--all");
        }
        return new DockerCli(host).output(words.toArray(String[]::new)).lines().toList();
    }

    private MaestroBuilder maestro(TestRepository repository, ScriptedLlm coder, DockerHost... hosts) {
        DockerEnvironments.Builder environments =
                DockerEnvironments.builder().images(all -> all.base(base).allowed("maestro-test/*"));
        for (DockerHost host : hosts) {
            environments.host(host);
        }
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Reviewing())
                .testCommand("test -f one.txt -o -f two.txt")
                .environment(environments.build())
                .listener(event -> {
                    if (event instanceof MaestroEvent.StateChanged change) {
                        states.add(String.valueOf(change.to()));
                    }
                });
    }

    private static Reply tool(String name, Map<String, Object> arguments) {
        return Reply.toolCall(name, arguments);
    }

    private static Reply shell(String line) {
        return tool("shell", Map.of("cmd", line));
    }

    private static Story express(String id) {
        return Story.builder(id, "A story").content("do it").express().build();
    }

    /** How the workspace of each agent's container on an engine is mounted. */
    private List<String> mounts(DockerHost host) throws IOException {
        List<String> types = new ArrayList<>();
        for (String id : ids(host, "container")) {
            JsonNode found = new ObjectMapper().readTree(new DockerCli(host).output("inspect", id));
            found.get(0).path("Mounts").forEach(mount -> {
                if (mount.path("Destination").asText().equals("/workspace")) {
                    types.add(mount.path("Type").asText());
                }
            });
        }
        return types;
    }

    @Test
    void twoCodersWorkAtOnceOneOnEachEngineAndBothAreMerged() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        Map<String, List<String>> mounts = new ConcurrentHashMap<>();
        CyclicBarrier both = new CyclicBarrier(2, () -> {
            try {
                mounts.put("first", mounts(FIRST));
                mounts.put("second", mounts(SECOND.host()));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .story("1", script -> {
                    script.turn(shell("cat README.md && echo by-one > one.txt && git status --short"));
                    script.turn(Turn.expecting("one.txt").reply(request -> met(both)));
                    script.turn(tool("done", Map.of("summary", "one")));
                })
                .story("2", script -> {
                    script.turn(shell("cat README.md && echo by-two > two.txt && git status --short"));
                    script.turn(Turn.expecting("two.txt").reply(request -> met(both)));
                    script.turn(tool("done", Map.of("summary", "two")));
                })
                .build();
        try (Maestro maestro =
                maestro(repository, coder, FIRST, SECOND.host()).maxCoders(2).build()) {
            Submission<StoryResult> one = maestro.submit(express("1"));
            Submission<StoryResult> two = maestro.submit(express("2"));
            for (Submission<StoryResult> story : List.of(one, two)) {
                StoryResult result = story.await();
                assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            }
            coder.assertFinished();
        }
        assertThat(mounts).isEqualTo(Map.of("first", List.of("bind"), "second", List.of("volume")));
        assertThat(repository.show("main", "one.txt")).isEqualTo("by-one");
        assertThat(repository.show("main", "two.txt")).isEqualTo("by-two");
        assertThat(reviewed.get("1")).contains("+by-one").doesNotContain("by-two");
        assertThat(reviewed.get("2")).contains("+by-two").doesNotContain("by-one");
    }

    private static Reply met(CyclicBarrier both) {
        try {
            both.await(5, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new AssertionError("the other coder is not at work at the same time", e);
        }
        return shell("true");
    }

    /** On the engine that could mount it as well, so that only the setting makes a difference. */
    @Test
    @Shows(file = "workspace")
    void aStoryInAVolumeIsReviewedAndMergedAsItIs() throws Exception {
        TestRepository repository =
                TestRepository.create(directory, Map.of("README.md", "app", "old.txt", "old", "src/a.txt", "a"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Turn.in("PLANNING").reply(shell("cat src/a.txt; touch no 2>&1")))
                .turn(Turn.in("PLANNING")
                        .expecting("Read-only file system")
                        .reply(tool("submit_plan", Map.of("plan", "by shell and by tool"))))
                .turn(Turn.in("CODING")
                        .reply(shell("echo hello > one.txt; rm old.txt; printf '#!/bin/sh\\n' > run.sh;"
                                + " chmod 755 run.sh; mount | grep -c ' /workspace '")))
                .turn(tool("write_file", Map.of("path", "src/b.txt", "content", "by tool")))
                .turn(shell("cat src/b.txt; mkdir -p src/c && mv src/a.txt src/c/"))
                .turn(Turn.expecting("by tool").reply(tool("read_file", Map.of("path", "src/c/a.txt"))))
                .turn(tool("done", Map.of("summary", "done")))
                .build();
        List<String> asked = new CopyOnWriteArrayList<>();
        ScriptedLlm architect = ScriptedLlm.builder("architect")
                .turn(tool("review_complete", Map.of("decision", "APPROVED", "feedback", "a plan")))
                .turn((LlmRequest request) -> {
                    asked.add(String.valueOf(request.messages()));
                    return shell("echo exactly:$(cat one.txt)");
                })
                .turn((LlmRequest request) -> {
                    asked.add(String.valueOf(request.messages()));
                    return tool("review_complete", Map.of("decision", "APPROVED", "feedback", "good"));
                })
                .turn(tool("review_complete", Map.of("decision", "APPROVED", "feedback", "merge")))
                .build();
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architectModel(architect)
                .testCommand("test -x run.sh && ! test -e old.txt")
                .config("{\"container\": {\"workspace\": \"volume\", \"base\": \"" + base + "\"}}")
                .build()) {
            StoryResult result =
                    maestro.run(Story.builder("1", "A story").content("do it").build());
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            coder.assertFinished();
            architect.assertFinished();
        }
        assertThat(asked.get(0)).contains("+hello", "+by tool", "old.txt", "run.sh");
        // Its shell sees what the coder has made: it came back out of the volume.
        assertThat(asked.get(1)).contains("exactly:hello");
        assertThat(repository.git("ls-tree", "-r", "--format=%(objectmode) %(path)", "main"))
                .isEqualTo("100644 README.md\n100644 one.txt\n100755 run.sh\n100644 src/b.txt\n100644 src/c/a.txt");
        assertThat(repository.show("main", "one.txt")).isEqualTo("hello");
    }

    @Test
    void aStoryWhoseEngineGoesDownWaitsAndGoesOnWhenItIsBack() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        AtomicBoolean down = new AtomicBoolean();
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(shell("echo before > one.txt"))
                .turn((LlmRequest request) -> {
                    stop();
                    down.set(true);
                    return shell("echo while > one.txt");
                })
                .turn(Turn.expecting("does not answer").reply(shell("cat one.txt; echo after > two.txt")))
                .turn(Turn.expecting("before").reply(tool("done", Map.of("summary", "done"))))
                .build();
        try (Maestro maestro = maestro(repository, coder, SECOND.host())
                .limits(Limits.builder()
                        .suspendInterval(Duration.ofSeconds(1))
                        .suspendTime(Duration.ofMinutes(5))
                        .build())
                .listener(event -> {
                    if (event instanceof MaestroEvent.StateChanged change
                            && change.to().equals(CoderState.SUSPEND)
                            && down.compareAndSet(true, false)) {
                        start();
                    }
                })
                .build()) {
            StoryResult result = maestro.run(express("1"));
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            coder.assertFinished();
        } finally {
            if (down.get()) {
                start();
            }
        }
        assertThat(states).containsSubsequence("CODING", "SUSPEND", "CODING", "TESTING", "DONE");
        assertThat(repository.show("main", "one.txt")).isEqualTo("before");
        assertThat(repository.show("main", "two.txt")).isEqualTo("after");
    }

    /** It ends within its limit, and what it has left on the engine goes with the next start. */
    @Test
    void aStoryWhoseEngineStaysDownFailsAndSaysWhy() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(shell("echo before > one.txt"))
                .turn((LlmRequest request) -> {
                    stop();
                    return shell("echo while > one.txt");
                })
                .build();
        Limits limits = Limits.builder()
                .suspendInterval(Duration.ofMillis(100))
                .suspendTime(Duration.ofSeconds(1))
                .build();
        try {
            try (Maestro maestro =
                    maestro(repository, coder, SECOND.host()).limits(limits).build()) {
                StoryResult result = maestro.run(express("1"));
                assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.FAILED);
                assertThat(result.error().orElseThrow()).contains("gave up after 1 s in SUSPEND", "does not answer");
                coder.assertFinished();
            }
        } finally {
            start();
        }
        assertThat(ids(SECOND.host(), "container")).isNotEmpty();
        ScriptedLlm nobody = ScriptedLlm.builder("coder").build();
        maestro(repository, nobody, SECOND.host()).build().close();
        assertThat(repository.git("log", "--format=%s", "main")).isEqualTo("first");
    }

    private static void stop() {
        try {
            SECOND.stop();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void start() {
        try {
            SECOND.start();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Approves all, and remembers what it was shown. */
    private final class Reviewing implements Architect {
        @Override
        public String id() {
            return "reviewing";
        }

        @Override
        public Reply reply(Request request) {
            if (request.kind() == Kind.CODE_REVIEW) {
                reviewed.put(request.storyId(), String.valueOf(request.facts().get(Request.DIFF)));
            }
            return new Reply(request.id(), Decision.APPROVED, "");
        }
    }
}
