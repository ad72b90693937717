package io.maestro.event;

import io.maestro.agent.Architect;
import io.maestro.llm.Usage;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import io.maestro.story.TestOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Something that happened while a story or a specification is worked on. */
public sealed interface MaestroEvent {
    /**
     * The story that it belongs to.
     *
     * @return the story's id; the specification's, where the architect works on that; empty for a message of the chat that
     *     is none of a story's
     */
    String storyId();

    /**
     * The agent that did it, or whoever wrote a message of the chat.
     *
     * @return for example {@code coder-001} or {@code host}
     */
    String agentId();

    /** {@return when it happened, by the clock of the process that tells of it} */
    Instant at();

    /**
     * A coder has changed its state.
     *
     * @param storyId the story
     * @param agentId the coder
     * @param attempt which attempt; from 1
     * @param from the state before
     * @param to the state after
     * @param reason why; one line
     * @param tests how the project's tests went when they were last needed; null when they were not yet
     * @param at when
     */
    record StateChanged(
            String storyId,
            String agentId,
            int attempt,
            CoderState from,
            CoderState to,
            String reason,
            @Nullable TestOutcome tests,
            Instant at)
            implements MaestroEvent {}

    /**
     * A story waits for one that nobody has submitted: it begins when that one has been submitted and is done.
     *
     * @param storyId the story that waits
     * @param agentId {@code dispatcher}
     * @param dependency the id of the one that is not in the record
     * @param at when
     */
    record DependencyUnknown(String storyId, String agentId, String dependency, Instant at) implements MaestroEvent {}

    /**
     * A story waits for its turn to be merged. Told again each time that it begins to wait.
     *
     * @param storyId the story
     * @param agentId its coder
     * @param attempt which attempt; from 1
     * @param target the branch
     * @param place which one in the queue into that branch it is; from 1
     * @param at when
     */
    record MergeQueued(String storyId, String agentId, int attempt, String target, int place, Instant at)
            implements MaestroEvent {}

    /**
     * A model is being asked.
     *
     * @param storyId the story
     * @param agentId the agent
     * @param attempt which attempt; from 1
     * @param state the agent's state
     * @param model the model
     * @param at when
     */
    record ModelCalled(String storyId, String agentId, int attempt, String state, String model, Instant at)
            implements MaestroEvent {}

    /**
     * A model writes. Comes while it writes, from each client and from programs that tell what their models write; a client of
     * the host's that tells nothing until it has all tells it then. It is told word by word; where what was written may belong to
     * a secret that shows by what comes after, such as in quotes, when that has come.
     *
     * @param storyId the story
     * @param agentId the agent
     * @param attempt which attempt; from 1
     * @param state the agent's state
     * @param begins whether a text begins here: with an answer, or because the answer broke off and is written anew, so that
     *     what was told of it is void
     * @param text the next piece; not empty unless it begins
     * @param at when
     */
    record TextWritten(
            String storyId, String agentId, int attempt, String state, boolean begins, String text, Instant at)
            implements MaestroEvent {}

    /**
     * A model has answered.
     *
     * @param storyId the story
     * @param agentId the agent
     * @param attempt which attempt; from 1
     * @param state the agent's state
     * @param model the model
     * @param usage what it cost in tokens
     * @param duration how long it took; zero where a program counts its requests only after it has made them
     * @param at when
     */
    record ModelAnswered(
            String storyId,
            String agentId,
            int attempt,
            String state,
            String model,
            Usage usage,
            Duration duration,
            Instant at)
            implements MaestroEvent {}

    /**
     * A tool starts, or a call of one is refused.
     *
     * @param storyId the story
     * @param agentId the agent
     * @param attempt which attempt; from 1
     * @param state the agent's state
     * @param tool the tool
     * @param callId pairs it with its {@link ToolFinished}
     * @param parentCallId the id of the call whose tool made this one; null when the agent did
     * @param arguments what it is called with, as JSON on one line, without secrets, at most {@value #MAX_ARGUMENTS}
     *     characters
     * @param at when
     */
    record ToolStarted(
            String storyId,
            String agentId,
            int attempt,
            String state,
            String tool,
            String callId,
            @Nullable String parentCallId,
            String arguments,
            Instant at)
            implements MaestroEvent {
        /** The longest {@link #arguments()}, in characters; longer ones are cut and end in {@code …}. */
        public static final int MAX_ARGUMENTS = 300;

        /**
         * Makes one line of the arguments and cuts them.
         *
         * @param storyId see the record
         * @param agentId see the record
         * @param attempt see the record
         * @param state see the record
         * @param tool see the record
         * @param callId see the record
         * @param parentCallId see the record
         * @param arguments see the record
         * @param at see the record
         */
        public ToolStarted {
            arguments = ConsoleStory.cut(arguments.replaceAll("\\s+", " ").strip(), MAX_ARGUMENTS);
        }
    }

    /**
     * A tool that runs says how far it is.
     *
     * @param storyId the story
     * @param agentId the agent
     * @param attempt which attempt; from 1
     * @param state the agent's state
     * @param tool the tool
     * @param callId that of its {@link ToolStarted}
     * @param step one line without secrets, at most {@value io.maestro.tools.ToolProgress#MOST_CHARACTERS} characters
     * @param at when
     */
    record ToolProgressed(
            String storyId,
            String agentId,
            int attempt,
            String state,
            String tool,
            String callId,
            String step,
            Instant at)
            implements MaestroEvent {}

