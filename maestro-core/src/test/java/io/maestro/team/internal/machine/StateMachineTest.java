package io.maestro.team.internal.machine;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.event.MaestroEvent;
import io.maestro.internal.RemoteServer;
import io.maestro.telemetry.Telemetry;
import io.maestro.testing.Mdc;
import java.io.IOException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.MDC;

/** What is the same for all machines, with one of three states. */
class StateMachineTest {
    enum State {
        WORK,
        SUSPEND,
        DONE,
        ERROR
    }

    private static final class Run extends MachineRun<State> {
        @Nullable
        State suspended;

        boolean takenUp;

        Run(StopSignal stop) {
            super(State.WORK, stop);
        }

        @Override
        protected boolean isTakenUp() {
            return takenUp;
        }

        @Override
        public @Nullable State suspendedIn() {
            return suspended;
        }

        @Override
        protected void suspendIn(State origin, String shown) {
            suspended = origin;
        }

        @Override
        protected @Nullable Long workedAt(RetriableException failure) {
            return null;
        }

        @Override
        protected String id() {
            return "1";
        }

        @Override
        protected String kind() {
            return "thing";
        }

        @Override
        public String toString() {
            return "thing 1";
        }
    }

    private final List<State> rows = new ArrayList<>();
    private final List<String> ends = new ArrayList<>();
    private final Map<State, StateHandler<State, Run>> handlers = new EnumMap<>(State.class);
    private final StopSignal stop = new StopSignal();
    private final List<Throwable> failures = new ArrayList<>();
    private Runnable onRow = () -> {};
    private Runnable onMend = () -> {};
    private Runnable onEnd = () -> {};
    private Runnable onTold = () -> {};

    private final class Machine extends StateMachine<State, Run> {
        Machine() {
            super(
                    new Table<>(
                            State.SUSPEND,
                            State.ERROR,
                            state -> state == State.DONE || state == State.ERROR,
                            (from, to) -> true,
                            (from, to) -> {}),
                    Limits.builder().suspendInterval(Duration.ofMillis(1)).build(),
                    text -> text,
                    new Events(List.of()));
        }

        @Override
        protected @Nullable StateHandler<State, Run> handler(State state) {
            return handlers.get(state);
        }

        @Override
        protected Optional<Next<State>> mended(Run run, RuntimeException failure) {
            onMend.run();
            return Optional.empty();
        }

        @Override
        protected void ended(Run run, Throwable failure, String message) {
            ends.add(message);
            failures.add(failure);
            onEnd.run();
        }

        @Override
        protected void record(Run run, Next<State> next, String reason) {
            onRow.run();
            rows.add(next.state());
        }

        @Override
        protected Telemetry.Operation agent(Run run) {
            return new Telemetry.Operation(Telemetry.Kind.AGENT, "a", "1", "a", 1, "", null);
        }

        @Override
        protected MaestroEvent changed(Run run, State from, State to, String reason) {
            onTold.run();
            return new MaestroEvent.DependencyUnknown("1", "a", "b", Instant.EPOCH);
        }
    }

    private void run(Run run) {
        new Machine().runToEnd(run);
    }

    private void isStopped(StopCause cause) {
        handlers.put(State.WORK, run -> {
            stop.set(cause);
            Thread.currentThread().interrupt();
            throw new IllegalStateException("what an interrupt makes of a command");
        });
    }

    /** Only who has reached a service before waits for it. */
    @Test
    void aServerThatHasNeverAnsweredIsNoOutage() {
        RemoteServer server = new RemoteServer("the forge", "its address", text -> text);
        boolean[] up = {false};
        handlers.put(State.WORK, run -> {
            if (!up[0]) {
                up[0] = true;
                IOException unreachable = server.unreachable(null, new UnknownHostException("x"), Duration.ZERO, true);
                throw new RetriableException("not there", unreachable, null);
            }
            return new Next<>(State.DONE, "done");
        });
        run(new Run(stop));
        assertThat(rows).containsExactly(State.ERROR);
        assertThat(ends).containsExactly("in WORK: not there");

        rows.clear();
        up[0] = false;
        Run takenUp = new Run(stop);
        takenUp.takenUp = true;
        run(takenUp);
        assertThat(rows).containsExactly(State.SUSPEND, State.WORK, State.DONE);

        rows.clear();
        up[0] = false;
        server.answered();
        run(new Run(stop));
        assertThat(rows).containsExactly(State.SUSPEND, State.WORK, State.DONE);
    }

