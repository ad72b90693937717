package io.maestro.team.internal.coder;

import io.maestro.agent.Architect;
import io.maestro.agent.CoderState;
import io.maestro.audit.Store;
import io.maestro.git.Forge;
import io.maestro.git.internal.GitRepository;
import io.maestro.team.internal.architect.Effects;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** AWAIT_MERGE: the architect decides on the merge, and the forge makes it. */
public final class AwaitMergeHandler implements StateHandler<CoderState, StoryRun> {
    private final Effects effects;
    private final GitRepository git;
    private final Forge forge;
    private final Store store;

    public AwaitMergeHandler(Effects effects, GitRepository git, Forge forge, Store store) {
        this.effects = effects;
        this.git = git;
        this.forge = forge;
        this.store = store;
    }

    @Override
    public Next<CoderState> handle(StoryRun run) {
        Forge.Proposal proposal = PrepareMergeHandler.proposal(git, run);
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(
                Architect.Request.MERGE,
                "commit " + proposal.commit() + " on " + proposal.branch() + " into " + proposal.targetBranch());
        facts.put(Architect.Request.TESTS, run.testReport());
        Architect.Reply reply = effects.ask(run, Architect.Kind.MERGE, facts);
        if (!Verdict.forward(run, reply, "the merge")) {
            return new Next<>(CoderState.CODING, "the architect wants changes before the merge");
        }
        run.merging(store);
        Forge.Outcome outcome = forge.merge(proposal);
        if (outcome instanceof Forge.Outcome.Merged merged) {
            run.merged(merged.commit());
            ImageAdoption.of(run);
            return new Next<>(CoderState.DONE, "merged into " + proposal.targetBranch() + " as " + merged.commit());
        }
        run.notMerged();
        List<String> files = run.workspace().integrate();
        // Clean here means that the target has moved once more; CODING is where the coder looks at it either way.
        return Conflicts.back(run, files.isEmpty() ? ((Forge.Outcome.Conflict) outcome).files() : files);
    }
}
