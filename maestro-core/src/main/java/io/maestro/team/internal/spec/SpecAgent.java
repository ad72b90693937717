package io.maestro.team.internal.spec;

import io.maestro.agent.ArchitectTransitions;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.RecordedText;
import io.maestro.record.internal.Store;
import io.maestro.story.ArchitectState;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;
import io.maestro.team.internal.machine.StateMachine;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.telemetry.Telemetry;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Drives a specification through the states of an architect. A change of state, and the stories that come of it, are in the
 * record before the new state's work begins; so a new process goes on where the last one was killed. Safe for use by several
 * threads, each with a specification of its own, which the caller has leased.
 */
public final class SpecAgent extends StateMachine<ArchitectState, SpecRun> {
    private final SpecServices services;
    private final Store store;
    private final SpecStories stories;
    private final MonitoringHandler monitoring;
    private final Map<ArchitectState, StateHandler<ArchitectState, SpecRun>> handlers =
            new EnumMap<>(ArchitectState.class);

    /** An architect at work on specifications. */
    public SpecAgent(SpecServices services) {
        super(
                new Table<>(
                        ArchitectState.SUSPEND,
                        ArchitectState.ERROR,
                        ArchitectState::isFinal,
                        ArchitectTransitions::isAllowed,
                        ArchitectTransitions::check),
                services.resources().settings().limits(),
                services.resources().redactor(),
                services.events());
        this.services = services;
        this.store = services.resources().store();
        this.stories =
                new SpecStories(store, services.leases(), services.resources().sessionId());
        SpecContexts contexts = new SpecContexts(services);
        this.monitoring = new MonitoringHandler(services);
        handlers.put(ArchitectState.WAITING, this::begin);
        handlers.put(ArchitectState.SCOPING, new ScopingHandler(services, contexts, stories));
        handlers.put(ArchitectState.DISPATCHING, run -> {
            monitoring.watch(run);
            return new Next<>(ArchitectState.MONITORING, run.watched.size() + " stories are not done");
        });
        handlers.put(ArchitectState.MONITORING, monitoring);
        handlers.put(ArchitectState.EDITING, new EditingHandler(services, contexts, stories));
    }

    /**
     * Works on a specification to its end. One that is known goes on where it was left; one that failed or was cancelled
     * begins again with what is not done of it; one that is done is not done again. A cancellation ends its stories, too.
     *
     * @throws MaestroException when it cannot be begun: it is known with another text, or its id is taken by stories; and
     *     when it was stopped and has not ended, see {@link StateMachine}
     * @throws io.maestro.record.StoreException when the record cannot be written: nothing more is done then
     */
    SpecResult run(Spec spec, StopSignal stop) {
        Optional<AuditLog.SpecRecord> known = store.spec(spec.id());
        known.ifPresent(before -> requireSame(before, spec));
        if (known.isPresent() && known.get().state() == ArchitectState.DONE) {
            return SpecReports.result(
                    store, services.resources().settings().agents().prices()::cost, known.get());
        }
        SpecRun run = known.isPresent() ? open(known.get(), spec, stop) : accept(spec, stop);
        try {
            runToEnd(run);
        } finally {
            run.endConversation();
        }
        return SpecReports.result(
                store,
                services.resources().settings().agents().prices()::cost,
                store.spec(spec.id()).orElseThrow());
    }

    /** What became of a specification that has ended; empty while it has not. */
    Optional<SpecResult> result(String specId) {
        return store.spec(specId)
                .filter(spec -> spec.state().isFinal())
                .map(spec -> SpecReports.result(
                        store, services.resources().settings().agents().prices()::cost, spec));
    }

    private void requireSame(AuditLog.SpecRecord before, Spec spec) {
        if (!RecordedText.isSame(
                        before.content(), spec.content(), services.resources().redactor())
                || !RecordedText.isSame(
                        before.title(), spec.title(), services.resources().redactor())) {
            throw new MaestroException("specification " + spec.id() + " is known already, with another text ('"
                    + before.title() + "'); give the new one an id of its own");
        }
    }

    private SpecRun accept(Spec spec, StopSignal stop) {
        SpecRun run = new SpecRun(spec, new SpecProgress(), ArchitectState.WAITING, stop);
        run.progress.begin(services.notes().newest());
        store.saveSpec(run.toRecord(services.resources().sessionId(), run.state()));
        return run;
    }

    /** Goes on with what an earlier life has left, or begins again with what is not done. */
    private SpecRun open(AuditLog.SpecRecord before, Spec spec, StopSignal stop) {
        SpecProgress progress = SpecProgress.fromJson(before.data());
        boolean ended = before.state() == ArchitectState.ERROR;
        SpecRun run = new SpecRun(spec, progress, ended ? ArchitectState.WAITING : before.state(), stop);
        if (ended) {
            progress.beginAgain();
            store.saveSpec(run.toRecord(services.resources().sessionId(), run.state()));
        }
        // Each row by itself: whoever is killed here finds the rest still to be done.
        boolean again = run.state() == ArchitectState.WAITING;
        for (AuditLog.StoryRecord story : stories.requeued(run, again)) {
            if (!stories.save(story)) {
                continue;
            }
            services.events()
                    .onEvent(new MaestroEvent.StoryRequeued(
                            spec.id(),
                            story.id(),
                            services.architectId(),
                            story.title(),
                            story.attempt(),
                            Instant.now()));
        }
        if (again) {
            progress.forgetGivenUp();
        }
        return run;
    }

    /** WAITING: a specification whose stories are made already is not cut again. */
    private Next<ArchitectState> begin(SpecRun run) {
        int made = store.storiesOf(run.spec.id()).size();
        if (made > 0) {
            return new Next<>(ArchitectState.DISPATCHING, "goes on with its " + made + " stories");
        }
        run.progress.visit();
        return new Next<>(ArchitectState.SCOPING, "taken by " + services.architectId());
    }

    @Override
    protected @Nullable StateHandler<ArchitectState, SpecRun> handler(ArchitectState state) {
        return handlers.get(state);
    }

    @Override
    protected void ended(SpecRun run, Throwable failure, String message) {
        // Throws when another process leads now: the stories are none of this one's business any more.
        store.saveSpec(run.toRecord(services.resources().sessionId(), run.state()));
        run.ended(
                failure instanceof CancelledException ? SpecResult.Outcome.CANCELLED : SpecResult.Outcome.FAILED,
                message);
        if (failure instanceof CancelledException) {
            // Also those that an earlier life has left, or that nobody has watched yet.
            monitoring.watch(run);
        }
        StoryCancellation.cancelAll(run, services.stories(), run.stop().why());
    }

    @Override
    protected void record(SpecRun run, Next<ArchitectState> next, String reason) {
        store.recordSpecTransition(
                new AuditLog.SpecTransition(
                        services.resources().sessionId(),
                        run.spec.id(),
                        services.architectId(),
                        run.state(),
                        next.state(),
                        reason,
                        Instant.now()),
                run.toRecord(services.resources().sessionId(), next.state()),
                next.stories());
    }

    @Override
    protected Telemetry.Operation agent(SpecRun run) {
        return new Telemetry.Operation(
                Telemetry.Kind.AGENT, services.architectId(), run.spec.id(), services.architectId(), 1, "", null);
    }

    @Override
    protected MaestroEvent changed(SpecRun run, ArchitectState from, ArchitectState to, String reason) {
        return new MaestroEvent.SpecStateChanged(
                run.spec.id(), services.architectId(), from, to, reason, Instant.now());
    }
}
