package io.maestro.team.internal.architect;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.maestro.agent.Architect;
import io.maestro.agent.Architect.Decision;
import io.maestro.agent.Architect.Kind;
import io.maestro.agent.Architect.Reply;
import io.maestro.agent.Architect.Request;
import io.maestro.agent.Limits;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolDecision;
import io.maestro.runtime.ToolInvocation;
import io.maestro.settings.PeopleOptions;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.team.internal.coder.StoryAttempt;
import io.maestro.team.internal.coder.TestRun;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolDefinition;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Questions about calls, with a real record; AskedCallsTest has them in stories. */
@Timeout(60)
class ToolApprovalsTest {
    private static final ToolDefinition SHELL =
            ToolDefinition.builder("shell").description("d").build();

    @TempDir
    Path directory;

    private Store store;
    private final List<Request> asked = new CopyOnWriteArrayList<>();
    private final Map<String, StoryAttempt> runs = new ConcurrentHashMap<>();
    private Limits limits = Limits.defaults();
    private Function<Request, Reply> person = request -> new Reply(request.id(), Decision.APPROVED, "");
    private boolean host = true;

    @BeforeEach
    void open() {
        store = Store.sqlite(directory.resolve("record.db"), text -> text.replace("hunter2", "[secret]"));
        store.beginSession(new AuditLog.Session("session", "r", Instant.now(), 1, null));
        StoryProgress progress = StoryProgress.fromJson("{\"step\":3}");
        StoryAttempt run = TestRun.of(Story.builder("042", "T").content("C").build(), 2, progress, CoderState.CODING);
        runs.put("042", run);
        store.saveStory(run.toRecord(CoderState.CODING));
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** Asks in a new life of the process. */
    private ToolDecision decide(ToolDefinition tool, ToolInvocation invocation, Map<String, Object> arguments) {
        try (Effects effects = effects()) {
            return approvals(effects).decide(invocation, tool, ToolArguments.of(arguments), "why?");
        }
    }

    private ToolDecision decide(String cmd) {
        return decide(SHELL, call(cmd, "coder-001", 2), Map.of("cmd", cmd));
    }

    private ToolApprovals approvals(Effects effects) {
        return new ToolApprovals(() -> effects, store, runs, host);
    }

    private boolean isOpen(String cmd) {
        try (Effects effects = effects()) {
            return approvals(effects).isOpen(call(cmd, "coder-001", 2));
        }
    }

    private Architect people() {
        return new Architect() {
            @Override
            public String id() {
                return "alice";
            }

            @Override
            public Reply reply(Request request) {
                asked.add(request);
                return person.apply(request);
            }
        };
    }

    private Effects effects() {
        return new Effects(
                store,
                PeopleOptions.defaults().architect(people()),
                () -> null,
                limits,
                text -> text.replace("hunter2", "[secret]"),
                new Events(List.of()),
                story -> {});
    }

    private static ToolInvocation call(String cmd, String agent, int attempt) {
        return new ToolInvocation(
                "id",
                "shell",
                "{\"cmd\":\"" + cmd + "\"}",
                new ToolInvocation.Caller("session", agent, "042", attempt, "CODING"));
    }

    private static Reply hang() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new IllegalStateException("nobody there");
    }

    private static String denied(ToolDecision decision) {
        assertThat(decision).isInstanceOf(ToolDecision.Deny.class);
        return ((ToolDecision.Deny) decision).reason();
    }

    @Test
    void whoIsAskedSeesTheCallWithoutSecretsAndAllowsIt() {
        assertThat(decide("echo hunter2")).isEqualTo(ToolDecision.allow());
        assertThat(asked).singleElement().satisfies(request -> {
            assertThat(request.kind()).isEqualTo(Kind.TOOL_CALL);
            assertThat(request.coderId()).isEqualTo("coder-001");
            assertThat(request.facts().get(Request.CALL))
                    .contains("coder-001 calls shell in CODING", "\"cmd\" : \"echo [secret]\"");
            assertThat(request.facts()).containsEntry(Request.RULE, "why?");
        });
    }

