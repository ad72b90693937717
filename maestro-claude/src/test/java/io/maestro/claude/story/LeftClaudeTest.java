package io.maestro.claude.story;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.Maestro;
import io.maestro.Submission;
import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.agent.Architect.Kind;
import io.maestro.agent.Limits;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.event.MaestroEvent;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.story.StoryResult;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * An attempt that is left goes on in the same session of the CLI for each state: when its Maestro is closed, as when it is killed,
 * and when it has waited for somebody.
 */
@RequiresClaude
@Timeout(900)
class LeftClaudeTest {
    /** Where each life of a host ends, until one sees the end of the story. */
    private static final List<String> POINTS =
            List.of("PLANNING", "QUESTION", "PLAN_REVIEW", "CODING", "TESTING", "CODE_REVIEW", "MERGE");

    private static final String HOLD = "mcp__maestro__hold";

    /** On the disk: nothing of {@code /dev} is mounted into a container. */
    @TempDir(factory = TempDirFactory.Standard.class)
    Path directory;

    /** What a story has cost: how often the model was asked in each session, and the tokens. */
    private record Paid(List<Integer> requests, long tokens) {}

    // Closed and killed

    @Test
    @Full("eight JVMs; LeftProgramTest has the same with a program of its own")
    void closedAndKilledInEachStateOnThisMachine() throws Exception {
        closedAndKilledInEachState("");
    }

    @Test
    @Full("eight JVMs and their containers")
    @RequiresEngine
    void closedAndKilledInEachStateInContainers() throws Exception {
        closedAndKilledInEachState(TestImages.ofDocker().baseWithGit());
    }

    private void closedAndKilledInEachState(String base) throws Exception {
        // What the script takes, and in each state the call again that the end of a life has cut.
        Paid least = new Paid(List.of(5, 5), 10 * 120);
        assertThat(lives("close", base)).isEqualTo(least);
        // A kill may also cut an answer off from its session.
        assertThat(lives("kill", base).tokens()).isBetween(least.tokens(), least.tokens() + POINTS.size() * 120);
    }

    /** What a story costs whose host ends so at each point. */
    private Paid lives(String how, String base) throws Exception {
        Path own = Files.createDirectory(directory.resolve(how));
        TestRepository.create(own, Map.of("README.md", "app"));
        try (StubApi api = StubApi.start(script(workspace(own, base)))) {
            for (String point : POINTS) {
                String said = live(own, api, base, how, point);
                assertThat(said).as(point).isEqualTo(how.equals("kill") ? "" : "closed in " + point);
            }
            String said = live(own, api, base, how, "none");
            assertThat(said).startsWith("outcome MERGED attempt 1 tokens ");
            assertNothingIsLeft(own, base);
            return new Paid(sessions(api), Long.parseLong(said.split(" ")[5]));
        }
    }

