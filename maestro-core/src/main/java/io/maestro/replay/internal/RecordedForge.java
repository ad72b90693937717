package io.maestro.replay.internal;

import io.maestro.git.Forge;
import io.maestro.git.LocalForge;
import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import java.util.Optional;

/** Merges into the target branch of a replay, and refuses what people and checks have refused then. */
public record RecordedForge(RecordedTarget target, Forge local) implements Forge {
    /** Merges with git alone. */
    public RecordedForge(RecordedTarget target) {
        this(target, new LocalForge());
    }

    @Override
    public String id() {
        return "recorded";
    }

    @Override
    public Optional<String> propose(Proposal proposal) {
        return local.propose(proposal);
    }

    @Override
    public Outcome merge(Proposal proposal) {
        if (target.isForked()) {
            return local.merge(proposal);
        }
        Optional<AuditLog.StateTransition> then = target.afterMerge();
        CoderState to = then.map(AuditLog.StateTransition::to).orElse(CoderState.DONE);
        String reason = then.map(AuditLog.StateTransition::reason).orElse("");
        if (then.isEmpty() && !target.isMerged()) {
            return new Outcome.Closed("the recorded story was not merged; its record ends while it waited for that");
        }
        return switch (to) {
            case CODING -> new Outcome.Refused(reason);
            case ERROR -> new Outcome.Closed(reason);
            case PREPARE_MERGE -> {
                target.moveOn();
                yield local.merge(proposal);
            }
            default -> local.merge(proposal);
        };
    }
}
