package io.maestro.team.internal.spec;

import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.internal.Threads;
import io.maestro.llm.Usage;
import io.maestro.record.StoreException;
import io.maestro.record.StoreUnavailableException;
import io.maestro.record.internal.LeaseLostException;
import io.maestro.record.internal.Store;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.team.internal.dispatch.CancelWatch;
import io.maestro.team.internal.dispatch.Dispatcher;
import io.maestro.team.internal.dispatch.LeaseKeeper;
import io.maestro.team.internal.dispatch.Outages;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.team.internal.machine.StoppedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The specifications that are worked on in this Maestro, each on a thread of its own. One process at a time leads a
 * specification; others that were given it help with its stories, and take it over when its lease expires. Safe for use by
 * several threads.
 */
public final class SpecDispatcher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpecDispatcher.class);

    /** How soon it is seen what other processes have done. */
    private static final Duration POLL = Duration.ofMillis(500);

    /** Beyond the time that its stories take to end. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(90);

    private final SpecAgent agent;
    private final Store store;
    private final Dispatcher dispatcher;
    private final LeaseKeeper leases;
    private final ExecutorService threads = Threads.newExecutor("maestro-spec");
    private final Map<String, RunningSpec> specs = new ConcurrentHashMap<>();
    private volatile boolean closed;

    public SpecDispatcher(SpecAgent agent, Store store, Dispatcher dispatcher, LeaseKeeper leases) {
        this.agent = agent;
        this.store = store;
        this.dispatcher = dispatcher;
        this.leases = leases;
    }

    /**
     * Starts to work on a specification.
     *
     * @throws MaestroException when it is worked on in this Maestro already, or this is closed
     */
    public RunningSpec submit(Spec spec, MaestroListener listener) {
        long before = wishesDoneBefore(spec);
        RunningSpec running = new RunningSpec(spec, leases, (own, stop) -> work(spec, own, before, stop));
        running.listen(listener);
        if (specs.putIfAbsent(spec.id(), running) != null) {
            throw new MaestroException("specification " + spec.id() + " is worked on already in this Maestro");
        }
        try {
            if (closed) {
                throw new RejectedExecutionException();
            }
            threads.execute(running);
        } catch (RuntimeException | Error e) {
            MaestroException refused = closed
                    ? new MaestroException(
                            "this Maestro is closed; build a new one to work on specification " + spec.id())
                    : new MaestroException("specification " + spec.id() + " cannot be begun: " + e, e);
            specs.remove(spec.id(), running);
            // Whoever closes this at the same time waits for all that he has seen.
            running.fail(refused);
            throw refused;
        }
        return running;
    }

    /** Starts to work on a specification, unless that is done already. */
    public RunningSpec resume(Spec spec, MaestroListener listener) {
        RunningSpec open = specs.get(spec.id());
        if (open == null) {
            return submit(spec, listener);
        }
        open.listen(listener);
        return open;
    }

    /** Ends the work on a specification that is worked on here; false when it is another one, to which nothing happens. */
    public boolean cancel(String specId) {
        RunningSpec running = specs.get(specId);
        if (running != null) {
            running.cancel();
        }
        return running != null;
    }

    /** What ends each specification that is led here, by what is leased for it; see {@link CancelWatch}. */
    public Map<String, Consumer<String>> ends() {
        Map<String, Consumer<String>> ends = new HashMap<>();
        specs.values().stream().filter(RunningSpec::isLed).forEach(running -> ends.put(running.id(), running::cancel));
        return ends;
    }

    public void tell(MaestroEvent event) {
        specs.values().forEach(running -> running.onEvent(event));
    }

    private SpecResult work(Spec spec, RunningSpec running, long before, StopSignal stop) {
        Outages outages = new Outages();
        try {
            while (true) {
                StoreUnavailableException down = null;
                try {
                    if (running.acquire()) {
                        outages.ended();
                        Optional<SpecResult> result = lead(spec, running, before, stop);
                        if (result.isPresent()) {
                            return result.get();
                        }
                    }
                    store.storiesOf(spec.id()).stream()
                            .filter(story -> !story.state().isFinal())
                            .forEach(story -> dispatcher.watch(story.id(), event -> {}));
                    outages.ended();
                } catch (StoreUnavailableException e) {
                    if (!outages.mayPass(e)) {
                        throw e;
                    }
                    down = e;
                }
                if (isStopped(spec, outages.pause().orElse(POLL), stop)) {
                    if (down != null) {
                        throw down;
                    }
                    return leftToOthers(spec);
                }
            }
        } finally {
            specs.remove(spec.id(), running);
        }
    }

    /** Waits until it is worth while to look again; true when this one does not wait any more. */
    private static boolean isStopped(Spec spec, Duration pause, StopSignal stop) {
        try {
            TimeUnit.NANOSECONDS.sleep(pause.toNanos());
            return false;
        } catch (InterruptedException e) {
            if (stop.cause().equals(Optional.of(StopCause.CLOSED))) {
                throw new StoppedException("specification " + spec.id(), "another process", StopCause.CLOSED);
            }
            return stop.cause().isPresent();
        }
    }

    /** Empty when another process has taken the lead. */
    private Optional<SpecResult> lead(Spec spec, RunningSpec running, long before, StopSignal stop) {
        StopSignal lead = running.lead(stop);
        try {
            Optional<SpecResult> ended = wishesDone(spec) > before ? agent.result(spec.id()) : Optional.empty();
            if (ended.isPresent()) {
                // Whoever has led it until now was to end it: it is not begun again here.
                return ended;
            }
            store.cancellations().open(spec.id()).ifPresent(cancellation -> running.cancel(cancellation.by()));
            return Optional.of(agent.run(spec, lead));
        } catch (LeaseLostException e) {
            return ledElsewhere(spec, stop, e);
        } catch (StoppedException e) {
            if (e.stopCause() != StopCause.LEASE_LOST) {
                throw e;
            }
            return ledElsewhere(spec, stop, e);
        } finally {
            running.follow();
        }
    }

    private long wishesDoneBefore(Spec spec) {
        try {
            return wishesDone(spec);
        } catch (StoreException e) {
            // Whatever keeps it from being begun comes with its result.
            return Long.MAX_VALUE;
        }
    }

    /** How often it has ended because somebody wanted that. */
    private long wishesDone(Spec spec) {
        int all = store.cancellations().of(spec.id()).size();
        return store.cancellations().open(spec.id()).isPresent() ? all - 1 : all;
    }

    /** The interrupt was meant for the lead, not for the help that this process goes on to give, unless that is to stop, too. */
    private static Optional<SpecResult> ledElsewhere(Spec spec, StopSignal stop, MaestroException why) {
        LOG.warn("specification {} is led elsewhere: {}", spec.id(), why.getMessage());
        Thread.interrupted();
        if (stop.cause().isPresent()) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }

    private SpecResult leftToOthers(Spec spec) {
        return new SpecResult(
                spec.id(),
                spec.title(),
                SpecResult.Outcome.CANCELLED,
                List.of(),
                Usage.NONE,
                Optional.empty(),
                Duration.ZERO,
                Optional.of("cancelled here; another process works on it"));
    }

    /** Begins nothing any more, and stops what is worked on and its stories, all of which stays where it stands. */
    private List<RunningSpec> stop() {
        closed = true;
        List<RunningSpec> open = new ArrayList<>(specs.values());
        open.forEach(running -> running.stop(StopCause.CLOSED));
        // Not before: a specification whose stories stop is not to take that for their failure.
        dispatcher.stop();
        return open;
    }

    /** Whether the calling thread is that of a specification. */
    public boolean runsHere() {
        return specs.values().stream().anyMatch(running -> running.runsHere());
    }

    /** Stops what is worked on, and waits until it has stopped. */
    @Override
    public void close() {
        List<RunningSpec> open = stop();
        long deadline = System.nanoTime() + CLOSE_LIMIT.toNanos();
        // The thread of a specification cannot wait for its own end, nor that of a story for its specification's.
        boolean inside = dispatcher.runsHere() || runsHere();
        for (RunningSpec running : inside ? List.<RunningSpec>of() : open) {
            if (!running.awaitEnd(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())))) {
                LOG.warn("specification {} has not stopped after {} s", running.id(), CLOSE_LIMIT.toSeconds());
            }
        }
        threads.shutdownNow();
    }
}
