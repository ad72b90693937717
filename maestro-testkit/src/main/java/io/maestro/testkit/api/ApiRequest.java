package io.maestro.testkit.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A request to {@link StubApi}.
 *
 * @param number 1 for the first request for an answer of the model to this stub, side requests and repeated ones included
 * @param attempt 1 for the first with exactly these messages; more when the CLI asks again
 * @param method for example POST
 * @param path with the query
 * @param headers the names in lower case, several values joined by a comma
 * @param text the body as it came
 * @param body the body as JSON
 */
public record ApiRequest(
        int number, int attempt, String method, String path, Map<String, String> headers, String text, JsonNode body) {
    private static final Pattern COUNT =
            Pattern.compile("\\s*<system-reminder>\\s*<total_tokens>.*?</system-reminder>", Pattern.DOTALL);

    /**
     * A call of a tool that the model has made earlier in the conversation.
     *
     * @param id of the call
     * @param name of the tool
     * @param input the arguments
     */
    public record Use(String id, String name, JsonNode input) {}

    /**
     * What a tool has answered.
     *
     * @param id of the call
     * @param text its content, block by block
     * @param isError whether it failed
     */
    public record Answer(String id, String text, boolean isError) {}

    /**
     * A header.
     *
     * @param name in any case
     * @return its value; empty when it is not there
     */
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
    }

    /**
     * The session of the CLI.
     *
     * @return the header {@code X-Claude-Code-Session-Id}; empty when it is not there
     */
    public String sessionId() {
        return header("X-Claude-Code-Session-Id").orElse("");
    }

    /**
     * The model that is asked.
     *
     * @return its name; empty when it is not there
     */
    public String model() {
        return body.path("model").asText();
    }

    /**
     * Whether the answer is to be streamed.
     *
     * @return true for server-sent events
     */
    public boolean stream() {
        return body.path("stream").asBoolean();
    }

    /**
     * The conversation.
     *
     * @return the messages as they came
     */
    public JsonNode messages() {
        return body.path("messages");
    }

    /**
     * The tools that the model may call.
     *
     * @return their names
     */
    public List<String> tools() {
        return nodes(body.path("tools")).map(tool -> tool.path("name").asText()).toList();
    }

    /**
     * The system prompt.
     *
     * @return its text, block by block
     */
    public String system() {
        return textOf(body.path("system"));
    }

    /**
     * Whether it is no part of a conversation, for example a request for a title.
     *
     * @return true when the model is given no tools
     */
    public boolean isSide() {
        return body.path("tools").isEmpty();
    }

    /**
     * The texts of the user's side, without results of tools.
     *
     * @return the oldest first
     */
    public List<String> userTexts() {
        return texts("user");
    }

    /**
     * The texts of the model.
     *
     * @return the oldest first
     */
    public List<String> modelTexts() {
        return texts("assistant");
    }

    /**
     * Whether the user's side has said something, as a text or as the result of a tool.
     *
     * @param words a part of it
     * @return true when it has
     */
    public boolean heard(String words) {
        return userTexts().stream().anyMatch(text -> text.contains(words))
                || answers().stream().anyMatch(answer -> answer.text().contains(words));
    }

    /**
     * The calls that the model has made.
     *
     * @return the oldest first
     */
    public List<Use> uses() {
        return blocks("assistant")
                .filter(block -> block.path("type").asText().equals("tool_use"))
                .map(block ->
                        new Use(block.path("id").asText(), block.path("name").asText(), block.path("input")))
                .toList();
    }

    /**
     * What the tools have answered, without the count of tokens that a newer CLI adds.
     *
     * @return the oldest first
     */
    public List<Answer> answers() {
        return blocks("user")
                .filter(block -> block.path("type").asText().equals("tool_result"))
                .map(block -> new Answer(
                        block.path("tool_use_id").asText(),
                        COUNT.matcher(textOf(block.path("content"))).replaceAll(""),
                        block.path("is_error").asBoolean()))
                .toList();
    }

    /**
     * What each tool has answered.
     *
     * @return by the id of the call
     */
    public Map<String, Answer> answersById() {
        Map<String, Answer> byId = new LinkedHashMap<>();
        answers().forEach(answer -> byId.put(answer.id(), answer));
        return byId;
    }

    /**
     * How often the model has answered in this conversation.
     *
     * @return 0 in its first request
     */
    public int turns() {
        return (int) nodes(messages())
                .filter(message -> message.path("role").asText().equals("assistant"))
                .count();
    }

    private List<String> texts(String role) {
        List<String> texts = new ArrayList<>();
        nodes(messages())
                .filter(message -> message.path("role").asText().equals(role))
                .map(message -> message.path("content"))
                .forEach(content -> {
                    if (content.isTextual()) {
                        texts.add(content.asText());
                    } else {
                        nodes(content)
                                .filter(block -> block.path("type").asText().equals("text"))
                                .forEach(block -> texts.add(block.path("text").asText()));
                    }
                });
        return texts;
    }

    private Stream<JsonNode> blocks(String role) {
        return nodes(messages())
                .filter(message -> message.path("role").asText().equals(role))
                .flatMap(message -> nodes(message.path("content")));
    }

    private static String textOf(JsonNode content) {
        if (content.isTextual()) {
            return content.asText();
        }
        return String.join(
                "\n", nodes(content).map(block -> block.path("text").asText()).toList());
    }

    private static Stream<JsonNode> nodes(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    /** Short, since the body is long. */
    @Override
    public String toString() {
        return "ApiRequest[" + number + " (attempt " + attempt + ") " + method + " " + path + " model " + model() + ", "
                + messages().size() + " messages, " + (stream() ? "streamed" : "not streamed") + "]";
    }
}
