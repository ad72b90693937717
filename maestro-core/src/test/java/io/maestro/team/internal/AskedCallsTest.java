package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect;
import io.maestro.agent.Architect.Decision;
import io.maestro.agent.Architect.Kind;
import io.maestro.agent.Architect.Reply;
import io.maestro.agent.Architect.Request;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.inbox.InboxItem;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRule;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.RunningStory;
import io.maestro.testing.Await;
import io.maestro.testing.Full;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls about which a policy asks, in stories, over the deaths of the process. */
@Timeout(120)
class AskedCallsTest {
    private static final String ONCE = "echo good >> once.txt";

    @TempDir
    Path directory;

    private TeamBench bench;
    private PlaceLlm model;
    private final List<Request> asked = new CopyOnWriteArrayList<>();

    @BeforeEach
    void open() {
        bench = new TeamBench(directory);
        bench.architect = new Architect() {
            @Override
            public String id() {
                return "alice";
            }

            @Override
            public Reply reply(Request request) {
                if (request.kind() != Kind.TOOL_CALL) {
                    return new Reply(request.id(), Decision.APPROVED, "");
                }
                asked.add(request);
                return new Reply(request.id(), Decision.APPROVED, "");
            }
        };
        bench.policies.add(ToolPolicy.byRules(
                List.of(ToolRule.of("shell").argument("cmd", "once").ask("does it do no harm?"))));
        model = new PlaceLlm()
                .calls("CODING", "shell", "cmd", ONCE)
                .calls("CODING", "shell", "cmd", "echo good > other.txt")
                .calls("CODING", "done", "summary", "wrote it");
        bench.coder = model;
    }

    /** Where the process is killed, and how often a person is asked, and the call runs, until the story is merged. */
    enum Point {
        QUESTION_RECORDED(true, "open", "\"call\"", 1, 1),
        BEFORE_ANSWER_IS_RECORDED(false, "reply", "APPROVED", 2, 1),
        ANSWER_RECORDED(true, "reply", "APPROVED", 1, 1),
        BEFORE_ANSWER_IS_USED(false, "recordEffect", "/used", 1, 1),
        ANSWER_USED(true, "recordEffect", "/used", 1, 0),
        RAN(false, "recordToolExecution", "once", 1, 1),
        RUN_RECORDED(true, "recordToolExecution", "once", 1, 1);

        private final boolean written;
        private final String method;
        private final String row;
        private final int questions;
        private final int runs;

        Point(boolean written, String method, String row, int questions, int runs) {
            this.written = written;
            this.method = method;
            this.row = row;
            this.questions = questions;
            this.runs = runs;
        }

        Store mortal(Store store) {
            MortalStore.Death death = (name, arguments) ->
                    name.equals(method) && List.of(arguments).toString().contains(row);
            return written ? MortalStore.after(store, death) : MortalStore.before(store, death);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "ANSWER_RECORDED")
    void aKilledProcessAsksNoMoreThanItMust(Point point) {
        try (TeamBench.Life life = bench.life(point::mortal)) {
            life.dies(TeamBench.express("042"));
        }
        try (TeamBench.Life life = bench.life()) {
            assertThat(life.run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(asked).hasSize(point.questions);
            assertThat(asked).extracting(Request::id).containsOnly(asked.get(0).id());
            String merged = bench.repository.show("main", point.runs == 0 ? "other.txt" : "once.txt");
            assertThat(merged.strip()).isEqualTo("good");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ANSWER_RECORDED")
    @Full("the short tier has one point")
    void aProcessThatIsKilledElsewhereAsksNoMoreThanItMust(Point point) {
        aKilledProcessAsksNoMoreThanItMust(point);
    }

    /** A person needs longer than the tool may that makes the call, and sees which one that is. */
    @Test
    void aPersonIsWaitedForBelowAToolThatCallsOthers() {
        bench.tools.add(new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder("build_all")
                        .description("Builds")
                        .timeLimit(Duration.ofSeconds(2))
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> call.tools().call("shell", Map.of("cmd", ONCE));
            }
        });
        bench.architect = null;
        bench.people = EnumSet.of(Kind.TOOL_CALL);
        bench.architectModel = new PlaceLlm()
                .calls("ANSWERING", "review_complete", "decision", "APPROVED")
                .calls("ANSWERING", "review_complete", "decision", "APPROVED");
        bench.coder = new PlaceLlm().calls("CODING", "build_all").calls("CODING", "done", "summary", "wrote it");
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.express("042"), event -> {});
            Await.until("somebody is asked", () -> !life.inbox.pending().isEmpty());
            InboxItem item = life.inbox.pending().get(0);
            assertThat(item.facts().get(Request.CALL))
                    .startsWith("coder-001 calls build_all in CODING, which calls shell:");
            Await.until(
                    "the tool would have timed out",
                    () -> Instant.now().isAfter(item.askedAt().plusMillis(2200)));
            assertThat(life.inbox
                            .answer(item.id(), InboxAnswer.approve("alice"))
                            .status())
                    .isEqualTo(Inbox.Status.COUNTS);
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(life.store.toolExecutions("042"))
                    .filteredOn(
                            row -> row.tool().equals("build_all") || row.tool().equals("shell"))
                    .hasSize(2)
                    .allSatisfy(row -> assertThat(row.error()).isNull())
                    .allSatisfy(row -> assertThat(row.durationMillis()).isLessThan(2000));
        }
    }

    /** The model of the architect decides where no person does; about its own calls it does not. */
    @Test
    void theArchitectsModelDecides() {
        bench.architect = null;
        bench.policies.add(ToolPolicy.byRules(
                List.of(ToolRule.of("list_files").roles("architect").ask(""))));
        PlaceLlm architect = new PlaceLlm()
                .calls("ANSWERING", "list_files")
                .calls("ANSWERING", "review_complete", "decision", "REJECTED", "feedback", "never")
                .calls("ANSWERING", "review_complete", "decision", "APPROVED")
                .calls("ANSWERING", "review_complete", "decision", "APPROVED");
        bench.architectModel = architect;
        try (TeamBench.Life life = bench.life()) {
            assertThat(life.run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(life.store.toolExecutions("042"))
                    .filteredOn(row -> row.error() != null)
                    .extracting(AuditLog.ToolExecution::error)
                    .satisfiesExactlyInAnyOrder(
                            error -> assertThat(error).contains("somebody else than the architect's model"),
                            error -> assertThat(error).contains("REJECTED: never"));
            assertThat(architect.requests.get(0).messages().toString())
                    .contains("May this call of a tool run?", "Why you are asked", "does it do no harm?", ONCE);
        }
    }
}
