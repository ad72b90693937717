package io.maestro.team.internal.machine;

import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.event.MaestroEvent;
import io.maestro.internal.JvmShutdown;
import io.maestro.internal.LogContext;
import io.maestro.internal.RemoteServer;
import io.maestro.internal.Texts;
import io.maestro.record.StoreException;
import io.maestro.secrets.Redactor;
import io.maestro.telemetry.Telemetry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a table of states, for stories and for specifications alike. Its rules: a change of state is in the record before the
 * new state's work begins; a service that is down is waited for in SUSPEND, but not one that has never answered; whatever else
 * goes wrong in a state, also while a failure is handled, ends the run in ERROR, never the process; a run that is stopped for
 * another reason than a cancellation, as by the end of the JVM, writes nothing
 * more; an interrupt that has no {@link StopCause} is a failure like any other, and the thread goes on without it. Safe for use
 * by several threads, each with a run of its own.
 */
public abstract class StateMachine<S extends Enum<S>, R extends MachineRun<S>> {
    private static final Logger LOG = LoggerFactory.getLogger(StateMachine.class);

    /** So long hooks of the host may take to cancel work when the JVM is shut down, which ends commands at once. */
    private static final Duration HOOK_TIME = Duration.ofSeconds(2);

    /**
     * The states and edges.
     *
     * @param suspend where a run waits for a service that is down
     * @param error where a run ends that fails
     * @param end which states end a run
     * @param allowed whether there is an edge
     * @param check throws where there is none
     */
    public record Table<S>(S suspend, S error, Predicate<S> end, BiPredicate<S, S> allowed, BiConsumer<S, S> check) {}

    private final Table<S> table;
    private final Limits limits;
    private final Redactor redactor;
    private final Events events;

    /** A machine on a table. */
    protected StateMachine(Table<S> table, Limits limits, Redactor redactor, Events events) {
        this.table = table;
        this.limits = limits;
        this.redactor = redactor;
        this.events = events;
    }

    /**
     * Runs until the end.
     *
     * @throws StoreException when the record cannot be written: nothing more is done then
     * @throws StoppedException when the run was stopped and not cancelled: it stays where it stands
     * @throws ParkedException when the run waits for something that may take days: it stays where it stands
     */
    protected final void runToEnd(R run) {
        try (LogContext context = new LogContext().with(LogContext.STORY, run.id());
                Telemetry.Span span = events.telemetry().start(agent(run), Instant.now());
                Telemetry.Scope scope = span.enter()) {
            while (!table.end().test(run.state())) {
                context.with(LogContext.STATE, run.state().name());
                advance(run);
            }
            if (run.state().equals(table.error())) {
                span.failed("ERROR");
            }
        } finally {
            Optional<String> unused = run.stop().dropStray();
        }
    }

    /** Who works on it, for traces. */
    protected abstract Telemetry.Operation agent(R run);

    /** The work of a state; null when the machine has none. SUSPEND is the machine's own. */
    protected abstract @Nullable StateHandler<S, R> handler(S state);

    /** Looks at a step before it is taken. */
    protected void check(R run, Next<S> next) {}

    /** What to do about a failure that the run can mend by itself; empty when there is nothing. */
    protected Optional<Next<S>> mended(R run, RuntimeException failure) {
        return Optional.empty();
    }

    /**
     * Notes how the run ends, in the run, before anything else: the run ends all the same where this throws something else than a
     * {@link StoreException}.
     *
     * @param failure a {@link CancelledException} when the host has cancelled it
     * @param message what has gone wrong, without secrets
     */
    protected abstract void ended(R run, Throwable failure, String message);

    /** Writes a change of state together with the run. */
    protected abstract void record(R run, Next<S> next, String reason);

    /** Tells of a change of state. */
    protected abstract MaestroEvent changed(R run, S from, S to, String reason);

    private void advance(R run) {
        Next<S> next = step(run);
        // Neither the record nor the next state suffers from it.
        Optional<String> unused = run.stop().dropStray();
        try {
            go(run, next);
        } catch (StoreException e) {
            throw e;
        } catch (Throwable e) {
            if (table.end().test(next.state())) {
                throw e;
            }
            go(run, failed(run, e, false));
        }
    }

    private Next<S> step(R run) {
        try {
            run.stop().check();
            Next<S> next = work(run);
            if (!table.end().test(next.state())) {
                // What a cancelled state says is not to be trusted: its commands were killed.
                run.stop().check();
            }
            check(run, next);
            table.check().accept(run.state(), next.state());
            return next;
        } catch (StoreException e) {
            throw e;
        } catch (ParkedException e) {
            if (run.stop().cause().isPresent()) {
                // Nobody would wake it.
                return failed(run, e, false);
            }
            throw e;
        } catch (Throwable e) { // also what a host's code must not throw
            return failed(run, e, true);
        }
    }

    private Next<S> work(R run) {
        if (run.state() == table.suspend()) {
            return tryAgain(run);
        }
        StateHandler<S, R> handler = handler(run.state());
        if (handler == null) {
            throw new IllegalStateException("no handler for state " + run.state());
        }
        Next<S> next = handler.handle(run);
        if (run.outage().cause() != null) {
            LOG.info("{}: what was down answers again", run);
        }
        run.outage().ended();
        return next;
    }

