package io.maestro.agent;

import static io.maestro.story.CoderState.AWAIT_MERGE;
import static io.maestro.story.CoderState.DONE;
import static io.maestro.story.CoderState.ERROR;
import static io.maestro.story.CoderState.SETUP;
import static io.maestro.story.CoderState.TESTING;
import static io.maestro.story.CoderState.WAITING;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.git.Forge;
import io.maestro.git.GitException;
import io.maestro.git.LocalForge;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testing.Full;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every edge of the table of transitions, walked on real git with real tests. */
public class CoderPathsTest {
    /** The edges that the tests below walk, besides those of the scenarios. */
    private static final Set<String> WALKED_BELOW =
            Set.of("WAITING->ERROR", "SETUP->ERROR", "SETUP->DONE", "TESTING->ERROR");

    @TempDir
    Path directory;

    /** As few as walk every edge. */
    static List<Scenario> scenarios() {
        return Scenarios.fewest();
    }

    static List<Scenario> otherScenarios() {
        Set<String> fewest =
                Scenarios.fewest().stream().map(scenario -> scenario.name).collect(Collectors.toSet());
        return Scenarios.all().stream()
                .filter(scenario -> !fewest.contains(scenario.name))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void walks(Scenario scenario) {
        TestRepository repository = repository();
        ScriptedLlm model = scenario.model();
        MaestroBuilder builder = builder(repository, model)
                .architect(scenario.architect)
                .limits(scenario.limits.apply(Limits.builder()).build());
        scenario.setUp.accept(builder, repository);
        try (Maestro maestro = builder.build()) {
            StoryResult result = maestro.run(scenario.story());

            assertThat(path(maestro)).isEqualTo(scenario.path);
            assertThat(result.outcome()).as("%s", result).isEqualTo(scenario.outcome);
            assertThat(result.error().orElse("")).contains(scenario.error);
            model.assertFinished();
            if (scenario.outcome == Outcome.MERGED) {
                assertThat(repository.git("rev-parse", "main"))
                        .isEqualTo(result.mergeCommit().orElseThrow());
                assertThat(repository.show("main", "feature.txt")).contains("good");
            } else {
                assertThat(repository.git("rev-list", "--count", "main")).isEqualTo("1");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("otherScenarios")
    @Full("the short tier walks every edge once")
    void walksOtherPaths(Scenario scenario) {
        walks(scenario);
    }

    @Test
    void everyEdgeOfTheTableIsWalked() {
        Set<String> walked = new TreeSet<>(WALKED_BELOW);
        for (Scenario scenario : Scenarios.all()) {
            walked.addAll(scenario.edges());
        }
        Set<String> table = new TreeSet<>();
        for (CoderState from : CoderState.values()) {
            CoderTransitions.from(from).forEach(to -> table.add(from + "->" + to));
        }
        assertThat(walked).isEqualTo(table);
    }

    @Test
    void aMissingRepositoryEndsInSetup() {
        Path missing = directory.resolve("missing.git");
        try (Maestro maestro = builder(
                        repository(), ScriptedLlm.builder("unused").build())
                .repository(missing.toString())
                .build()) {
            StoryResult result = maestro.run(new Scenario("missing").story());

            assertThat(path(maestro)).containsExactly(WAITING, SETUP, ERROR);
            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.error().orElseThrow()).contains(missing.toString());
        }
    }

    @Test
    void aStoryThatAnEarlierLifeHasMergedIsNotMergedAgain() {
        TestRepository repository = repository();
        String merged = repository.commit("The story's", Map.of("a", "b"));
        Story story = new Scenario("merged").story();
        try (Store store = Store.sqlite(directory.resolve("project/.maestro/maestro.db"), text -> text)) {
            store.beginSession(new AuditLog.Session("earlier", repository.url(), Instant.now(), 1, null));
            store.saveStory(record(story, AWAIT_MERGE, 1, "{\"commit\":\"" + merged + "\"}"));
        }
        try (Maestro maestro =
                builder(repository, ScriptedLlm.builder("unused").build()).build()) {
            StoryResult result = maestro.run(story);

            assertThat(path(maestro)).containsExactly(WAITING, SETUP, DONE);
            assertThat(result.mergeCommit()).contains(merged);
            assertThat(maestro.auditLog().story("042").orElseThrow().data()).contains("\"targetBranch\":\"main\"");
            assertThat(maestro.run(story).mergeCommit()).contains(merged);
        }
    }

    @Test
    void anAttemptWhoseProcessDiedGoesOnAndWhatItMayHaveMergedIsNotForgotten() {
        TestRepository repository = repository();
        String merged = repository.commit("The story's", Map.of("a", "b"));
        Story story = new Scenario("merged").story();
        try (Store store = Store.sqlite(directory.resolve("project/.maestro/maestro.db"), text -> text)) {
            store.beginSession(new AuditLog.Session("earlier", repository.url(), Instant.now(), 1, null));
            // The second attempt died, too, before it could look whether the first was merged.
            store.saveStory(record(story, CoderState.WAITING, 2, "{\"earlierCommits\":[\"" + merged + "\"]}"));
        }
        try (Maestro maestro =
                builder(repository, ScriptedLlm.builder("unused").build()).build()) {
            assertThat(maestro.run(story).mergeCommit()).contains(merged);
            assertThat(maestro.auditLog().transitions("042"))
                    .extracting(transition -> transition.attempt() + " " + transition.from() + "->" + transition.to())
                    .containsExactly("2 WAITING->SETUP", "2 SETUP->DONE");
        }
    }

    @Test
    void aMergeWhoseAnswerGotLostIsNotMadeTwice() {
        TestRepository repository = repository();
        ScriptedLlm model = ScriptedLlm.builder("coder")
                .turn(Scenario.write("good"))
                .turn(Scenario.done())
                .build();
        LocalForge local = new LocalForge();
        Forge forge = new Forge() {
            @Override
            public String id() {
                return "deaf";
            }

            @Override
            public Optional<String> propose(Proposal proposal) {
                return local.propose(proposal);
            }

            @Override
            public Forge.Outcome merge(Proposal proposal) {
                local.merge(proposal);
                throw new GitException("the answer got lost", null);
            }
        };
        Story story = new Scenario("lost").express().story();
        try (Maestro maestro = builder(repository, model)
                .architect(new RuleArchitect())
                .forge(forge)
                .build()) {
            assertThat(maestro.run(story).outcome()).isEqualTo(Outcome.FAILED);
            String merge = repository.git("rev-parse", "main");

            StoryResult second = maestro.run(story);

            assertThat(second.outcome()).as("%s", second).isEqualTo(Outcome.MERGED);
            assertThat(second.mergeCommit()).contains(merge);
            assertThat(repository.git("rev-list", "--count", "--merges", "main"))
                    .isEqualTo("1");
        }
    }

    @Test
    void theMirrorKeepsNothingOfAStoryThatIsOver() throws IOException {
        TestRepository repository = repository();
        ScriptedLlm model = ScriptedLlm.builder("coder")
                .turn(Scenario.write("good"))
                .turn(Scenario.done())
                .build();
        Path mirrors = directory.resolve("project/.mirrors");
        Path mirror;
        try (Maestro maestro =
                builder(repository, model).architect(new RuleArchitect()).build()) {
            assertThat(maestro.run(new Scenario("over").express().story()).outcome())
                    .isEqualTo(Outcome.MERGED);
            try (Stream<Path> files = Files.list(mirrors)) {
                mirror = files.filter(Files::isDirectory).findFirst().orElseThrow();
            }
            assertThat(TestRepository.git(mirror, "for-each-ref", "refs/maestro"))
                    .isEmpty();
            assertThat(directory.resolve("project/.maestro/snapshots/coder-001"))
                    .doesNotExist();
        }
        // As if it had been killed before it could drop them.
        TestRepository.git(mirror, "update-ref", "refs/maestro/stories/042/1/maestro/story-042", "main");
        TestRepository.git(mirror, "update-ref", "refs/maestro/bases/of-another-record/1/x", "main");
        builder(repository, model).architect(new RuleArchitect()).build().close();
        assertThat(TestRepository.git(mirror, "for-each-ref", "refs/maestro")).isEmpty();
    }

    private static AuditLog.StoryRecord record(Story story, CoderState state, int attempt, String data) {
        return new AuditLog.StoryRecord(
                story.id(),
                "earlier",
                story.title(),
                story.content(),
                "APP",
                false,
                state,
                attempt,
                "coder-001",
                "maestro/story-042",
                null,
                null,
                data,
                null,
                List.of(),
                Instant.now());
    }

    @Test
    void cancelledWhileTheTestsRun() throws Exception {
        AtomicReference<StoryResult> result = new AtomicReference<>();
        CountDownLatch testing = new CountDownLatch(1);
        ScriptedLlm model = ScriptedLlm.builder("coder")
                .turn(Scenario.write("good"))
                .turn(Scenario.done())
                .build();
        try (Maestro maestro = builder(repository(), model)
                .testCommand("sleep 1000")
                .architect(new RuleArchitect())
                .listener(onState(TESTING, testing::countDown))
                .build()) {
            Thread thread = new Thread(
                    () -> result.set(maestro.run(new Scenario("slow").express().story())));
            thread.start();
            testing.await();
            thread.interrupt();
            thread.join();

            assertThat(result.get().outcome()).isEqualTo(Outcome.CANCELLED);
            assertThat(path(maestro)).endsWith(TESTING, ERROR);
        }
    }

    @Test
    void cancelledWhileItWaitsForACoder() throws Exception {
        AtomicReference<StoryResult> waiting = new AtomicReference<>();
        CountDownLatch testing = new CountDownLatch(1);
        ScriptedLlm model = ScriptedLlm.builder("coder")
                .turn(Scenario.write("good"))
                .turn(Scenario.done())
                .build();
        Maestro maestro = builder(repository(), model)
                .testCommand("sleep 1000")
                .architect(new RuleArchitect())
                .maxCoders(1)
                .listener(onState(TESTING, testing::countDown))
                .build();
        try (maestro) {
            Thread first =
                    new Thread(() -> maestro.run(new Scenario("first").express().story()));
            first.start();
            testing.await();
            Thread second = new Thread(() -> waiting.set(maestro.run(
                    Story.builder("043", "Waits").content("for a coder").build())));
            second.start();
            second.interrupt();
            second.join();

            assertThat(waiting.get().outcome()).isEqualTo(Outcome.CANCELLED);
            assertThat(maestro.auditLog().transitions("043"))
                    .extracting(transition -> transition.from() + "->" + transition.to())
                    .containsExactly("WAITING->ERROR");
            maestro.close();
            first.join();
        }
    }

    private static MaestroListener onState(CoderState state, Runnable action) {
        return event -> {
            if (event instanceof MaestroEvent.StateChanged changed && changed.to() == state) {
                action.run();
            }
        };
    }

    private TestRepository repository() {
        return TestRepository.create(
                directory, Map.of("README.md", "a project", "check.sh", "grep -q good feature.txt"));
    }

    private MaestroBuilder builder(TestRepository repository, ScriptedLlm model) {
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .testCommand("sh check.sh")
                .tools(tools -> tools.discover(false));
        coder(builder, model);
        adjust(builder);
        return builder;
    }

    /** For the same paths with another coder. */
    protected void coder(MaestroBuilder builder, ScriptedLlm model) {
        builder.coderModel(model);
    }

    /** For the same paths in another environment. */
    protected void adjust(MaestroBuilder builder) {}

    private static List<CoderState> path(Maestro maestro) {
        int attempt = maestro.auditLog().story("042").orElseThrow().attempt();
        List<AuditLog.StateTransition> transitions = maestro.auditLog().transitions("042").stream()
                .filter(transition -> transition.attempt() == attempt)
                .toList();
        List<CoderState> path = new ArrayList<>(List.of(transitions.get(0).from()));
        transitions.forEach(transition -> path.add(transition.to()));
        return path;
    }
}