    @Test
    void anAnswerIsForOneCallWithTheSameArguments() {
        assertThat(decide("a")).isEqualTo(ToolDecision.allow());
        assertThat(decide("a")).isEqualTo(ToolDecision.allow());
        assertThat(decide("b")).isEqualTo(ToolDecision.allow());
        assertThat(decide(SHELL, call("b", "coder-001", 2), Map.of("cmd", "changed by a policy")))
                .isEqualTo(ToolDecision.allow());
        assertThat(asked).extracting(Request::id).doesNotHaveDuplicates().hasSize(4);
        assertThat(asked.get(1).facts().get(Request.RULE)).startsWith("why?").contains("this is time 2");
        assertThat(store.effects("042"))
                .filteredOn(effect -> effect.id().endsWith("/used"))
                .hasSize(4);
    }

    @Test
    void whatOnlyReadsMayUseAnApprovalAgainAndNotARefusal() {
        ToolDefinition reads = SHELL.toBuilder().readOnly().build();
        person = request -> new Reply(request.id(), Decision.REJECTED, "no");
        assertThat(denied(decide(reads, call("a", "coder-001", 2), Map.of("cmd", "a"))))
                .contains("REJECTED: no");
        person = request -> new Reply(request.id(), Decision.APPROVED, "");
        for (int i = 0; i < 3; i++) {
            assertThat(decide(reads, call("a", "coder-001", 2), Map.of("cmd", "a")))
                    .isEqualTo(ToolDecision.allow());
        }
        assertThat(asked).hasSize(2);
    }

    @Test
    void aQuestionIsOpenUntilItsAnswerIsUsed() {
        assertThat(isOpen("a")).isFalse();
        person = request -> {
            throw new IllegalStateException("cannot be reached");
        };
        try (Effects effects = effects()) {
            ToolApprovals approvals = approvals(effects);
            assertThat(catchThrowable(() -> approvals.decide(
                            call("a", "coder-001", 2), SHELL, ToolArguments.of(Map.of("cmd", "a")), "why?")))
                    .hasMessageContaining("cannot be reached");
        }
        assertThat(isOpen("a")).isTrue();
        assertThat(isOpen("b")).isFalse();
        person = request -> new Reply(request.id(), Decision.APPROVED, "");
        assertThat(decide("a")).isEqualTo(ToolDecision.allow());
        assertThat(isOpen("a")).isFalse();
        assertThat(asked).extracting(Request::id).containsOnly(asked.get(0).id());
    }

    @Test
    void withoutAnAnswerItIsRefusedAndMayBeAskedAgain() {
        limits = Limits.builder()
                .replyTime(Kind.TOOL_CALL, Duration.ofMillis(500))
                .build();
        person = request -> hang();
        long begun = System.nanoTime();
        Duration worked = runs.get("042").meter().elapsed();
        assertThat(denied(decide("a"))).contains("has not replied to the TOOL_CALL");
        Duration counted = runs.get("042").meter().elapsed().minus(worked);
        assertThat(counted)
                .as("the wait is no work")
                .isLessThanOrEqualTo(Duration.ofNanos(System.nanoTime() - begun).minusMillis(500));
        limits = Limits.defaults();
        person = request -> new Reply(request.id(), Decision.NEEDS_CHANGES, "otherwise");
        assertThat(denied(decide("a"))).contains("NEEDS_CHANGES: otherwise");
        assertThat(asked).extracting(Request::id).doesNotHaveDuplicates().hasSize(2);
    }

