package io.maestro.telemetry;

import io.maestro.llm.Usage;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Traces what is done, in the threads that do it. Given to {@code Maestro.builder().telemetry(…)} or {@code
 * Maestro.agent().telemetry(…)}. Safe for use by several threads.
 * What it throws is logged and ignored, so that it harms no work; what it takes long for delays agents.
 */
public interface Telemetry {
    /** Traces nothing. */
    Telemetry NONE = new Telemetry() {
        private final Span span = () -> {};

        @Override
        public Span start(Operation operation, Instant began) {
            return span;
        }

        @Override
        public Context current() {
            return span;
        }

        @Override
        public Map<String, String> variables() {
            return Map.of();
        }
    };

    /**
     * Something has begun, below what is current in the calling thread.
     *
     * @param operation what
     * @param began when
     * @return to be closed when it ends
     */
    Span start(Operation operation, Instant began);

    /** {@return what is current in the calling thread, for another one} */
    Context current();

    /**
     * What a program that the calling thread starts needs to go on with the trace.
     *
     * @return variables of its environment, such as {@code TRACEPARENT}; may be empty
     */
    Map<String, String> variables();

    /** What is done. */
    enum Kind {
        /**
         * An agent works on a story or a specification: from when it takes it up until it ends, waits for long, or is stopped; an
         * agent alone on a task.
         */
        AGENT,
        /** A model answers. */
        MODEL,
        /** A tool is called: one for each row of {@link io.maestro.record.AuditLog.ToolExecution}. */
        TOOL,
        /** A program that is the agent calls a tool of its own, which has no row. */
        OWN_TOOL
    }

    /**
     * What begins. Free of secrets.
     *
     * @param kind what it is
     * @param name the agent, the model or the tool
     * @param storyId the story, or the specification; the id of an agent alone
     * @param agentId who does it
     * @param attempt which attempt; from 1
     * @param state in which state; empty for an agent
     * @param callId the call's id; null unless a tool is called
     */
    record Operation(
            Kind kind,
            String name,
            String storyId,
            String agentId,
            int attempt,
            String state,
            @Nullable String callId) {}

    /** Something that spans can lie below. */
    interface Context {
        /**
         * Makes it current in the calling thread.
         *
         * @return to be closed by the same thread
         */
        default Scope enter() {
            return () -> {};
        }
    }

    /** As long as it is open, a thread does something below a {@link Context}. */
    interface Scope extends AutoCloseable {
        @Override
        void close();
    }

    /** Something that goes on. */
    interface Span extends Context, AutoCloseable {
        /**
         * A model has answered.
         *
         * @param model the model that has answered
         * @param usage its tokens
         * @param dollars what they cost in US dollars; null when the price is not known
         */
        default void answered(String model, Usage usage, @Nullable BigDecimal dollars) {}

        /**
         * It has failed.
         *
         * @param type one of few names, such as that of an exception's class
         */
        default void failed(String type) {}

        /** It has ended. */
        @Override
        void close();
    }
}