    /** @param mends whether the run may mend the failure by itself */
    private Next<S> failed(R run, Throwable failure, boolean mends) {
        boolean shutdown = JvmShutdown.hasBegun();
        if (shutdown && run.stop().causeWithin(HOOK_TIME).isEmpty()) {
            throw new StoppedException(run.toString(), run.state(), StopCause.CLOSED);
        }
        Optional<String> interrupter = run.stop().dropStray();
        StopCause cause = run.stop().cause().orElse(null);
        if (cause == StopCause.CANCELLED) {
            return end(run, new CancelledException(run.kind(), run.stop().why()));
        }
        if (cause != null) {
            throw new StoppedException(run.toString(), run.state(), cause);
        }
        if (interrupter.isPresent()
                || failure instanceof InterruptedException
                || failure instanceof CancelledException) {
            return end(run, interrupted(run, interrupter.orElse("something unknown"), failure));
        }
        if (failure instanceof RetriableException retriable
                && table.allowed().test(run.state(), table.suspend())
                && (run.isTakenUp() || !RemoteServer.isFirstContact(failure))) {
            return suspended(run, retriable);
        }
        if (mends && failure instanceof RuntimeException exception) {
            try {
                Optional<Next<S>> mended = mended(run, exception);
                if (mended.isPresent()) {
                    return mended.get();
                }
            } catch (StoreException e) {
                throw e;
            } catch (Throwable e) {
                return failed(run, e, false);
            }
        }
        return end(run, failure);
    }

    private static MaestroException interrupted(MachineRun<?> run, String interrupter, Throwable failure) {
        String met = failure instanceof CancelledException ? "" : "; it ended with " + Texts.describe(failure);
        return new MaestroException(
                "the thread of " + run + " was interrupted by " + interrupter
                        + ", and not by Maestro: nothing was cancelled, closed or lost" + met,
                failure);
    }

    private Next<S> end(R run, Throwable failure) {
        String message = message(failure);
        if (!(failure instanceof CancelledException)) {
            LOG.warn("{} failed in {}: {}", run, run.state(), message);
        }
        try {
            ended(run, failure, "in " + run.state() + ": " + message);
            if (LOG.isDebugEnabled() && !(failure instanceof CancelledException)) {
                LOG.debug("{} failed: {}", run, redactor.redact(Texts.stackTrace(failure)));
            }
        } catch (StoreException e) {
            throw e;
        } catch (Throwable e) {
            LOG.warn("{} ends, but not all that belongs to its end was done: {}", run, message(e));
        }
        return new Next<>(table.error(), message);
    }

    /** Maestro's own messages say it all; of a foreign exception one wants to know what it is. */
    private String message(Throwable failure) {
        try {
            return redactor.redact(String.valueOf(
                    failure instanceof MaestroException ? failure.getMessage() : Texts.describe(failure)));
        } catch (RuntimeException | Error e) {
            return failure.getClass().getName() + " (its message cannot be read)";
        }
    }

    private Next<S> suspended(R run, RetriableException failure) {
        String shown = redactor.redact(String.valueOf(failure.getMessage()));
        run.outage().failed(failure, run.workedAt(failure));
        run.suspendIn(run.state(), shown);
        return new Next<>(
                table.suspend(),
                shown + " (tried again for up to " + limits.suspendTime().toSeconds() + " s)");
    }

    /** SUSPEND: waits, then goes back to where the run was, which tries again. */
    private Next<S> tryAgain(R run) {
        S back = run.suspendedIn();
        if (back == null) {
            throw new IllegalStateException(run + " is suspended, but nothing says from where");
        }
        RetriableException failure = run.outage().cause();
        if (failure == null) {
            return new Next<>(back, "goes on");
        }
        Outage.Pause pause = run.outage().pause(limits.suspendTime(), limits.suspendInterval());
        if (pause == null) {
            throw new MaestroException(
                    "gave up after " + limits.suspendTime().toSeconds() + " s in SUSPEND: " + failure.getMessage(),
                    failure);
        }
        try {
            Thread.sleep(Math.max(1, TimeUnit.MILLISECONDS.convert(pause.time())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException();
        }
        run.outage().waited(pause);
        return new Next<>(back, "tries again");
    }

    private void go(R run, Next<S> next) {
        S from = run.state();
        String reason = redactor.redact(next.reason().lines().findFirst().orElse(""));
        run.move(next.state(), () -> record(run, next, reason));
        boolean suspends = next.state().equals(table.suspend());
        boolean triesAgain = from.equals(table.suspend()) && !table.end().test(next.state());
        if (suspends ? run.outage().isWorthALine() : !triesAgain) {
            LOG.info("{}: {} -> {} ({})", run, from, next.state(), reason);
        } else {
            LOG.debug("{}: {} -> {} ({})", run, from, next.state(), reason);
        }
        try {
            events.onEvent(changed(run, from, next.state(), reason));
            next.events().forEach(events::onEvent);
        } catch (Throwable e) { // the row is written: the run goes on with it
            LOG.warn("listeners of {} miss what has happened", run, e);
        }
    }
}
