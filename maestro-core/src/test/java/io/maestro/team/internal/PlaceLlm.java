package io.maestro.team.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.Usage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A model that says in each state what it was told to say, one answer after the other. It finds its place by how often it has
 * spoken in the conversation, so that it goes on with whoever asks it.
 */
public final class PlaceLlm implements LlmClient {
    private static final ObjectMapper JSON = new ObjectMapper();

    public final List<LlmRequest> requests = new CopyOnWriteArrayList<>();
    private final Map<String, List<List<LlmContent>>> answers = new HashMap<>();
    private final Map<String, RuntimeException> failures = new HashMap<>();
    private final Map<String, LlmResponse.StopReason> stops = new HashMap<>();

    private boolean inOrder;

    public PlaceLlm says(String state, LlmContent... content) {
        answers.computeIfAbsent(state, unknown -> new ArrayList<>()).add(List.of(content));
        return this;
    }

    public PlaceLlm calls(String state, String tool, Object... input) {
        Map<String, Object> map = new TreeMap<>();
        for (int i = 0; i < input.length; i += 2) {
            map.put((String) input[i], input[i + 1]);
        }
        try {
            int number = answers.getOrDefault(state, List.of()).size();
            return says(state, new LlmContent.ToolUse(state + number, tool, JSON.writeValueAsString(map)));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    /** Its last answer so far in a state ends for that reason. */
    public PlaceLlm stops(String state, LlmResponse.StopReason reason) {
        stops.put(state + (answers.get(state).size() - 1), reason);
        return this;
    }

    /** It fails once, before it gives its next answer in a state. */
    PlaceLlm fails(String state, RuntimeException failure) {
        failures.put(state + answers.getOrDefault(state, List.of()).size(), failure);
        return this;
    }

    /** It does not look at the conversation, which may be shortened, but counts what it has said. */
    public PlaceLlm inOrder() {
        inOrder = true;
        return this;
    }

    /** How many answers it has in all. */
    int answers() {
        return answers.values().stream().mapToInt(List::size).sum();
    }

    @Override
    public String model() {
        return "place";
    }

    @Override
    public LlmResponse complete(LlmRequest request) {
        String state = request.origin().state();
        int place = inOrder ? requests.size() : spoken(request);
        RuntimeException failure = failures.remove(state + place);
        if (failure != null) {
            throw failure;
        }
        requests.add(request);
        List<LlmContent> content = answers.get(state).get(place);
        boolean calls = content.stream().anyMatch(LlmContent.ToolUse.class::isInstance);
        return new LlmResponse(
                model(),
                content,
                stops.getOrDefault(
                        state + place, calls ? LlmResponse.StopReason.TOOL_USE : LlmResponse.StopReason.END_TURN),
                new Usage(10, 1, 0, 0));
    }

    private static int spoken(LlmRequest request) {
        return (int) request.messages().stream()
                .filter(message -> message.role() == LlmMessage.Role.ASSISTANT)
                .count();
    }
}
