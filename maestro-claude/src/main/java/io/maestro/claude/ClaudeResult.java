package io.maestro.claude;

import java.math.BigDecimal;
import java.util.OptionalInt;

/**
 * How a turn of the CLI ended.
 *
 * @param ending what it came to; nothing but {@link Ending#COMPLETED} and {@link Ending#ENDED} is good
 * @param text the last text of the model, or what went wrong: for people, and for the record
 * @param turns how many turns it took, as far as the CLI has said so
 * @param cost in US dollars since the process began, as far as the CLI has said so
 * @param exitCode empty while the process still runs
 * @param apiStatus the HTTP status with which the API has refused; 0 when it has not, or was not reached
 * @param apiError the CLI's word for why the API has given no answer, for example {@code authentication_failed}, {@code
 *     billing_error} or {@code server_error}; empty when it has
 */
public record ClaudeResult(
        Ending ending, String text, int turns, BigDecimal cost, OptionalInt exitCode, int apiStatus, String apiError) {
    /** What a turn came to. */
    public enum Ending {
        /** A result without an error: the model has ended its turn. The process waits for the next message. */
        COMPLETED,
        /** The host has ended it, by {@link ClaudeRun#endAfter} or {@link ClaudeRun#end}; the session is complete on disk. */
        ENDED,
        /** A result with an error: the API, or the CLI itself, has failed. */
        FAILED,
        /** The model refuses to go on with this session; the CLI says that another one may do. */
        REFUSED,
        /** The limit of turns is used up. */
        MAX_TURNS,
        /** The limit of money is used up. */
        MAX_BUDGET,
        /** The session that was to be resumed is not there. */
        UNKNOWN_SESSION,
        /** The session that was to be begun is there already. */
        SESSION_EXISTS,
        /** Nothing came for too long, although nothing was in flight. */
        STALLED,
        /** The limit of time for the whole run is used up. */
        TIMED_OUT,
        /** A tool has run that the {@linkplain ClaudeCode.Builder#toolGate gate} was not asked for; the process was killed. */
        GATE_BYPASSED,
        /** It ended without a result, whatever its exit code. */
        CRASHED
    }
}
