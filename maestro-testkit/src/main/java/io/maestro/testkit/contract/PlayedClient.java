package io.maestro.testkit.contract;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmResponse.StopReason;
import io.maestro.llm.Usage;
import io.maestro.tools.ToolDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/** The client of a model that plays. */
record PlayedClient(String model, PlayedModel played) implements LlmClient {
    @Override
    public LlmResponse complete(LlmRequest request) {
        List<String> texts = new ArrayList<>();
        List<PlayedModel.Result> results = new ArrayList<>();
        int turns = 0;
        for (LlmMessage message : request.messages()) {
            if (message.role() == LlmMessage.Role.ASSISTANT) {
                turns++;
                continue;
            }
            for (LlmContent part : message.content()) {
                if (part instanceof LlmContent.Text text) {
                    texts.add(text.text());
                } else if (part instanceof LlmContent.ToolReply reply) {
                    results.add(new PlayedModel.Result(reply.text(), reply.error()));
                }
            }
        }
        PlayedModel.Said said = played.say(new PlayedModel.Asked(
                turns,
                request.system(),
                texts,
                results,
                request.tools().stream().map(ToolDefinition::name).toList()));
        if (said.hangs()) {
            hang();
        }
        return said.tool().isEmpty()
                ? answer(new LlmContent.Text(said.text()), StopReason.END_TURN)
                : answer(
                        new LlmContent.ToolUse(UUID.randomUUID().toString(), said.tool(), json(said)),
                        StopReason.TOOL_USE);
    }

    private LlmResponse answer(LlmContent content, StopReason reason) {
        return new LlmResponse(model, List.of(content), reason, new Usage(100, 20, 0, 0));
    }

    private static String json(PlayedModel.Said said) {
        try {
            return new ObjectMapper().writeValueAsString(said.input());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static void hang() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LlmInterruptedException("interrupted", e);
        }
    }
}
