package io.maestro.mcp;

import io.maestro.tools.InputSchema;
import io.maestro.tools.Property;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolProgress;
import io.maestro.tools.ToolResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Tools like those that the recorded exchanges were made with. */
final class LabTools implements McpTools {
    final List<McpCall> calls = new CopyOnWriteArrayList<>();
    final List<String> interrupted = new CopyOnWriteArrayList<>();
    final AtomicInteger running = new AtomicInteger();
    private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();

    @Override
    public List<ToolDefinition> list() {
        InputSchema text = InputSchema.of(schema -> schema.requiredString("text", "what to say"));
        return List.of(
                tool("echo", text).readOnly().build(),
                tool("fail", text).build(),
                tool("boom", InputSchema.empty()).build(),
                tool("structured", InputSchema.empty()).readOnly().build(),
                tool("wait", text).readOnly().build(),
                tool("big", InputSchema.of(schema -> schema.requiredInteger("n", "how much")))
                        .build(),
                tool("maestro_done", InputSchema.of(schema -> schema.requiredString("summary", "what was done")))
                        .build(),
                tool(
                                "located",
                                InputSchema.of(schema -> schema.required(
                                        "region", Property.string("where").with("x-mcp-header", "Region"))))
                        .build());
    }

    private static ToolDefinition.Builder tool(String name, InputSchema input) {
        return ToolDefinition.builder(name).description("The tool " + name).input(input);
    }

    @Override
    public McpAnswer answer(McpCall call, ToolProgress progress) {
        progress.step("at the gate");
        return answer(call);
    }

    @Override
    public ToolResult call(McpCall call) {
        calls.add(call);
        running.incrementAndGet();
        try {
            return switch (call.tool()) {
                case "echo" -> ToolResult.ok("echo: " + value(call, "text"));
                case "fail" -> ToolResult.error("tool failed: " + value(call, "text"));
                case "boom" -> throw new IllegalStateException("planted-secret");
                case "structured" ->
                    ToolResult.builder("text part").data("a", 1).build();
                case "wait" -> await(value(call, "text"));
                case "stubborn" -> awaitWhateverComes(value(call, "text"));
                case "interrupting" -> {
                    Thread.currentThread().interrupt();
                    yield ToolResult.ok("interrupted myself");
                }
                case "big" -> ToolResult.ok("x".repeat(Integer.parseInt(value(call, "n"))));
                case "maestro_done" -> ToolResult.ok("Recorded. Stop now.");
                case "located" -> ToolResult.ok("in " + value(call, "region"));
                default -> ToolResult.error("no tool " + call.tool());
            };
        } finally {
            running.decrementAndGet();
        }
    }

    private static String value(McpCall call, String name) {
        return Messages.read(call.input()).path(name).asText();
    }

    private ToolResult await(String gate) {
        try {
            return gate(gate).await(60, TimeUnit.SECONDS)
                    ? ToolResult.ok("waited for " + gate)
                    : ToolResult.error("nobody opened " + gate);
        } catch (InterruptedException e) {
            interrupted.add(gate);
            return ToolResult.error("interrupted");
        }
    }

    /** Ignores that it is interrupted. */
    private ToolResult awaitWhateverComes(String gate) {
        while (gate(gate).getCount() > 0) {
            ToolResult result = await(gate);
            if (!result.isError()) {
                return result;
            }
        }
        return ToolResult.ok("waited for " + gate);
    }

    /** Lets the calls of {@code wait} and {@code stubborn} with this text end. */
    void open(String gate) {
        gate(gate).countDown();
    }

    private CountDownLatch gate(String name) {
        return gates.computeIfAbsent(name, key -> new CountDownLatch(1));
    }
}
