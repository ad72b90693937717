package io.maestro.team.internal.coder;

import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.git.Forge;
import io.maestro.internal.Threads;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.TestOutcome;
import io.maestro.team.internal.architect.Effects;
import io.maestro.team.internal.dispatch.MergeTurns;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.team.internal.machine.StateHandler;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * AWAIT_MERGE: the architect decides on the merge, and the forge makes it when it is the story's turn. A target branch that has
 * moved meanwhile sends the story back to PREPARE_MERGE, as often as it takes: what is merged was tested together with it, or is
 * said to be UNTESTED.
 */
final class AwaitMergeHandler implements StateHandler<CoderState, StoryAttempt> {
    private final Effects effects;
    private final StoryProposal proposals;
    private final Forge forge;
    private final ForgeBell bell;
    private final MergeTurns turns;
    private final AheadTests ahead;
    private final Store store;
    private final Limits limits;

    AwaitMergeHandler(
            Effects effects,
            StoryProposal proposals,
            Forge forge,
            ForgeBell bell,
            MergeTurns turns,
            AheadTests ahead,
            Store store,
            Limits limits) {
        this.effects = effects;
        this.proposals = proposals;
        this.forge = forge;
        this.bell = bell;
        this.turns = turns;
        this.ahead = ahead;
        this.store = store;
        this.limits = limits;
    }

    @Override
    public Next<CoderState> handle(StoryAttempt run) {
        Forge.Proposal proposal = proposals.of(run);
        if (!isAgreed(run, proposal)) {
            return new Next<>(CoderState.CODING, "the architect wants changes before the merge");
        }
        ahead.run(run);
        turns.take(run.story().id(), run.attempt(), run.agentId(), proposal.targetBranch());
        run.merging(store);
        Forge.Outcome outcome = run.stop().calling("the forge " + forge.id(), () -> settled(proposal));
        if (outcome instanceof Forge.Outcome.Merged merged) {
            run.merged(merged.commit());
            ImageApproval.of(run);
            String tests = run.work().tests() == TestOutcome.UNTESTED ? ", UNTESTED" : "";
            return new Next<>(
                    CoderState.DONE, "merged into " + proposal.targetBranch() + " as " + merged.commit() + tests);
        }
        run.notMerged();
        if (outcome instanceof Forge.Outcome.Moved moved) {
            return new Next<>(
                    CoderState.PREPARE_MERGE,
                    proposal.targetBranch() + " has moved since the tests ran, to " + moved.tip());
        }
        if (outcome instanceof Forge.Outcome.Refused refused) {
            run.guidance()
                    .tell("Your change was not merged:\n\n" + refused.feedback()
                            + "\n\nMend that, then call `done` again.");
            return new Next<>(CoderState.CODING, "the forge wants changes before the merge");
        }
        throw new ClosedByOthersException(((Forge.Outcome.Closed) outcome).reason());
    }

    /** Whether the architect agrees to the merge. {@link ReviewedWork} says when it is asked again. */
    private boolean isAgreed(StoryAttempt run, Forge.Proposal proposal) {
        if (!run.work().isAgreed()) {
            // Who decides may take long.
            turns.end(run.story().id(), MergeTurns.TurnEnd.ASIDE);
            Map<String, String> facts = new LinkedHashMap<>();
            facts.put(
                    Architect.Request.MERGE,
                    "commit " + proposal.commit() + " on " + proposal.branch() + " into " + proposal.targetBranch());
            facts.put(Architect.Request.TESTS, run.work().testReport());
            boolean agreed = run.approved(effects.ask(run, Architect.Kind.MERGE, facts), "the merge");
            // A story that is parked for its turn is not to ask again when it comes.
            run.save(store, () -> run.work().decided(agreed));
        }
        return run.work().isAgreed();
    }

    /** Asks the forge until it has decided. A story that waits long is parked, and at once where others wait for their turn. */
    private Forge.Outcome settled(Forge.Proposal proposal) {
        // The host may have set the longest time there is: then the sum wraps round, and the difference does again.
        long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(limits.parkAfter());
        while (true) {
            CompletableFuture<?> ring = bell.next();
            Forge.Outcome outcome = forge.merge(proposal);
            if (!(outcome instanceof Forge.Outcome.Pending pending)) {
                return outcome;
            }
            long again = pending.again().toNanos();
            if (System.nanoTime() + again - deadline > 0 || turns.isWanted(proposal.targetBranch())) {
                String reason = pending.reason().isEmpty() ? "" : ": " + pending.reason();
                throw new ParkedException(
                        "the forge" + reason, CompletableFuture.anyOf(Threads.after(pending.again()), ring));
            }
            await(ring, again);
        }
    }

    private static void await(CompletableFuture<?> ring, long nanos) {
        try {
            Object unused = ring.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            // It is time to ask again.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a bell does not fail", e);
        }
    }
}
