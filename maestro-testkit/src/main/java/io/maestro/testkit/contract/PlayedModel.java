package io.maestro.testkit.contract;

import io.maestro.llm.LlmClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A model that a test plays. {@link #client} connects it to Maestro's own loop, a stub of an API to a program. Safe for use by several threads.
 */
@FunctionalInterface
public interface PlayedModel {
    /**
     * Answers a request.
     *
     * @param asked what the model is asked
     * @return what it says next
     */
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
        /**
         * Finds the latest result.
         *
         * @return the result that came last; there must be one
         */
        public Result last() {
            return results.get(results.size() - 1);
        }

        /**
         * Looks in what the user's side has said.
         *
         * @param words to be found in a text or a result
         * @return whether they are there
         */
        public boolean heard(String words) {
            return texts.stream().anyMatch(text -> text.contains(words))
                    || results.stream().anyMatch(result -> result.text().contains(words));
        }
    }

    /**
     * What a tool has answered.
     *
     * @param text the answer
     * @param error whether the call failed
     */
    record Result(String text, boolean error) {}

    /**
     * What the model says: a text, or a call of a tool, or nothing at all where it hangs.
     *
     * @param text the text; empty for a call
     * @param tool the name of the tool; empty for a text
     * @param input the arguments of the call
     * @param hangs whether no answer comes until the request is given up
     */
    record Said(String text, String tool, Map<String, Object> input, boolean hangs) {
        /**
         * Says a text without a call.
         *
         * @param text the text
         * @return an answer
         */
        public static Said text(String text) {
            return new Said(text, "", Map.of(), false);
        }

        /**
         * Calls a tool.
         *
         * @param tool the name of the tool
         * @param input names and values of the arguments in turn
         * @return an answer
         */
        public static Said call(String tool, Object... input) {
            Map<String, Object> map = new LinkedHashMap<>();
            for (int i = 0; i < input.length; i += 2) {
                map.put((String) input[i], input[i + 1]);
            }
            return new Said("", tool, map, false);
        }

        /**
         * Ends the task by the tool {@code done}.
         *
         * @param summary what was done
         * @return an answer
         */
        public static Said done(String summary) {
            return call("done", "summary", summary);
        }

        /**
         * Says nothing until the request is given up.
         *
         * @return no answer
         */
        public static Said nothing() {
            return new Said("", "", Map.of(), true);
        }
    }

    /**
     * Says one thing after the other, by how often the model has answered; the last one again and again.
     *
     * @param said at least one
     * @return a model
     */
    static PlayedModel turns(Said... said) {
        return asked -> said[Math.min(asked.turns(), said.length - 1)];
    }

    /**
     * Makes a client of this model. Each answer uses 100 tokens of input and 20 of output.
     *
     * @param model its name
     * @return a client that is safe for use by several threads
     */
    default LlmClient client(String model) {
        return new PlayedClient(model, this);
    }
}
