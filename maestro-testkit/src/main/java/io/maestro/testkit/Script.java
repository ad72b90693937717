package io.maestro.testkit;

import io.maestro.llm.LlmRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * The turns of a conversation in the order in which they are played; written inside
 * {@link ScriptedLlm.Builder#story(String, java.util.function.Consumer)}. Not safe for use by several threads.
 */
public final class Script {
    private final List<Turn> turns = new ArrayList<>();
    private boolean endless;

    Script() {}

    /**
     * Adds a turn that takes any request.
     *
     * @param reply what the model replies
     * @return this
     */
    public Script turn(Reply reply) {
        return turn(Turn.any().reply(reply));
    }

    /**
     * Adds a turn that takes any request, with a reply that is computed from it.
     *
     * @param reply see {@link Turn.Expecting#reply(Function)}
     * @return this
     */
    public Script turn(Function<LlmRequest, Reply> reply) {
        return turn(Turn.any().reply(reply));
    }

    /**
     * Adds a turn.
     *
     * @param turn what is expected and replied
     * @return this
     */
    public Script turn(Turn turn) {
        if (endless) {
            throw new IllegalStateException("a turn after repeat(…) is never played: put repeat(…) last");
        }
        turns.add(Objects.requireNonNull(turn, "turn"));
        return this;
    }

    /**
     * Replies the same to any request for ever; the last entry of a script.
     *
     * @param reply what the model replies
     * @return this
     */
    public Script repeat(Reply reply) {
        return repeat(Turn.any().reply(reply));
    }

    /**
     * Plays the same turn for ever; the last entry of a script.
     *
     * @param turn what is expected each time, and replied
     * @return this
     */
    public Script repeat(Turn turn) {
        turn(turn);
        endless = true;
        return this;
    }

    List<Turn> turns() {
        return List.copyOf(turns);
    }

    boolean endless() {
        return endless;
    }
}
