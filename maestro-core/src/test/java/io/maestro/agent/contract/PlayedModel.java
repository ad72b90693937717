package io.maestro.agent.contract;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A model for the contract, whoever carries what it says to the agent. Safe for use by several threads. */
@FunctionalInterface
public interface PlayedModel {
    /** What the model says next. */
    Said say(Asked asked);

    /**
     * What the model is asked.
     *
     * @param turns how often it has answered in this conversation
     * @param system the system prompt
     * @param texts of the user's side, oldest first
     * @param results of tools, oldest first
     * @param tools their names
     */
    record Asked(int turns, String system, List<String> texts, List<Result> results, List<String> tools) {
        /** The result that came last. */
        public Result last() {
            return results.get(results.size() - 1);
        }

        /** Whether the user's side has said this, by a text or a result. */
        public boolean heard(String words) {
            return texts.stream().anyMatch(text -> text.contains(words))
                    || results.stream().anyMatch(result -> result.text().contains(words));
        }
    }

    /** What a tool has answered. */
    record Result(String text, boolean error) {}

    /** What the model says: a text, or a call of a tool; nothing at all where it hangs. */
    record Said(String text, String tool, Map<String, Object> input, boolean hangs) {
        /** A text without a call. */
        public static Said text(String text) {
            return new Said(text, "", Map.of(), false);
        }

        /** A call; names and values in turn. */
        public static Said call(String tool, Object... input) {
            Map<String, Object> map = new LinkedHashMap<>();
            for (int i = 0; i < input.length; i += 2) {
                map.put((String) input[i], input[i + 1]);
            }
            return new Said("", tool, map, false);
        }

        /** The end. */
        public static Said done(String summary) {
            return call("done", "summary", summary);
        }

        /** No answer until the request is given up. */
        public static Said nothing() {
            return new Said("", "", Map.of(), true);
        }
    }

    /** One after the other, by how often the model has answered. */
    static PlayedModel turns(Said... said) {
        return asked -> said[Math.min(asked.turns(), said.length - 1)];
    }
}