    @Test
    void linesOfTheLogSayWhatTheyAreAbout() {
        try (Mdc mdc = new Mdc()) {
            MDC.put("maestro.story", "of the host");
            List<Map<String, String>> seen = new ArrayList<>();
            handlers.put(State.WORK, run -> {
                seen.add(MDC.getCopyOfContextMap());
                return new Next<>(State.DONE, "done");
            });
            run(new Run(stop));
            assertThat(seen).containsExactly(Map.of("maestro.story", "1", "maestro.state", "WORK"));
            assertThat(MDC.getCopyOfContextMap()).isEqualTo(Map.of("maestro.story", "of the host"));
        }
    }

    @Test
    void aCancellationEndsTheRun() {
        isStopped(StopCause.CANCELLED);
        run(new Run(stop));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(rows).containsExactly(State.ERROR);
        assertThat(ends).containsExactly("in WORK: the thing was cancelled");
    }

    private static final String BY_SOMEBODY = ", and not by Maestro: nothing was cancelled, closed or lost";

    /** The rows and what comes later are left to a thread that is not interrupted. */
    private void failsBecauseOf(String why) {
        onRow = () -> assertThat(Thread.currentThread().isInterrupted()).isFalse();
        run(new Run(stop));
        assertThat(Thread.interrupted()).isFalse();
        assertThat(rows).endsWith(State.ERROR);
        assertThat(ends).containsExactly(why);
        assertThat(failures.get(0)).isNotInstanceOf(CancelledException.class);
    }

    @Test
    void anInterruptWithoutACauseIsAFailureOfWhatWasBeingDone() {
        handlers.put(
                State.WORK,
                run -> run.stop().calling("the forge", () -> {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("what an interrupt makes of a command");
                }));
        failsBecauseOf("in WORK: the thread of thing 1 was interrupted by the forge" + BY_SOMEBODY
                + "; it ended with java.lang.IllegalStateException: what an interrupt makes of a command");
    }

    @Test
    void whatGoesOnAlthoughItsThreadIsInterruptedIsNotBelieved() {
        handlers.put(State.WORK, run -> {
            Thread.currentThread().interrupt();
            return new Next<>(State.SUSPEND, "goes on");
        });
        failsBecauseOf("in WORK: the thread of thing 1 was interrupted by something unknown" + BY_SOMEBODY);
    }

    /** A wait of Maestro's own has noticed the interrupt and cleared it. */
    @Test
    void aWaitThatEndsWithoutACauseIsNoCancellation() {
        handlers.put(State.WORK, run -> {
            throw new CancelledException();
        });
        failsBecauseOf("in WORK: the thread of thing 1 was interrupted by something unknown" + BY_SOMEBODY);
    }

