package io.maestro.team.internal.architect;

import io.maestro.agent.Architect;
import io.maestro.error.MaestroException;
import java.time.Duration;

/** The architect has not replied in time. */
public final class ReplyTimeoutException extends MaestroException {
    private static final long serialVersionUID = 1L;

    /** How it stands in the record. */
    static final String DECISION = "TIMEOUT";

    ReplyTimeoutException(String architect, Architect.Kind kind, Duration limit) {
        super(
                "architect " + architect + " has not replied to the " + kind + " within " + limit.toSeconds()
                        + " s (see Limits.replyTime)",
                null);
    }
}
