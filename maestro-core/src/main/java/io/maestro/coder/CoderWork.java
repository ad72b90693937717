package io.maestro.coder;

import io.maestro.tools.ToolSignal;
import java.util.List;

/** A coder's work in one state. Used by the thread of the story. */
public interface CoderWork extends AutoCloseable {
    /**
     * Works until a terminal tool's call was accepted, a budget is used up, or it is clear that more of the same will not help.
     * After a question the program may go on holding its call open; the next step then begins with the answer.
     *
     * @param news what the model must be told first: the answer to its question, the feedback of a review, why tests failed;
     *     in the order in which it came. Empty at first, and when there is none, as after a budget was granted; after a
     *     step that was interrupted, by a kill of the host, too, it is given again and says so
     * @return how the step ended; not asked for when the calling thread is interrupted, whose status is set again: the program
     *     has been ended then
     * @throws io.maestro.error.MaestroException when it cannot be done; retriable when what it needs is down for a while
     */
    Outcome work(List<String> news);

    /** Ends the program, and keeps its session so that it can be taken up again. A second call does nothing. */
    @Override
    void close();

    /** How a step ended. */
    sealed interface Outcome {
        /**
         * A call of a terminal tool was accepted.
         *
         * @param signal its signal
         */
        record Signalled(ToolSignal signal) implements Outcome {}

        /**
         * A budget is used up; more of it may help.
         *
         * @param reason which; one line
         */
        record OverBudget(String reason) implements Outcome {}

        /**
         * The program does not come to an end; more of the same will not help.
         *
         * @param reason why, and what to do
         */
        record Stuck(String reason) implements Outcome {}
    }
}
