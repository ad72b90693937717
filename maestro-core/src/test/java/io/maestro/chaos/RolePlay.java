package io.maestro.chaos;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.Usage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A scripted model that finds its place by the conversation alone, as a real one does: the next call is the first one of its
 * part that has no good result yet. So a process that is killed and started again plays on where the other has stopped, and
 * a call whose end is not known is made again. When a part is played to its end, its last call is repeated.
 */
public final class RolePlay implements LlmClient {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String name;
    private final Parts parts;

    public RolePlay(String name, Parts parts) {
        this.name = name;
        this.parts = parts;
    }

    /** Which part is played in a conversation. */
    @FunctionalInterface
    public interface Parts {
        List<Call> of(LlmRequest request);
    }

    /** A call of a tool; after a text was said to the model if there is one. */
    public record Call(String tool, Map<String, Object> input) {
        String json() {
            try {
                return JSON.writeValueAsString(new TreeMap<>(input));
            } catch (JsonProcessingException e) {
                throw new AssertionError(e);
            }
        }
    }

    public static Call call(String tool, Object... input) {
        Map<String, Object> map = new TreeMap<>();
        for (int i = 0; i < input.length; i += 2) {
            map.put((String) input[i], input[i + 1]);
        }
        return new Call(tool, map);
    }

    @Override
    public String model() {
        return name;
    }

    @Override
    public LlmResponse complete(LlmRequest request) {
        List<Call> part = parts.of(request);
        int done = 0;
        Set<String> good = goodResults(request.messages());
        int calls = 0;
        for (LlmMessage message : request.messages()) {
            for (LlmContent content : message.content()) {
                if (content instanceof LlmContent.ToolUse use) {
                    calls++;
                    if (good.contains(use.id())
                            && done < part.size()
                            && use.name().equals(part.get(done).tool())) {
                        done++;
                    }
                }
            }
        }
        Call next = part.get(Math.min(done, part.size() - 1));
        List<LlmContent> content = new ArrayList<>();
        content.add(new LlmContent.ToolUse(
                request.origin().storyId() + "_" + request.origin().state() + "_" + calls + "_"
                        + Long.toHexString(System.nanoTime()),
                next.tool(),
                next.json()));
        return new LlmResponse(name, content, LlmResponse.StopReason.TOOL_USE, new Usage(100, 10, 0, 0));
    }

    private static Set<String> goodResults(List<LlmMessage> messages) {
        Set<String> good = new HashSet<>();
        for (LlmMessage message : messages) {
            for (LlmContent content : message.content()) {
                if (content instanceof LlmContent.ToolReply reply && !reply.error()) {
                    good.add(reply.toolUseId());
                }
            }
        }
        return good;
    }

    /** The first lines of all texts of the user's side that are headings: the requests to an architect. */
    public static List<String> headings(LlmRequest request) {
        return request.messages().stream()
                .filter(message -> message.role() == LlmMessage.Role.USER)
                .flatMap(message -> message.content().stream())
                .filter(LlmContent.Text.class::isInstance)
                .map(content ->
                        ((LlmContent.Text) content).text().lines().findFirst().orElse(""))
                .filter(line -> line.startsWith("# "))
                .toList();
    }

    /** How often the user's side has said a text with these words. */
    public static long said(LlmRequest request, String words) {
        return request.messages().stream()
                .filter(message -> message.role() == LlmMessage.Role.USER)
                .flatMap(message -> message.content().stream())
                .filter(content ->
                        content instanceof LlmContent.Text text && text.text().contains(words))
                .count();
    }
}
