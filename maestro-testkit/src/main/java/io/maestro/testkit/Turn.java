package io.maestro.testkit;

import io.maestro.llm.LlmRequest;
import io.maestro.tools.ToolDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * One turn of a script: what the request must look like, and what the model replies. Immutable.
 *
 * <pre>{@code
 * Turn.in("CODING").expecting("2 tests failed").reply(Reply.toolCall("shell", Map.of("cmd", "mvn test")))
 * }</pre>
 */
public final class Turn {
    private final List<Expectation> expectations;
    private final Function<LlmRequest, Reply> reply;
    private final String description;

    private Turn(List<Expectation> expectations, Function<LlmRequest, Reply> reply, String description) {
        this.expectations = List.copyOf(expectations);
        this.reply = reply;
        this.description = description;
    }

    /**
     * A turn that the agent must take in a certain state.
     *
     * @param state for example {@code PLANNING}
     * @return to add more expectations and, at last, the reply
     */
    public static Expecting in(String state) {
        return new Expecting().in(state);
    }

    /**
     * A turn in which the last user message must contain a text; what tools answered is part of that message.
     *
     * @param text what it must contain
     * @return to add more expectations and, at last, the reply
     */
    public static Expecting expecting(String text) {
        return new Expecting().expecting(text);
    }

    /**
     * A turn that takes any request.
     *
     * @return to add expectations and, at last, the reply
     */
    public static Expecting any() {
        return new Expecting();
    }

    /** What the request does not fulfil, in words; empty when it is as expected. */
    List<String> unfulfilled(LlmRequest request) {
        return expectations.stream()
                .filter(expectation -> !expectation.holds().test(request))
                .map(Expectation::description)
                .toList();
    }

    Function<LlmRequest, Reply> reply() {
        return reply;
    }

    /** What is expected and replied, in a few words, for messages. */
    @Override
    public String toString() {
        String expected = String.join(
                ", ", expectations.stream().map(Expectation::description).toList());
        return (expected.isEmpty() ? "any request" : expected) + " -> " + description;
    }

    private record Expectation(String description, Predicate<LlmRequest> holds) {}

    /** Collects the expectations of a {@link Turn}; all of them must hold. Not safe for use by several threads. */
    public static final class Expecting {
        private final List<Expectation> expectations = new ArrayList<>();

        private Expecting() {}

        /**
         * Expects a state of the agent.
         *
         * @param state for example {@code PLANNING}
         * @return this
         */
        public Expecting in(String state) {
            return expecting(
                    "state " + state, request -> request.origin().state().equals(state));
        }

        /**
         * Expects an agent.
         *
         * @param agentId for example {@code coder-001}
         * @return this
         */
        public Expecting from(String agentId) {
            return expecting(
                    "agent " + agentId, request -> request.origin().agentId().equals(agentId));
        }

        /**
         * Expects a text in the last user message; what tools answered is part of that message.
         *
         * @param text what it must contain
         * @return this
         */
        public Expecting expecting(String text) {
            return expecting(
                    "last user message contains '" + text + "'",
                    request -> Conversation.lastUserText(request).contains(text));
        }

        /**
         * Expects a text in the system prompt.
         *
         * @param text what it must contain
         * @return this
         */
        public Expecting expectingSystem(String text) {
            return expecting(
                    "system prompt contains '" + text + "'",
                    request -> request.system().contains(text));
        }

        /**
         * Expects that a tool is offered.
         *
         * @param name the tool's name
         * @return this
         */
        public Expecting expectingTool(String name) {
            return expecting(
                    "tool " + name + " is offered",
                    request ->
                            request.tools().stream().map(ToolDefinition::name).anyMatch(name::equals));
        }

        /**
         * Expects anything else.
         *
         * @param description what is expected, for the message when it is not so
         * @param holds whether a request is as expected
         * @return this
         */
        public Expecting expecting(String description, Predicate<LlmRequest> holds) {
            Objects.requireNonNull(description, "description");
            Objects.requireNonNull(holds, "holds");
            expectations.add(new Expectation(description, holds));
            return this;
        }

        /**
         * Ends the turn with a fixed reply.
         *
         * @param reply what the model replies
         * @return the turn
         */
        public Turn reply(Reply reply) {
            Objects.requireNonNull(reply, "reply");
            return new Turn(expectations, request -> reply, reply.toString());
        }

        /**
         * Ends the turn with a reply that depends on the request.
         *
         * @param reply makes the reply, outside of any lock. When it throws, the conversation has left the script: so
         *     assertions may stand in it, and a failure of the model is returned as {@link Reply#failure}
         * @return the turn
         */
        public Turn reply(Function<LlmRequest, Reply> reply) {
            return new Turn(expectations, Objects.requireNonNull(reply, "reply"), "a computed reply");
        }
    }
}
