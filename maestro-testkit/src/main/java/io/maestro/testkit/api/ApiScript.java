package io.maestro.testkit.api;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What the model of {@link StubApi} does. Called by several threads when several runs share a stub. */
@FunctionalInterface
public interface ApiScript {
    /**
     * Answers a request of a conversation.
     *
     * @param request what has come
     * @return the answer
     * @throws AssertionError when the request is not what it should be: the CLI gets a 400 that says so, and {@link StubApi#close} fails
     */
    ApiReply reply(ApiRequest request);

    /**
     * The same answer to each request.
     *
     * @param reply the answer
     * @return a script
     */
    static ApiScript always(ApiReply reply) {
        return request -> reply;
    }

    /**
     * One answer after the other. The place is found by how often the model has answered in the conversation that is sent,
     * so a request that is repeated gets the same answer again, and a session that is resumed goes on.
     *
     * @param replies in their order; a request after the last one is refused
     * @return a script
     */
    static ApiScript turns(ApiReply... replies) {
        return request -> {
            if (request.turns() >= replies.length) {
                throw new AssertionError(
                        "the script has " + replies.length + " answers, and the model is asked for one more: " + request
                                + ", last answers of tools " + request.answers());
            }
            return replies[request.turns()];
        };
    }

    /**
     * One call of a tool after the other, and a text at the end. The next is the first that has no good result yet in the
     * conversation that is sent: a call whose result is lost or is an error is made again.
     *
     * @param last what the model says when each call has a good result
     * @param calls in their order
     * @return a script
     */
    static ApiScript calls(String last, Call... calls) {
        return calls(request -> new Part(Arrays.asList(calls), last));
    }

    /**
     * The same, with the part chosen by the request.
     *
     * @param parts chooses, for example by the system prompt
     * @return a script
     */
    static ApiScript calls(Function<ApiRequest, Part> parts) {
        return request -> {
            Part part = parts.apply(request);
            Map<String, ApiRequest.Answer> answers = request.answersById();
            List<Call> left = new ArrayList<>(part.calls());
            for (ApiRequest.Use use : request.uses()) {
                ApiRequest.Answer answer = answers.get(use.id());
                boolean good = answer != null && !answer.isError();
                if (good && !left.isEmpty() && left.get(0).tool().equals(use.name())) {
                    left.remove(0);
                }
            }
            return left.isEmpty() ? ApiReply.text(part.last()) : left.get(0).reply();
        };
    }

    /**
     * What a model does in a conversation.
     *
     * @param calls of tools, in their order
     * @param last what is said when each has a good result
     */
    record Part(List<Call> calls, String last) {
        /**
         * Copies the list.
         *
         * @param calls of tools
         * @param last what is said
         */
        public Part {
            calls = List.copyOf(calls);
        }
    }

    /**
     * A call of a tool.
     *
     * @param tool its name, as the request has it
     * @param input names and values in turn
     */
    record Call(String tool, List<Object> input) {
        /**
         * Copies the list.
         *
         * @param tool its name
         * @param input names and values in turn
         */
        public Call {
            input = List.copyOf(input);
        }

        ApiReply reply() {
            return ApiReply.use(tool, input.toArray());
        }
    }

    /**
     * A call of a tool.
     *
     * @param tool its name, as the request has it
     * @param input names and values in turn
     * @return the call
     */
    static Call call(String tool, Object... input) {
        return new Call(tool, Arrays.asList(input));
    }
}
