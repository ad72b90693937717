package io.maestro.claude;

import java.time.Duration;
import java.util.Optional;

/**
 * A running CLI with one session. Safe for use by several threads.
 */
public interface ClaudeRun extends AutoCloseable {
    /**
     * The session.
     *
     * @return its id, a UUID
     */
    String sessionId();

    /**
     * Waits for the end of the current turn; of one that has ended, the result can be had again until the next one begins.
     *
     * @param atMost how long to wait; more than zero
     * @return empty when it still runs, or the calling thread was interrupted, whose status is set again
     */
    Optional<ClaudeResult> await(Duration atMost);

    /**
     * Begins the next turn after one that was {@link ClaudeResult.Ending#COMPLETED}.
     *
     * @param message what the user says; one that begins with {@code /}, {@code !}, {@code #} or {@code @} is told as text and is no command of the CLI's
     * @throws io.maestro.error.MaestroException when the turn has not ended yet, or the process has
     */
    void say(String message);

    /**
     * Ends the run as soon as the CLI has taken the result of a call of a tool, before it asks the model again. The turn is then
     * {@link ClaudeResult.Ending#ENDED}, and the session complete on disk.
     *
     * @param toolUseId the call, which need not have been answered yet
     */
    void endAfter(String toolUseId);

    /**
     * The use of a tool in the main conversation that a call over MCP belongs to. The CLI offers the tools of a server to its
     * sub-agents, too, and a call does not say from whom it is: it is the main conversation's when the CLI has said there that
     * the model uses the tool. Where a call does not say to which use it belongs, it is that of the only one without a result.
     *
     * @param id the call's id, as {@link io.maestro.mcp.McpCall#id} has it
     * @param tool the tool's name, as the server has it
     * @param atMost how long to wait for the CLI to say so; zero or more
     * @return the id of the use; empty for a call of a sub-agent, and when the calling thread was interrupted, whose status is set
     *     again
     */
    Optional<String> mainUse(String id, String tool, Duration atMost);

    /**
     * Stops the clock of the limits of time, while the CLI waits for somebody who takes his time: a tool of the host asks a
     * person. Several may do so at a time.
     */
    void suspendLimits();

    /** Lets the clock go on, once for each {@link #suspendLimits}; does nothing when it goes. */
    void resumeLimits();

    /**
     * Ends the CLI and everything that it has started, and waits until that is so, even when the calling thread is interrupted; the
     * session is complete on disk then. A {@link ClaudeListener} does not wait; a tool that the CLI has called is to use {@link
     * #endAfter} instead.
     */
    void end();

    /** Ends the CLI as {@link #end} does. A second call does nothing. */
    @Override
    void close();
}
