package io.maestro.team.internal.spec;

import static io.maestro.team.internal.spec.SpecBench.SPEC;
import static io.maestro.team.internal.spec.SpecBench.submit;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.LeaseLostException;
import io.maestro.record.internal.Leases;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.CoderNames;
import io.maestro.team.internal.dispatch.Dispatcher;
import io.maestro.team.internal.dispatch.WorkspaceMarkers;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.team.internal.story.StoryRows;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several processes that were given one specification. */
@Timeout(60)
class SpecLeadTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir
    Path directory;

    private SpecBench bench;

    @BeforeEach
    void open() {
        bench = new SpecBench(directory);
        bench.store.beginSession(new AuditLog.Session("other", bench.repository.url(), Instant.now(), 1, null));
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private static ScriptedLlm model(Reply... replies) {
        ScriptedLlm.Builder script = ScriptedLlm.builder("architect");
        List.of(replies).forEach(script::turn);
        return script.build();
    }

    private void lease(String name, String session) {
        assertThat(bench.store.leases().acquire(List.of(name), session, HOUR)).isPresent();
    }

    /** Its stories may be leased to it still: then it goes on to work on them, for the new leader. */
    @Test
    void whoLosesTheLeadDoesNotCancelTheStories() {
        bench.interruptOn(ArchitectState.MONITORING);
        bench.listener = event -> {
            if (event instanceof MaestroEvent.SpecStateChanged changed && changed.to() == ArchitectState.MONITORING) {
                lease(Leases.spec("s"), "other");
            }
        };
        FakeStoryDispatch dispatch = bench.dispatch(Map.of());
        SpecAgent agent = bench.agent(model(submit("A")), dispatch);

        assertThatThrownBy(() -> agent.run(SPEC, bench.stop)).isInstanceOf(LeaseLostException.class);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(dispatch.cancelled).isEmpty();
        assertThat(bench.store.story("s-01").orElseThrow().state()).isEqualTo(CoderState.WAITING);
    }

    /** The record takes nothing about a story from a session that has worked on it before another one did. */
    @Test
    void whatAnotherProcessHasWorkedOnIsBegunAgain() {
        FakeStoryDispatch dispatch = bench.dispatch(Map.of("s-01#1", Outcome.CANCELLED, "s-01#2", Outcome.MERGED));
        assertThat(bench.agent(model(submit("A")), dispatch)
                        .run(SPEC, new StopSignal())
                        .outcome())
                .isEqualTo(SpecResult.Outcome.CANCELLED);

        SpecAgent second = bench.agent(model(), dispatch);
        for (String session : List.of("life-2", "other")) {
            lease(Leases.story("s-01"), session);
            bench.store.leases().release(Leases.story("s-01"), session);
        }
        assertThat(second.run(SPEC, new StopSignal()).outcome()).isEqualTo(SpecResult.Outcome.COMPLETED);
        // It is free for whoever wants to work on it.
        lease(Leases.story("s-01"), "other");
    }

    /** A host that has submitted a specification again may resume the rest. */
    @Test
    void whatIsWorkedOnIsNotBegunTwice() throws Exception {
        bench.listener = event -> {
            if (event instanceof MaestroEvent.SpecStateChanged changed && changed.to() == ArchitectState.SCOPING) {
                await(new CountDownLatch(1));
            }
        };
        SpecAgent agent = bench.agent(model(), bench.dispatch(Map.of()));
        try (Dispatcher dispatcher = dispatcher();
                SpecDispatcher specs = new SpecDispatcher(agent, bench.store, dispatcher, bench.leases)) {
            RunningSpec running = specs.submit(SPEC, event -> {});
            assertThat(specs.resume(SPEC, event -> {})).isSameAs(running);
            running.cancel();
            assertThat(running.done().get(40, TimeUnit.SECONDS).outcome()).isEqualTo(SpecResult.Outcome.CANCELLED);
        }
    }

    /** It must not go on for ever as a helper of the new leader. */
    @Test
    void whoIsCancelledWhenItLosesTheLeadEnds() throws Exception {
        AtomicReference<RunningSpec> running = new AtomicReference<>();
        CountDownLatch submitted = new CountDownLatch(1);
        bench.listener = event -> {
            if (event instanceof MaestroEvent.SpecStateChanged changed && changed.to() == ArchitectState.SCOPING) {
                await(submitted);
                // As if it had slept for longer than its lease lasts.
                bench.store.leases().release(Leases.spec("s"), "life-1");
                lease(Leases.spec("s"), "other");
                running.get().cancel();
            }
        };
        SpecAgent agent = bench.agent(model(), bench.dispatch(Map.of()));
        try (Dispatcher dispatcher = dispatcher();
                SpecDispatcher specs = new SpecDispatcher(agent, bench.store, dispatcher, bench.leases)) {
            running.set(specs.submit(SPEC, event -> {}));
            submitted.countDown();
            SpecResult result = running.get().done().get(40, TimeUnit.SECONDS);
            assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.CANCELLED);
            assertThat(result.error()).contains("cancelled here; another process works on it");
        }
    }

    private Dispatcher dispatcher() {
        return new Dispatcher(
                bench.store,
                bench.leases,
                text -> text,
                "life-1",
                null,
                new CoderNames(bench.store, new WorkspaceMarkers(directory), 1),
                (row, story, agentId, stop) -> {
                    throw new MaestroException("nobody works here");
                },
                row -> StoryRows.result(bench.store, (model, usage) -> Optional.empty(), row));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
