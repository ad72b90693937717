package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Limits;
import io.maestro.event.MaestroEvent;
import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stories that are ready at the same time are merged one after the other, and none of them is tested for nothing. */
@Timeout(300)
class MergeQueueTest {
    private static final String TESTS = "! grep -L good *.txt | grep .";

    @TempDir
    Path directory;

    private TestRepository repository;

    private static ScriptedLlm coder(List<String> ids) {
        ScriptedLlm.Builder model = ScriptedLlm.builder("coder");
        for (String id : ids) {
            model.story(
                    id,
                    script -> script.turn(Reply.toolCall("write_file", Map.of("path", id + ".txt", "content", "good")))
                            .turn(Reply.toolCall("done", Map.of("summary", "wrote " + id))));
        }
        return model.build();
    }

    private MaestroBuilder builder(ScriptedLlm coder) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .testCommand("sh t.sh")
                .tools(tools -> tools.discover(false));
    }

    private static Story story(String id) {
        return Story.builder(id, "Story " + id).content("do it").express().build();
    }

    /** Agrees to all merges at one moment. */
    private static Approving together(int stories) {
        CountDownLatch all = new CountDownLatch(stories);
        return new Approving() {
            @Override
            public Reply reply(Request request) {
                if (request.kind() == Kind.MERGE) {
                    all.countDown();
                    await(all);
                }
                return super.reply(request);
            }
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 16})
    void storiesThatAreApprovedAtOneMomentAreEachTestedTwiceAtMost(int count) throws Exception {
        repository = TestRepository.create(directory, Map.of("t.sh", TESTS, "base.txt", "good"));
        List<String> ids = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            ids.add("s" + number);
        }
        List<MaestroEvent.MergeQueued> queued = new CopyOnWriteArrayList<>();
        try (Maestro maestro = builder(coder(ids))
                .architect(together(count))
                .maxCoders(count)
                .listener(event -> {
                    if (event instanceof MaestroEvent.MergeQueued one) {
                        queued.add(one);
                    }
                })
                .build()) {
            List<Submission<StoryResult>> stories =
                    ids.stream().map(id -> maestro.submit(story(id))).toList();
            for (Submission<StoryResult> one : stories) {
                StoryResult result = one.await();
                assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            }
            for (String id : ids) {
                assertThat(maestro.auditLog().toolExecutions(id))
                        .filteredOn(call -> call.tool().equals("test"))
                        .as(id)
                        .hasSizeBetween(1, 2);
            }
            assertThat(maestro.auditLog().mergeQueue()).isEmpty();
        }
        assertThat(mergedStories()).hasSize(count);
        assertThat(queued).isNotEmpty();
        eachCommitOfTheTargetPasses();
    }

    private void eachCommitOfTheTargetPasses() throws Exception {
        int number = 0;
        for (String commit :
                repository.git("rev-list", "--first-parent", "main").lines().toList()) {
            Path checkout = directory.resolve("checkout-" + number++);
            TestRepository.git(directory, "clone", "-q", repository.url(), checkout.toString());
            TestRepository.git(checkout, "checkout", "-q", commit);
            Process tests = new ProcessBuilder("sh", "t.sh")
                    .directory(checkout.toFile())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(tests.getInputStream().readAllBytes());
            assertThat(tests.waitFor()).as("%s: %s", commit, said).isZero();
        }
    }

    /** The tests of the second story wait for those of the third, which run together with it. */
    @Test
    void whoComesAfterTheHeadIsTestedAhead() throws Exception {
        Path runs = Files.createDirectory(directory.resolve("runs"));
        Path gate = directory.resolve("gate");
        repository = TestRepository.create(
                directory,
                Map.of(
                        "t.sh",
                        "mktemp " + runs + "/XXXXXX && i=0; while [ -e " + gate + " ] && [ $(ls " + runs
                                + " | wc -l) -lt 5 ] && [ $((i += 1)) -lt 600 ]; do sleep 0.1; done; " + TESTS,
                        "base.txt",
                        "good"));
        List<String> ids = List.of("s1", "s2", "s3");
        CountDownLatch all = new CountDownLatch(3);
        Approving architect = new Approving() {
            @Override
            public Reply reply(Request request) {
                if (request.kind() == Kind.MERGE) {
                    all.countDown();
                    try {
                        assertThat(all.await(120, TimeUnit.SECONDS)).isTrue();
                        Files.writeString(gate, "");
                    } catch (InterruptedException | IOException e) {
                        throw new AssertionError(e);
                    }
                }
                return super.reply(request);
            }
        };
        try (Maestro maestro = builder(coder(ids))
                .architect(architect)
                .maxCoders(3)
                .commands(commands -> commands.testsAtOnce(3).testsAhead(1))
                .build()) {
            List<Submission<StoryResult>> stories =
                    ids.stream().map(id -> maestro.submit(story(id))).toList();
            for (Submission<StoryResult> one : stories) {
                assertThat(one.await().outcome()).isEqualTo(Outcome.MERGED);
            }
            List<String> states = new ArrayList<>();
            for (String id : ids) {
                maestro.auditLog().toolExecutions(id).stream()
                        .filter(call -> call.tool().equals("test"))
                        .forEach(call -> states.add(call.state()));
            }
            assertThat(states)
                    .containsExactlyInAnyOrder("TESTING", "TESTING", "TESTING", "PREPARE_MERGE", "AWAIT_MERGE");
        }
        try (Stream<Path> files = Files.list(runs)) {
            assertThat(files).hasSize(5);
        }
        eachCommitOfTheTargetPasses();
    }

    /** The first story is asked about again and again, until the second is merged. */
    @Test
    void whoWaitsForAPersonHoldsNobodyUp() throws Exception {
        repository = TestRepository.create(directory, Map.of("t.sh", TESTS, "base.txt", "good"));
        CountDownLatch second = new CountDownLatch(1);
        Approving architect = new Approving() {
            @Override
            public Reply reply(Request request) {
                if (request.kind() == Kind.MERGE && request.storyId().equals("s1")) {
                    await(second);
                }
                return super.reply(request);
            }
        };
        try (Maestro maestro = builder(coder(List.of("s1", "s2")))
                .architect(architect)
                .maxCoders(2)
                .build()) {
            Submission<StoryResult> first = maestro.submit(story("s1"));
            assertThat(maestro.run(story("s2")).outcome()).isEqualTo(Outcome.MERGED);
            second.countDown();
            assertThat(first.await().outcome()).isEqualTo(Outcome.MERGED);
            assertThat(maestro.auditLog().mergeQueue())
                    .extracting(AuditLog.QueuedMerge::storyId)
                    .isEmpty();
        }
    }

    /** The first story that is tested with the work of another hangs; its coder waits until the others are merged. */
    @Test
    void whoHangsInItsTestsIsEndedAndTheQueueGoesOn() throws Exception {
        Path once = directory.resolve("once");
        repository = TestRepository.create(
                directory,
                Map.of("t.sh", "if [ $(ls s*.txt | wc -l) = 2 ] && mkdir " + once + "; then sleep 1000; fi; " + TESTS));
        List<String> ids = List.of("s1", "s2", "s3", "s4");
        CountDownLatch others = new CountDownLatch(ids.size() - 1);
        List<String> sentBack = new CopyOnWriteArrayList<>();
        ScriptedLlm.Builder model = ScriptedLlm.builder("coder");
        for (String id : ids) {
            model.story(
                    id,
                    script -> script.turn(Reply.toolCall("write_file", Map.of("path", id + ".txt", "content", "good")))
                            .turn(Reply.toolCall("done", Map.of("summary", "wrote " + id)))
                            .turn(request -> {
                                sentBack.add(id);
                                await(others);
                                return Reply.toolCall("done", Map.of("summary", "it is as it was"));
                            }));
        }
        try (Maestro maestro = builder(model.build())
                .architect(together(ids.size()))
                .maxCoders(ids.size())
                .limits(Limits.builder().testTime(Duration.ofSeconds(10)).build())
                .commands(commands -> commands.testsAhead(0))
                .listener(event -> {
                    if (event instanceof MaestroEvent.StateChanged changed && changed.to() == CoderState.DONE) {
                        others.countDown();
                    }
                })
                .build()) {
            List<Submission<StoryResult>> stories =
                    ids.stream().map(id -> maestro.submit(story(id))).toList();
            for (Submission<StoryResult> one : stories) {
                assertThat(one.await().outcome()).isEqualTo(Outcome.MERGED);
            }
        }
        assertThat(sentBack).hasSize(1);
        assertThat(mergedStories()).hasSize(4).last().isEqualTo(sentBack.get(0));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(120, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> mergedStories() {
        return repository
                .git(
                        "log",
                        "--first-parent",
                        "--merges",
                        "--reverse",
                        "--format=%(trailers:key=Maestro-Story,valueonly,separator=)",
                        "main")
                .lines()
                .filter(line -> !line.isBlank())
                .toList();
    }

    // ---- Changes that are good apart and bad together

    @Test
    void aFewPairsThatFailTogetherAreNeverBothMerged() throws Exception {
        pairs(4);
    }

    @Test
    @Full("the same 12 times, or as often as -Dnumber says")
    @Timeout(1200)
    void manyPairsThatFailTogetherAreNeverBothMerged() throws Exception {
        pairs(Campaign.number(12));
    }

    /** Two changes of one directory. */
    private record Pair(String name, List<Reply> one, List<Reply> other) {
        static Pair of(int number, int kind) {
            String name = "p" + number;
            return switch (kind) {
                case 0 -> new Pair(name, List.of(write(name + "/one", "x")), List.of(write(name + "/other", "x")));
                case 1 ->
                    new Pair(
                            name,
                            List.of(Reply.toolCall("shell", Map.of("cmd", "rm " + name + "/called"))),
                            List.of(write(name + "/calls", "x")));
                default ->
                    new Pair(
                            name,
                            List.of(write(name + "/one.txt", "x"), write(name + "/count", "1\n")),
                            List.of(write(name + "/other.txt", "x"), write(name + "/count", "1\n")));
            };
        }

        private static Reply write(String path, String content) {
            return Reply.toolCall("write_file", Map.of("path", path, "content", content));
        }
    }

    private void pairs(int number) throws Exception {
        Random random = new Random(Campaign.seed("pairs"));
        Map<String, String> files = new HashMap<>();
        files.put("t.sh", """
                for pair in p*; do
                    if [ -e $pair/one ] && [ -e $pair/other ]; then echo both; exit 1; fi
                    if [ -e $pair/calls ] && ! [ -e $pair/called ]; then echo nothing to call; exit 1; fi
                    read -r count < $pair/count
                    set -- $pair/*.txt
                    [ -e $1 ] || shift
                    if [ $count != $# ]; then echo count; exit 1; fi
                done
                """);
        List<Pair> pairs = new ArrayList<>();
        ScriptedLlm.Builder model = ScriptedLlm.builder("coder");
        for (int i = 0; i < number; i++) {
            Pair pair = Pair.of(i, random.nextInt(3));
            pairs.add(pair);
            files.put(pair.name() + "/called", "x");
            files.put(pair.name() + "/count", "0\n");
            writes(model, pair.name() + "-one", pair.one());
            writes(model, pair.name() + "-other", pair.other());
        }
        repository = TestRepository.create(directory, files);
        int together = 5;
        ScriptedLlm coder = model.build();
        for (int first = 0; first < number; first += together) {
            List<String> ids = new ArrayList<>();
            pairs.subList(first, Math.min(first + together, number))
                    .forEach(pair -> ids.addAll(List.of(pair.name() + "-one", pair.name() + "-other")));
            Collections.shuffle(ids, random);
            int ahead = random.nextInt(4);
            try (Maestro maestro = builder(coder)
                    .architect(together(ids.size()))
                    .maxCoders(ids.size())
                    .commands(commands -> commands.testsAtOnce(4).testsAhead(ahead))
                    .build()) {
                List<Submission<StoryResult>> stories =
                        ids.stream().map(id -> maestro.submit(story(id))).toList();
                Map<String, Outcome> outcomes = new HashMap<>();
                for (Submission<StoryResult> one : stories) {
                    outcomes.put(one.id(), one.await().outcome());
                }
                pairs.subList(first, Math.min(first + together, number))
                        .forEach(pair -> assertThat(List.of(
                                        outcomes.get(pair.name() + "-one"), outcomes.get(pair.name() + "-other")))
                                .as("%s, %d ahead", pair, ahead)
                                .containsExactlyInAnyOrder(Outcome.MERGED, Outcome.FAILED));
            }
        }
        assertThat(mergedStories()).hasSize(number);
        eachCommitOfTheTargetPasses();
    }

    /** Gives up once it is told that the tests do not pass. */
    private static void writes(ScriptedLlm.Builder model, String id, List<Reply> replies) {
        model.story(id, script -> {
            replies.forEach(script::turn);
            script.turn(Reply.toolCall("done", Map.of("summary", "done")))
                    .turn(Reply.toolCall("report_blocked", Map.of("reason", "they fail together")));
        });
    }
}