    @Test
    void aStopThatComesTogetherWithAStrayInterruptCounts() {
        handlers.put(State.WORK, run -> {
            run.stop().calling("the forge", () -> Thread.currentThread().interrupt());
            stop.set(StopCause.CLOSED);
            return new Next<>(State.SUSPEND, "goes on");
        });
        assertThatThrownBy(() -> run(new Run(stop))).isInstanceOf(StoppedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(rows).isEmpty();
    }

    @Test
    void whatIsDoneIsDoneAlthoughTheThreadWasInterrupted() {
        handlers.put(State.WORK, run -> {
            Thread.currentThread().interrupt();
            return new Next<>(State.DONE, "merged");
        });
        onRow = () -> assertThat(Thread.currentThread().isInterrupted()).isFalse();
        run(new Run(stop));
        assertThat(Thread.interrupted()).isFalse();
        assertThat(rows).containsExactly(State.DONE);
    }

    @Test
    void whatIsClosedOrLostHasNotEndedAndNothingIsWritten() {
        for (StopCause cause : List.of(StopCause.CLOSED, StopCause.LEASE_LOST)) {
            StopSignal signal = new StopSignal();
            handlers.put(State.WORK, run -> {
                signal.set(cause);
                Thread.currentThread().interrupt();
                return new Next<>(State.SUSPEND, "what was being done was killed");
            });
            Run run = new Run(signal);
            assertThatThrownBy(() -> run(run))
                    .isInstanceOfSatisfying(
                            StoppedException.class,
                            stopped -> assertThat(stopped.stopCause()).isEqualTo(cause))
                    .hasMessageContaining("thing 1");
            assertThat(Thread.interrupted()).isTrue();
            assertThat(run.state()).isEqualTo(State.WORK);
        }
        assertThat(rows).isEmpty();
        assertThat(ends).isEmpty();
    }

    /** As JGit does while it waits for git. */
    @Test
    void aStopCountsAlthoughItsInterruptWasSwallowed() {
        for (StopCause cause : StopCause.values()) {
            for (boolean fails : new boolean[] {false, true}) {
                StopSignal signal = new StopSignal();
                handlers.put(State.WORK, run -> {
                    signal.set(cause);
                    if (fails) {
                        throw new MaestroException("what it works with is closed");
                    }
                    return new Next<>(State.SUSPEND, "goes on");
                });
                Run run = new Run(signal);
                if (cause == StopCause.CANCELLED) {
                    run(run);
                    assertThat(run.state()).isEqualTo(State.ERROR);
                } else {
                    assertThatThrownBy(() -> run(run))
                            .isInstanceOfSatisfying(
                                    StoppedException.class,
                                    stopped -> assertThat(stopped.stopCause()).isEqualTo(cause));
                    assertThat(run.state()).isEqualTo(State.WORK);
                }
                boolean unused = Thread.interrupted();
            }
        }
        assertThat(ends).hasSize(2).containsOnly("in WORK: the thing was cancelled");
    }

    @Test
    void theFirstCauseCounts() {
        stop.set(StopCause.CLOSED);
        isStopped(StopCause.CANCELLED);
        assertThatThrownBy(() -> run(new Run(stop))).isInstanceOf(StoppedException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whatIsParkedStaysWhereItIs() {
        CompletableFuture<String> until = new CompletableFuture<>();
        handlers.put(State.WORK, run -> {
            throw new ParkedException("somebody", until);
        });
        assertThatThrownBy(() -> run(new Run(stop)))
                .isInstanceOfSatisfying(
                        ParkedException.class,
                        parked -> assertThat(parked.until()).isSameAs(until));
        assertThat(rows).isEmpty();
    }

    /** What a handler in Java cannot throw, and one in another language can. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private static List<Throwable> faults() {
        return List.of(
                new IllegalStateException("it breaks"),
                new MaestroException("it breaks"),
                new StackOverflowError("it breaks"),
                new OutOfMemoryError("it breaks"),
                new NoClassDefFoundError("it breaks"),
                new IOException("it breaks"),
                new InterruptedException("it breaks"),
                new IllegalStateException() {
                    private static final long serialVersionUID = 1L;

                    @Override
                    public String getMessage() {
                        throw new IllegalStateException("it breaks");
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("faults")
    void whateverAHandlerThrowsEndsTheRun(Throwable fault) {
        handlers.put(State.WORK, run -> {
            sneak(fault);
            return new Next<>(State.DONE, "done");
        });
        run(new Run(stop));
        assertThat(rows).containsExactly(State.ERROR);
        assertThat(ends).hasSize(1);
    }

    /** It ends the run like any other failure, and once. */
    @ParameterizedTest
    @MethodSource("faults")
    void whatGoesWrongWhileAFailureIsHandledEndsTheRun(Throwable fault) {
        handlers.put(State.WORK, run -> {
            throw new IllegalArgumentException("the first failure");
        });
        onMend = () -> sneak(fault);
        run(new Run(stop));
        assertThat(rows).containsExactly(State.ERROR);
        assertThat(ends).hasSize(1);
        assertThat(failures.get(0))
                .satisfiesAnyOf(
                        failure -> assertThat(failure).isSameAs(fault),
                        failure -> assertThat(failure).hasCause(fault));
        rows.clear();
        onMend = () -> {};
        onEnd = () -> sneak(fault);
        run(new Run(stop));
        assertThat(rows).containsExactly(State.ERROR);
        assertThat(ends.get(1)).endsWith("the first failure");
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aRowThatCannotBeMadeEndsTheRunAndOneThatIsWrittenStays(Throwable fault) {
        handlers.put(State.WORK, run -> new Next<>(State.SUSPEND, "goes on"));
        onRow = () -> {
            onRow = () -> {};
            sneak(fault);
        };
        run(new Run(stop));
        assertThat(rows).containsExactly(State.ERROR);
        rows.clear();
        handlers.put(State.WORK, run -> new Next<>(State.DONE, "done"));
        onTold = () -> sneak(fault);
        run(new Run(stop));
        assertThat(rows).containsExactly(State.DONE);
        assertThat(ends).hasSize(1);
    }

    /** Otherwise a late row of another thread would put the old state over the new one. */
    @Test
    void whoWritesDuringAChangeOfStateSeesTheNewOne() throws Exception {
        Run run = new Run(stop);
        handlers.put(State.WORK, working -> new Next<>(State.DONE, "done"));
        CompletableFuture<State> seen = new CompletableFuture<>();
        Thread other = new Thread(() -> run.write(() -> seen.complete(run.state())));
        onRow = () -> {
            other.start();
            // It is at the door, or has come in, which it must not.
            while (other.getState() != Thread.State.WAITING && !seen.isDone()) {
                Thread.onSpinWait();
            }
        };
        run(run);
        assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo(State.DONE);
        other.join();
    }
}
