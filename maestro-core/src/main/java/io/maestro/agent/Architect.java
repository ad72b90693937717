package io.maestro.agent;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who answers a coder, reviews its plan and its change, and decides on budget and merge. By default an agent with a model
 * of its own; a host may put a person or a rule in its place ({@code Maestro.builder().architect(…)}). Called by the threads
 * of several coders at the same time.
 */
public interface Architect {
    /**
     * Names it, for the record.
     *
     * @return for example {@code architect-001}
     */
    String id();

    /**
     * Replies to a coder. Blocks until there is a reply; the coder waits, but no longer than {@link Limits#replyTime}: then
     * the thread is interrupted. Called again with the same request when Maestro was restarted before the reply was in the
     * record.
     *
     * @param request what the coder asks
     * @return the reply, never null; its message reaches the coder's next turn, with an approval too
     */
    Reply reply(Request request);

    /** What a request is about. */
    enum Kind {
        /** A question while planning or coding; any decision but REJECTED lets the coder go on. */
        QUESTION,
        /** Is this plan good, or is the story done already? */
        PLAN_REVIEW,
        /** Is this change good, or is no change right? */
        CODE_REVIEW,
        /** A budget is used up: may the coder go on? */
        BUDGET_REVIEW,
        /** The change is pushed and tested: may it be merged? */
        MERGE,
        /**
         * A policy asks about a call of a tool: may it run? Any decision but APPROVED refuses the call, and the story goes on. The
         * message of an approval is kept in the record only.
         */
        TOOL_CALL
    }

    /** What the architect decides. */
    enum Decision {
        /** Go on. */
        APPROVED,
        /** Go back and change what the message says. */
        NEEDS_CHANGES,
        /** Stop: the story ends in ERROR. */
        REJECTED
    }

    /**
     * What a coder asks.
     *
     * @param id correlates request and reply; unique, and the same when Maestro asks again after a restart
     * @param kind what it is about
     * @param storyId the story
     * @param attempt which attempt; from 1
     * @param step which visit of a state of the coder's the request comes from; counted over the attempt
     * @param storyTitle its title
     * @param storyContent what is to be done; Markdown
     * @param coderId the coder that waits
     * @param facts what belongs to the request, by the names below, in the order in which one reads them
     */
    record Request(
            String id,
            Kind kind,
            String storyId,
            int attempt,
            int step,
            String storyTitle,
            String storyContent,
            String coderId,
            Map<String, String> facts) {
        /** With {@link Kind#QUESTION}: what the coder asks. */
        public static final String QUESTION = "question";

        /**
         * With {@link Kind#PLAN_REVIEW}: the plan; missing when there is a {@link #CLAIM}. People are shown the last one with every later
         * request.
         */
        public static final String PLAN = "plan";

        /** With {@link Kind#PLAN_REVIEW}: why the coder says that there is nothing to do. */
        public static final String CLAIM = "claim";

        /** With {@link Kind#CODE_REVIEW}, and for people with {@link Kind#MERGE}: what the coder says it has changed. */
        public static final String SUMMARY = "summary";

        /**
         * With {@link Kind#CODE_REVIEW} and {@link Kind#MERGE}: how the project's tests went, or that none were run. For people this is
         * one line, with the {@link #TEST_LOG} behind it, and {@link Kind#BUDGET_REVIEW} has it as well.
         */
        public static final String TESTS = "tests";

        /** For people, where there are {@link #TESTS} with an output: that. */
        public static final String TEST_LOG = "test_log";

        /** For people: how the change was reviewed last; missing when it was not. */
        public static final String REVIEW = "review";

        /**
         * With {@link Kind#CODE_REVIEW}, and for people with {@link Kind#MERGE} and {@link Kind#BUDGET_REVIEW}: how much of each file has
         * changed; missing when nothing has.
         */
        public static final String DIFF_STAT = "diff_stat";

        /**
         * With the same kinds: the difference, of which a model gets the first 20,000 characters and people the first 100,000; missing
         * when there is none.
         */
        public static final String DIFF = "diff";

        /** With {@link Kind#BUDGET_REVIEW}: what was used up, and for what. */
        public static final String BUDGET = "budget";

        /** With {@link Kind#MERGE}: which commit goes where. */
        public static final String MERGE = "merge";

        /** With {@link Kind#TOOL_CALL}: who calls which tool, with which arguments. */
        public static final String CALL = "call";

        /** With {@link Kind#TOOL_CALL}: why the policy asks; missing when it does not say. */
        public static final String RULE = "rule";

        /**
         * Copies the facts.
         *
         * @param id see the record
         * @param kind see the record
         * @param storyId see the record
         * @param attempt see the record
         * @param step see the record
         * @param storyTitle see the record
         * @param storyContent see the record
         * @param coderId see the record
         * @param facts see the record
         */
        public Request {
            facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
        }
    }

    /**
     * What the architect replies.
     *
     * @param requestId the id of the request
     * @param decision what it decides
     * @param message an answer, the reason, or what to change; may be empty only with APPROVED
     * @param plan with an approved {@link Kind#PLAN_REVIEW}: what the coder does in the place of the plan that it submitted; null
     *     where that is approved as it is
     */
    record Reply(
            String requestId,
            Decision decision,
            String message,
            @Nullable String plan) {
        /**
         * A reply that changes no plan.
         *
         * @param requestId the id of the request
         * @param decision what it decides
         * @param message an answer, the reason, or what to change; may be empty only with APPROVED
         */
        public Reply(String requestId, Decision decision, String message) {
            this(requestId, decision, message, null);
        }
    }
}
