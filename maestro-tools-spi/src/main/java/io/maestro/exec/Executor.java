package io.maestro.exec;

/**
 * Runs commands somewhere: on this machine, or in a container. Implementations are safe for use by several threads; each
 * call of {@link #run} is a process tree of its own.
 *
 * <p>What every implementation promises (tested by the contract suite {@code ExecutorContract} in
 * {@code maestro-testkit}):
 * <ul>
 *   <li>A command that ran is a result, whatever its exit code; stdout, stderr and the exit code are never lost.
 *   <li>Standard input is closed after the given bytes, so that a program that reads it ends.
 *   <li>At the time limit, or when the calling thread is interrupted, the whole process tree is killed, and the output so
 *       far is returned with {@link ExecResult.Ending#TIMED_OUT} or {@link ExecResult.Ending#CANCELLED}. In the second
 *       case the thread's interrupt status is set again.
 *   <li>Output beyond the limit is counted, not kept: memory is bounded.
 * </ul>
 */
public interface Executor {
    /**
     * Runs a command and waits until it has ended.
     *
     * @param request what to run
     * @return how it ended and what it printed
     * @throws ExecException when the command could not be started (no such program, no such directory)
     */
    ExecResult run(ExecRequest request);

    /**
     * Starts a command that its caller talks with while it runs. The bytes of {@link ExecRequest#stdin()} reach it first; its
     * input stays open then. The output limit does not apply, the time limit does.
     *
     * @param request what to run
     * @return the running command; close it
     * @throws ExecException when the command could not be started, or this executor cannot do this, which is so unless an
     *     implementation says otherwise
     */
    default ExecProcess start(ExecRequest request) {
        throw new ExecException(
                "cannot start '" + request.command().get(0) + "': " + getClass().getName()
                        + " runs commands only to their end; use run, or another executor",
                null);
    }

    /**
     * Ends what commands of a host that was killed have left running in this executor's working directory. To be called
     * before the directory is used anew, and only for one that nobody else's executor uses: its commands would be taken for
     * leftovers. Commands that this process is running are not touched.
     *
     * <p>Does nothing unless an implementation says otherwise.
     *
     * @throws ExecException when some cannot be ended; its message names them
     */
    default void endLeftovers() {}

    /**
     * The directory on this executor's file system that relative working directories start from, for example
     * {@code /workspace} in a container.
     *
     * @return an absolute path in the executor's own notation
     */
    String workingDirectory();
}