    /**
     * A tool has ended, or a call of one was refused.
     *
     * @param storyId the story
     * @param agentId the agent
     * @param attempt which attempt; from 1
     * @param state the agent's state
     * @param tool the tool
     * @param callId pairs it with its {@link ToolStarted}
     * @param parentCallId the id of the call whose tool made this one; null when the agent did
     * @param duration how long it took
     * @param error whether it failed
     * @param exitCode of the command that it ran, or null
     * @param summary the answer in a line
     * @param answer the answer, without secrets, at most {@value #MAX_ANSWER} characters; {@link io.maestro.record.AuditLog}
     *     has all of it
     * @param at when
     */
    record ToolFinished(
            String storyId,
            String agentId,
            int attempt,
            String state,
            String tool,
            String callId,
            @Nullable String parentCallId,
            Duration duration,
            boolean error,
            @Nullable Integer exitCode,
            String summary,
            String answer,
            Instant at)
            implements MaestroEvent {
        /** The longest {@link #answer()}, in characters; longer ones are cut and end in {@code …}. */
        public static final int MAX_ANSWER = 2_000;

        /**
         * Cuts the answer.
         *
         * @param storyId see the record
         * @param agentId see the record
         * @param attempt see the record
         * @param state see the record
         * @param tool see the record
         * @param callId see the record
         * @param parentCallId see the record
         * @param duration see the record
         * @param error see the record
         * @param exitCode see the record
         * @param summary see the record
         * @param answer see the record
         * @param at see the record
         */
        public ToolFinished {
            answer = ConsoleStory.cut(answer, MAX_ANSWER);
        }
    }

    /**
     * A coder asks the architect. Comes again after a restart when people have not answered meanwhile.
     *
     * @param storyId the story
     * @param agentId the coder
     * @param attempt which attempt; from 1
     * @param requestId the request
     * @param kind what it is about
     * @param facts what belongs to it, such as the question or the plan, by the names in {@link Architect.Request}
     * @param until when it is too late for people to answer by {@link io.maestro.inbox.Inbox}; null where the architect's model
     *     answers
     * @param at when
     */
    record RequestOpened(
            String storyId,
            String agentId,
            int attempt,
            String requestId,
            Architect.Kind kind,
            Map<String, String> facts,
            @Nullable Instant until,
            Instant at)
            implements MaestroEvent {}

    /**
     * The architect has replied to a coder, or a person has in its place.
     *
     * @param storyId the story
     * @param agentId the architect, or the person
     * @param attempt which attempt; from 1
     * @param requestId the request
     * @param kind what it was about
     * @param decision what it decided
     * @param message what it said
     * @param at when
     */
    record ArchitectReplied(
            String storyId,
            String agentId,
            int attempt,
            String requestId,
            Architect.Kind kind,
            Architect.Decision decision,
            String message,
            Instant at)
            implements MaestroEvent {}

    /**
     * An agent or the host has written to the chat. Of messages that come at the same time, the number tells the order.
     *
     * @param storyId the story that it was written for, or empty when it is none of a story's
     * @param agentId who wrote it, for example {@code coder-001} or {@code host}
     * @param number the message's number
     * @param text what was said; 1 to 8,000 characters
     * @param at when
     */
    record ChatPosted(String storyId, String agentId, long number, String text, Instant at) implements MaestroEvent {}

    /**
     * The architect has changed its state in the work on a specification.
     *
     * @param specId the specification
     * @param agentId the architect
     * @param from the state before
     * @param to the state after
     * @param reason why; one line
     * @param at when
     */
    record SpecStateChanged(
            String specId, String agentId, ArchitectState from, ArchitectState to, String reason, Instant at)
            implements MaestroEvent {
        @Override
        public String storyId() {
            return specId;
        }
    }

    /**
     * The architect has made a story of a specification; it waits for the stories that it depends on, and for a coder.
     *
     * @param specId the specification
     * @param storyId the story
     * @param agentId the architect
     * @param title the story's title
     * @param dependsOn the ids of the stories that must be done before it
     * @param at when
     */
    record StorySubmitted(
            String specId, String storyId, String agentId, String title, List<String> dependsOn, Instant at)
            implements MaestroEvent {
        /**
         * Copies the list.
         *
         * @param specId the specification
         * @param storyId the story
         * @param agentId the architect
         * @param title the story's title
         * @param dependsOn the ids of the stories that must be done before it
         * @param at when
         */
        public StorySubmitted {
            dependsOn = List.copyOf(dependsOn);
        }
    }

    /**
     * A story of a specification is tried again: the architect has rewritten it, or it had been cancelled.
     *
     * @param specId the specification
     * @param storyId the story
     * @param agentId the architect
     * @param title the story's title
     * @param attempt the attempt that follows; from 2
     * @param at when
     */
    record StoryRequeued(String specId, String storyId, String agentId, String title, int attempt, Instant at)
            implements MaestroEvent {}

    /**
     * A story of a specification will not be done.
     *
     * @param specId the specification
     * @param storyId the story
     * @param agentId the architect
     * @param reason why
     * @param at when
     */
    record StoryGivenUp(String specId, String storyId, String agentId, String reason, Instant at)
            implements MaestroEvent {}

    /**
     * A listener was too slow: so many events that would come here were not kept for it.
     *
     * @param count how many; 1 or more
     * @param at when the listener is told again
     */
    record EventsLost(long count, Instant at) implements MaestroEvent {
        /** {@return empty: it is none of a story's} */
        @Override
        public String storyId() {
            return "";
        }

        /** {@return empty: it is nobody's doing} */
        @Override
        public String agentId() {
            return "";
        }
    }
}
