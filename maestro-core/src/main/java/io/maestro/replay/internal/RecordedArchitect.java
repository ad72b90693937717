package io.maestro.replay.internal;

import io.maestro.agent.Architect;
import io.maestro.error.MaestroException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Replies what was replied, whoever did; what was not asked then, somebody else may answer. */
public record RecordedArchitect(
        Recording recording,
        RecordedTarget target,
        @Nullable Architect next) implements Architect {
    @Override
    public String id() {
        return next == null ? "recorded" : next.id();
    }

    @Override
    public Reply reply(Request request) {
        target.moveOn();
        // What was decided then was about another change.
        return (target.isForked() ? Optional.<Reply>empty() : recording.reply(request))
                .map(reply -> new Reply(request.id(), reply.decision(), reply.message(), reply.plan()))
                .orElseGet(() -> {
                    if (next == null) {
                        throw new MaestroException(
                                "the replay asks for a " + request.kind() + " at step " + request.step()
                                        + ", which the record has no reply to: it has taken another way than the recorded run",
                                null);
                    }
                    return next.reply(request);
                });
    }
}