    /** Nobody makes the call again, unless the story goes on in a later life with a call of the agent's. */
    @ParameterizedTest
    @CsvSource({
        ", false, false",
        ", true, false",
        "CLOSED, false, true",
        "CLOSED, true, false",
        "PAUSED, false, true",
        "CANCELLED, true, false",
        "LEASE_LOST, false, true",
        "LEASE_LOST, true, true"
    })
    void aQuestionIsWithdrawnWithTheCallThatAsked(@Nullable StopCause cause, boolean byATool, boolean stays)
            throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        person = request -> {
            begun.countDown();
            return hang();
        };
        List<Object> results = new CopyOnWriteArrayList<>();
        ToolInvocation agents = call("a", "coder-001", 2);
        ToolInvocation invocation = byATool
                ? new ToolInvocation("id/1", "shell", agents.input(), agents.caller(), "id", List.of("build_all"))
                : agents;
        Thread thread = new Thread(() -> {
            try {
                results.add(decide(SHELL, invocation, Map.of("cmd", "a")));
            } catch (RuntimeException e) {
                results.add(e);
            }
        });
        thread.start();
        begun.await();
        if (cause != null) {
            runs.get("042").stop().set(cause);
        }
        thread.interrupt();
        thread.join();
        assertThat(results).singleElement().isEqualTo(ToolDecision.deny("it was cancelled while somebody was asked"));
        String facts = asked.get(0).facts().get(Request.CALL);
        assertThat(facts)
                .startsWith(
                        byATool
                                ? "coder-001 calls build_all in CODING, which calls shell:"
                                : "coder-001 calls shell in CODING:");
        Inbox inbox = new Inbox(store.requests(), () -> {});
        assertThat(inbox.pending()).hasSize(stays ? 1 : 0);
        assertThat(isOpen("a")).isEqualTo(stays);
        Inbox.Result late = inbox.answer(asked.get(0).id(), InboxAnswer.approve("bob"));
        assertThat(late.status()).isEqualTo(stays ? Inbox.Status.COUNTS : Inbox.Status.TOO_LATE);
        assertThat(late.item().outcome().orElseThrow().toString())
                .isEqualTo(
                        stays
                                ? "bob has decided APPROVED"
                                : "nobody has decided: the call that was asked about has ended; an answer can no longer be used");
        person = request -> new Reply(request.id(), Decision.APPROVED, "");
        assertThat(decide("a")).isEqualTo(ToolDecision.allow());
        assertThat(asked).as("the same call is asked about anew").hasSize(stays ? 1 : 2);
    }

    @Test
    void whereNobodyCanBeAskedItIsRefused() {
        assertThat(denied(decide(SHELL, call("a", "coder-001", 1), Map.of("cmd", "a"))))
                .as("an attempt that is over")
                .contains("nobody is asked");
        assertThat(denied(decide("x".repeat(11_000)))).contains("longer than the 10000 characters");
        host = false;
        assertThat(denied(decide(SHELL, call("a", "architect-001", 2), Map.of("cmd", "a"))))
                .contains("somebody else than the architect's model");
        runs.clear();
        assertThat(denied(decide("a"))).contains("in CODING nobody is asked");
        assertThat(asked).isEmpty();
        assertThat(isOpen("a")).isFalse();
    }

    @Test
    void thirtyMinutesAreWaitedForAPersonToo() {
        Limits forHost = Limits.defaults().forHost(EnumSet.allOf(Kind.class));
        assertThat(forHost.replyTime(Kind.TOOL_CALL)).isEqualTo(Duration.ofMinutes(30));
        assertThat(forHost.replyTime(Kind.MERGE)).isEqualTo(Duration.ofDays(7));
        PeopleOptions most = decided(EnumSet.complementOf(EnumSet.of(Kind.TOOL_CALL)));
        assertThat(most.needModel()).isFalse();
        assertThat(most.decides(Kind.TOOL_CALL)).isTrue();
        // A rule for merges was not given the calls of tools.
        PeopleOptions rule = decided(EnumSet.complementOf(EnumSet.of(Kind.MERGE, Kind.TOOL_CALL)))
                .architect(people(), Kind.MERGE);
        assertThat(rule.decides(Kind.TOOL_CALL)).isTrue();
        assertThat(rule.architectFor(Kind.TOOL_CALL)).isEmpty();
        assertThat(rule.architectFor(Kind.MERGE)).isPresent();
        assertThat(PeopleOptions.defaults().decides(Kind.TOOL_CALL)).isFalse();
    }

    private static PeopleOptions decided(Set<Kind> kinds) {
        return PeopleOptions.defaults().decide(kinds.iterator().next(), kinds.toArray(Kind[]::new));
    }
}