    /** The last line that a life has said; nothing when it was killed. */
    private String live(Path own, StubApi api, String base, String how, String point) throws Exception {
        List<String> command = ChildJvm.command(
                List.of("-Djava.io.tmpdir=" + Files.createDirectories(own.resolve("tmp"))),
                LeftClaudeHost.class,
                own.toString(),
                api.baseUrl(),
                RealClaude.program().toString(),
                base,
                how,
                point);
        Path log = own.resolve(point + ".log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).as(point).isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        String said = Files.readString(log);
        if (process.exitValue() == LeftClaudeHost.KILLED) {
            return "";
        }
        assertThat(process.exitValue()).as(said).isZero();
        List<String> lines = said.strip().lines().toList();
        return lines.get(lines.size() - 1);
    }

    // Waits

    @Test
    @Full("the CLI; LeftProgramTest has the same with a program of its own")
    void aPersonDecidesOnThisMachine() throws Exception {
        aPersonDecides("");
    }

    @Test
    @Full("the CLI in containers")
    @RequiresEngine
    void aPersonDecidesInContainers() throws Exception {
        aPersonDecides(TestImages.ofDocker().baseWithGit());
    }

    private void aPersonDecides(String base) throws Exception {
        TestRepository.create(directory, Map.of("README.md", "app"));
        BlockingQueue<MaestroEvent.RequestOpened> asked = new LinkedBlockingQueue<>();
        try (StubApi api = StubApi.start(script(workspace(directory, base)));
                Maestro maestro = LeftClaudeHost.builder(directory, api.baseUrl(), RealClaude.program(), base)
                        .people(people -> people.decide(
                                Kind.QUESTION, Kind.PLAN_REVIEW, Kind.CODE_REVIEW, Kind.BUDGET_REVIEW, Kind.MERGE))
                        .tool(LeftClaudeHost.hold(context -> false, () -> {}))
                        // The change takes one answer more.
                        .limits(Limits.builder().turnsPerState(2).build())
                        .listener(event -> {
                            if (event instanceof MaestroEvent.RequestOpened request) {
                                asked.add(request);
                            }
                        })
                        .build()) {
            Submission<StoryResult> story = maestro.submit(LeftClaudeHost.STORY);
            Set<Kind> kinds = EnumSet.noneOf(Kind.class);
            Set<Kind> sentBack = EnumSet.of(Kind.PLAN_REVIEW, Kind.CODE_REVIEW);
            while (!story.future().isDone()) {
                MaestroEvent.RequestOpened request = asked.poll(20, TimeUnit.MILLISECONDS);
                if (request != null) {
                    kinds.add(request.kind());
                    InboxAnswer answer = sentBack.remove(request.kind())
                            ? InboxAnswer.changes("alice", LeftClaudeHost.CHANGES)
                            : request.kind() == Kind.QUESTION
                                    ? InboxAnswer.say("alice", LeftClaudeHost.ANSWER)
                                    : InboxAnswer.approve("alice");
                    assertThat(maestro.inbox()
                                    .answer(request.requestId(), answer)
                                    .status())
                            .isEqualTo(Inbox.Status.COUNTS);
                }
            }
            StoryResult result = story.await();
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            assertThat(kinds).hasSize(5);
            sessions(api);
        }
        assertNothingIsLeft(directory, base);
    }

    @Test
    @Full("the CLI; LeftProgramTest has the same with a program of its own")
    void anArchitectTakesLongerThanACallIsHeldOpen() {
        TestRepository.create(directory, Map.of("README.md", "app"));
        AtomicReference<Maestro> asking = new AtomicReference<>();
        Asked slow = new Asked(request -> {
            if (request.kind() == Kind.QUESTION) {
                // Until its story is parked.
                while (!asking.get().agents().isEmpty()) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                }
                return new Architect.Reply(request.id(), Architect.Decision.APPROVED, LeftClaudeHost.ANSWER);
            }
            return Asked.approve(request);
        });
        try (StubApi api = StubApi.start(script(workspace(directory, "")));
                Maestro maestro = LeftClaudeHost.builder(directory, api.baseUrl(), RealClaude.program(), "")
                        .architect(slow)
                        .tool(LeftClaudeHost.hold(context -> false, () -> {}))
                        .limits(Limits.builder().parkAfter(Duration.ofMillis(1)).build())
                        .build()) {
            asking.set(maestro);
            StoryResult result = maestro.run(LeftClaudeHost.STORY);
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            assertThat(slow.kinds()).containsOnlyOnce(Kind.QUESTION);
            sessions(api);
        }
    }

    // The model, and what it was asked

    private static String workspace(Path own, String base) {
        return base.isEmpty() ? own.resolve("project/coder-001").toString() : "/workspace";
    }

    /** Asks, plans again when the plan is sent back, writes a file. A call whose result is lost is made again. */
    private static ApiScript script(String workspace) {
        return request -> {
            if (StoryScript.plans(request)) {
                return !has(request, HOLD)
                        ? ApiReply.use(HOLD)
                        : !request.heard(LeftClaudeHost.ANSWER)
                                ? ApiReply.use(StoryScript.QUESTION, "question", "which one?")
                                : ApiReply.use(StoryScript.PLAN, "plan", "the blue one in feature.txt");
            }
            return !has(request, "Write")
                    ? ApiReply.use("Write", "file_path", workspace + "/feature.txt", "content", "blue\n")
                    : !has(request, HOLD) ? ApiReply.use(HOLD) : ApiReply.use(StoryScript.DONE, "summary", "blue");
        };
    }

    /** Whether a tool has answered in the conversation. */
    private static boolean has(ApiRequest request, String tool) {
        Map<String, ApiRequest.Answer> answers = request.answersById();
        return request.uses().stream()
                .filter(use -> use.name().equals(tool))
                .map(use -> answers.get(use.id()))
                .anyMatch(answer -> answer != null && !answer.isError());
    }

    /** How often the model was asked while planning and while coding, each in one session. */
    private static List<Integer> sessions(StubApi api) {
        List<Integer> requests = new ArrayList<>();
        for (boolean plans : List.of(true, false)) {
            List<ApiRequest> asked = api.conversations().stream()
                    .filter(request -> StoryScript.plans(request) == plans)
                    .toList();
            assertThat(asked).isNotEmpty();
            assertThat(asked)
                    .extracting(ApiRequest::sessionId)
                    .as(plans ? "planning" : "coding")
                    .containsOnly(asked.get(0).sessionId());
            requests.add(asked.size());
        }
        return requests;
    }

    /** The attempt has ended: its sessions are gone. */
    private static void assertNothingIsLeft(Path own, String base) {
        if (base.isEmpty()) {
            assertThat(own.resolve("project/.maestro/state")).isEmptyDirectory();
            return;
        }
        String label = "label=io.maestro.project=" + own.resolve("project");
        for (String kind : List.of("container", "volume", "network")) {
            List<String> words = new ArrayList<>(List.of(kind, "ls", "--quiet", "--filter", label));
            if (kind.equals("container")) {
                words.add("--all");
            }
            assertThat(TestImages.ofDocker().cli().output(words.toArray(String[]::new)))
                    .as(kind)
                    .isBlank();
        }
    }
}
