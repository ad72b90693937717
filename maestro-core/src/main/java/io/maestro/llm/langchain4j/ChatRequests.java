package io.maestro.llm.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.internal.PlainSchema;
import io.maestro.tools.ToolDefinition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes a request in LangChain4j's terms. */
final class ChatRequests {
    private ChatRequests() {}

    static ChatRequest chatRequest(LlmRequest request) {
        ChatRequest.Builder builder =
                ChatRequest.builder().messages(messages(request)).maxOutputTokens(request.maxTokens());
        request.temperature().ifPresent(builder::temperature);
        if (!request.tools().isEmpty()) {
            builder.toolSpecifications(
                    request.tools().stream().map(ChatRequests::tool).toList());
        }
        return builder.build();
    }

    private static ToolSpecification tool(ToolDefinition definition) {
        return ToolSpecification.builder()
                .name(definition.name())
                .description(definition.description())
                .parameters(Schemas.parameters(PlainSchema.withPlainNames(definition.input())))
                .build();
    }

    /** Messages of the same role in a row become one, as many vendors want it. */
    private static List<ChatMessage> messages(LlmRequest request) {
        List<ChatMessage> messages = new ArrayList<>();
        if (!request.system().isBlank()) {
            messages.add(SystemMessage.from(request.system()));
        }
        Map<String, String> toolNames = new HashMap<>();
        List<LlmContent> parts = new ArrayList<>();
        for (int i = 0; i < request.messages().size(); i++) {
            LlmMessage message = request.messages().get(i);
            parts.addAll(message.content());
            boolean goesOn = i + 1 < request.messages().size()
                    && request.messages().get(i + 1).role() == message.role();
            if (!goesOn) {
                if (message.role() == LlmMessage.Role.USER) {
                    addUser(messages, parts, toolNames);
                } else {
                    addAssistant(messages, parts, toolNames);
                }
                parts.clear();
            }
        }
        return messages;
    }

    /** The results of tools stand first: they belong right behind the calls. */
    private static void addUser(List<ChatMessage> messages, List<LlmContent> parts, Map<String, String> toolNames) {
        for (LlmContent part : parts) {
            if (part instanceof LlmContent.ToolReply reply) {
                messages.add(ToolExecutionResultMessage.builder()
                        .id(reply.toolUseId())
                        .toolName(toolNames.getOrDefault(reply.toolUseId(), "unknown"))
                        .text(reply.text())
                        .isError(reply.error())
                        .build());
            }
        }
        String text = text(parts);
        if (!text.isBlank()) {
            messages.add(UserMessage.from(text));
        }
    }

    private static void addAssistant(
            List<ChatMessage> messages, List<LlmContent> parts, Map<String, String> toolNames) {
        AiMessage.Builder message = AiMessage.builder();
        List<ToolExecutionRequest> calls = new ArrayList<>();
        for (LlmContent part : parts) {
            if (part instanceof LlmContent.ToolUse use) {
                toolNames.put(use.id(), use.name());
                calls.add(ToolExecutionRequest.builder()
                        .id(use.id())
                        .name(use.name())
                        .arguments(ChatModelJson.isObject(use.input()) ? use.input() : "{}")
                        .build());
            } else if (part instanceof LlmContent.Reasoning reasoning) {
                Reasonings.addTo(message, reasoning);
            }
        }
        String text = text(parts);
        if (!text.isBlank()) {
            message.text(text);
        }
        if (!calls.isEmpty()) {
            message.toolExecutionRequests(calls);
        }
        if (!text.isBlank() || !calls.isEmpty()) {
            messages.add(message.build());
        }
    }

    private static String text(List<LlmContent> parts) {
        return parts.stream()
                .filter(LlmContent.Text.class::isInstance)
                .map(part -> ((LlmContent.Text) part).text())
                .filter(text -> !text.isBlank())
                .collect(Collectors.joining("\n\n"));
    }
}
