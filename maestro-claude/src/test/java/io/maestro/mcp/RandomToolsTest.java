package io.maestro.mcp;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.runtime.RecordedCalls;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRuntime;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import io.maestro.testing.RandomSchemas;
import io.maestro.testing.RandomValues;
import io.maestro.tools.AgentTools;
import io.maestro.tools.InputSchema;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random tools over MCP: a client sees the schema as it is, what fits arrives, and what does not fit is refused. */
@Tag("campaign")
class RandomToolsTest {
    private static final ToolInvocation.Caller CALLER =
            new ToolInvocation.Caller("session", "coder-001", "042", 1, "CODING");
    private static final int MOST_BROKEN = 4;

    /** The id of the call that fits; the next ones do not. */
    private static final int FITTING = 2;

    private volatile InputSchema schema = InputSchema.empty();
    private volatile Map<String, Object> arrived = Map.of();
    private final AtomicInteger runs = new AtomicInteger();

    private final AgentTools provider = new AgentTools() {
        @Override
        public List<ToolDefinition> list() {
            return List.of(ToolDefinition.builder("tool")
                    .description("d")
                    .input(schema)
                    .build());
        }

        @Override
        public Tool get(String name) {
            return call -> {
                arrived = call.arguments().asMap();
                runs.incrementAndGet();
                return ToolResult.ok("done");
            };
        }

        @Override
        public String documentation() {
            return "";
        }
    };

    @Test
    void whatFitsArrivesAndWhatDoesNotIsRefused() throws Exception {
        call(Campaign.number(60));
    }

    @Test
    @Full("whatFitsArrivesAndWhatDoesNotIsRefused has fewer of such tools")
    void whatFitsManyToolsArrivesAndWhatDoesNotIsRefused() throws Exception {
        call(300);
    }

    private void call(int number) throws Exception {
        try (ToolRuntime runtime = ToolRuntime.builder()
                        .record(new RecordedCalls())
                        .redactor(text -> text)
                        .build();
                McpServer server = McpServer.builder(McpTools.of(runtime, provider, CALLER))
                        .build();
                TestClient client = Way.CONTROL.connect(server)) {
            client.begin("2025-11-25");
            for (long seed : Campaign.seeds("tools over MCP", number).toArray()) {
                call(client, seed);
            }
        }
    }

    private void call(TestClient client, long seed) throws JsonProcessingException {
        Random random = new Random(seed);
        Map<String, Object> tree = new RandomSchemas(random).schema();
        schema = InputSchema.ofMap(tree);
        RandomValues values = new RandomValues(random, tree);
        Map<String, Object> fitting = values.fitting();
        List<RandomValues.Broken> broken = values.broken(fitting);
        Collections.shuffle(broken, random);
        String as = "-Dseed=" + seed + ": " + Messages.MAPPER.writeValueAsString(tree) + ", ";

        JsonNode listed = client.ask(Messages.request(1, "tools/list", null)).at("/result/tools/0/inputSchema");
        assertThat(listed).as(as).isEqualTo(json(tree));
        runs.set(0);
        List<RandomValues.Broken> some = broken.subList(0, Math.min(MOST_BROKEN, broken.size()));
        send(client, FITTING, fitting);
        for (int i = 0; i < some.size(); i++) {
            send(client, FITTING + 1 + i, some.get(i).value());
        }
        JsonNode answer = client.answer(FITTING).path("result");
        assertThat(answer.path("isError").asBoolean(true))
                .as("%s%s: %s", as, fitting, answer)
                .isFalse();
        assertThat(json(arrived)).as("%s%s", as, fitting).isEqualTo(json(fitting));
        for (int i = 0; i < some.size(); i++) {
            JsonNode refused = client.answer(FITTING + 1 + i).path("result");
            assertThat(refused.path("isError").asBoolean())
                    .as("%s%s", as, some.get(i))
                    .isTrue();
            assertThat(refused.at("/content/0/text").asText())
                    .as("%s%s", as, some.get(i))
                    .contains("not valid");
        }
        assertThat(runs).as(as).hasValue(1);
    }

    private static void send(TestClient client, int id, Map<String, Object> arguments) {
        ObjectNode call = Messages.call(id, "tool", "{}");
        ((ObjectNode) call.path("params")).set("arguments", Messages.MAPPER.valueToTree(arguments));
        client.send(call);
    }

    /** As a client reads it. */
    private static JsonNode json(Object tree) throws JsonProcessingException {
        return Messages.read(Messages.MAPPER.writeValueAsString(tree));
    }
}
