package io.maestro.telemetry;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.maestro.Approving;
import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.PlaceLlm;
import io.maestro.telemetry.otel.OpenTelemetryTracing;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TelemetryTest {
    private static final AttributeKey<String> CALL = AttributeKey.stringKey("gen_ai.tool.call.id");
    private static final AttributeKey<String> STORY = AttributeKey.stringKey("gen_ai.conversation.id");
    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

    @TempDir
    Path directory;

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final InMemoryMetricReader reader = InMemoryMetricReader.create();
    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                    .build())
            .setMeterProvider(
                    SdkMeterProvider.builder().registerMetricReader(reader).build())
            .build();
    private TestRepository repository;

    @BeforeEach
    void create() {
        repository = TestRepository.create(directory, Map.of("README.md", "x"));
    }

    @AfterEach
    void close() {
        sdk.close();
    }

    private static PlaceLlm coder() {
        return new PlaceLlm()
                .calls("PLANNING", "no_such_tool", "x", "y")
                .says(
                        "PLANNING",
                        new io.maestro.llm.LlmContent.ToolUse("p1", "list_files", "{}"),
                        new io.maestro.llm.LlmContent.ToolUse("p2", "read_file", "{\"path\":\"README.md\"}"))
                .calls("PLANNING", "submit_plan", "plan", "p")
                .calls("CODING", "shell", "cmd", "false")
                .calls("CODING", "shell", "cmd", "echo $TRACEPARENT > trace.txt")
                .calls("CODING", "done", "summary", "wrote it");
    }

    private MaestroBuilder builder(String name) {
        return Maestro.builder()
                .projectDirectory(directory.resolve(name))
                .repository(repository.url())
                .coderModel(coder())
                .architect(new Approving())
                .testCommand("test -s trace.txt -o -f README.md");
    }

    private static Map<String, SpanData> byId(List<SpanData> spans) {
        return spans.stream().collect(Collectors.toMap(SpanData::getSpanId, Function.identity()));
    }

    @Test
    void eachRowHasItsSpanAndEachSpanItsRow() {
        List<AuditLog.ToolExecution> rows;
        List<AuditLog.Cost> costs;
        try (Maestro maestro =
                builder("project").telemetry(OpenTelemetryTracing.of(sdk)).build()) {
            StoryResult result =
                    maestro.run(Story.builder("042", "Add").content("Do it.").build());
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            rows = maestro.auditLog().toolExecutions("042");
            costs = maestro.auditLog().costs("042");
        }
        List<SpanData> spans = exporter.getFinishedSpanItems();
        List<SpanData> tools = spans.stream()
                .filter(span -> span.getName().startsWith("execute_tool "))
                .toList();
        assertThat(tools)
                .extracting(span -> span.getName() + " " + span.getAttributes().get(CALL))
                .containsExactlyInAnyOrderElementsOf(rows.stream()
                        .map(row -> "execute_tool " + row.tool() + " " + row.callId())
                        .toList());
        for (SpanData span : tools) {
            AuditLog.ToolExecution row = rows.stream()
                    .filter(one -> one.callId().equals(span.getAttributes().get(CALL)))
                    .findFirst()
                    .orElseThrow();
            boolean failed = row.error() != null || Objects.requireNonNullElse(row.exitCode(), 0) != 0;
            assertThat(span.getStatus().getStatusCode() == StatusCode.ERROR)
                    .as(span.getName())
                    .isEqualTo(failed);
            assertThat(span.getStartEpochNanos() / 1_000_000).isEqualTo(row.at().toEpochMilli());
        }
        List<SpanData> models = spans.stream()
                .filter(span -> span.getName().equals("chat place"))
                .toList();
        assertThat(models)
                .hasSize((int) costs.stream().mapToLong(AuditLog.Cost::requests).sum());
        assertThat(models).extracting(SpanData::getKind).containsOnly(SpanKind.CLIENT);
        assertThat(models)
                .extracting(span -> span.getAttributes().get(AttributeKey.longKey("gen_ai.usage.output_tokens")))
                .doesNotContainNull();

        List<SpanData> agents = spans.stream()
                .filter(span -> span.getName().equals("invoke_agent coder-001"))
                .toList();
        assertThat(agents).hasSize(1);
        Map<String, SpanData> all = byId(spans);
        assertThat(spans).extracting(span -> span.getAttributes().get(STORY)).containsOnly("042");
        assertThat(spans)
                .filteredOn(span -> !span.equals(agents.get(0)))
                .allSatisfy(span -> assertThat(all).as(span.getName()).containsKey(span.getParentSpanId()));
        assertThat(spans)
                .extracting(SpanData::getTraceId)
                .containsOnly(agents.get(0).getTraceId());

        SpanData echo = tools.stream()
                .filter(span -> "CODING1".equals(span.getAttributes().get(CALL)))
                .findFirst()
                .orElseThrow();
        assertThat(repository.show("main", "trace.txt"))
                .as("what the command was given")
                .startsWith("00-" + echo.getTraceId() + "-" + echo.getSpanId() + "-0");
        assertThat(spans.toString()).doesNotContain("echo $TRACEPARENT").doesNotContain("wrote it");
    }

    @Test
    void anAgentAloneIsTracedAsAStoryIs() throws Exception {
        Path workspace = Files.createDirectory(directory.resolve("workspace"));
        List<AuditLog.ToolExecution> rows;
        long requests;
        Path file = directory.resolve("record.db");
        try (Store store = Store.sqlite(file, SecretRedactor.withDefaults())) {
            try (Agent agent = Maestro.agent()
                    .id("helper")
                    .directory(workspace)
                    .model(new PlaceLlm()
                            .calls("CODING", "no_such_tool", "x", "y")
                            .calls("CODING", "shell", "cmd", "echo $TRACEPARENT > trace.txt")
                            .calls("CODING", "done", "summary", "wrote it"))
                    .record(file)
                    .telemetry(OpenTelemetryTracing.of(sdk))
                    .build()) {
                assertThat(agent.run(AgentTask.of("Write it.")).ending()).isEqualTo(AgentResult.Ending.COMPLETED);
            }
            rows = store.toolExecutions("helper");
            requests = store.costs("helper").stream()
                    .mapToLong(AuditLog.Cost::requests)
                    .sum();
        }
        List<SpanData> spans = exporter.getFinishedSpanItems();
        SpanData agent = spans.stream()
                .filter(span -> span.getName().equals("invoke_agent helper"))
                .findFirst()
                .orElseThrow();
        assertThat(spans)
                .filteredOn(span -> span.getName().startsWith("execute_tool "))
                .extracting(span -> span.getName() + " " + span.getAttributes().get(CALL))
                .containsExactlyInAnyOrderElementsOf(rows.stream()
                        .map(row -> "execute_tool " + row.tool() + " " + row.callId())
                        .toList());
        assertThat(rows).hasSize(3);
        assertThat(spans)
                .filteredOn(span -> span.getName().equals("chat place"))
                .hasSize((int) requests)
                .hasSize(3);
        assertThat(spans).hasSize(1 + 3 + 3).extracting(SpanData::getTraceId).containsOnly(agent.getTraceId());
        SpanData echo = spans.stream()
                .filter(span -> "CODING1".equals(span.getAttributes().get(CALL)))
                .findFirst()
                .orElseThrow();
        assertThat(Files.readString(workspace.resolve("trace.txt")))
                .as("what the command was given")
                .startsWith("00-" + echo.getTraceId() + "-" + echo.getSpanId() + "-0");
    }

    @Test
    void anAgentAloneThatFailsHasASpanThatFails() {
        try (Agent agent = Maestro.agent()
                .directory(directory)
                .model(new PlaceLlm())
                .telemetry(OpenTelemetryTracing.of(sdk))
                .build()) {
            assertThatThrownBy(() -> agent.run(AgentTask.of("Write it."))).isInstanceOf(RuntimeException.class);
        }
        assertThat(exporter.getFinishedSpanItems())
                .extracting(SpanData::getName, span -> span.getStatus().getStatusCode())
                .containsExactly(tuple("chat place", StatusCode.ERROR), tuple("invoke_agent agent", StatusCode.ERROR));
    }

    @Test
    void metricsCountTokensTimesAndMoney() {
        OpenTelemetryTracing tracing = OpenTelemetryTracing.of(sdk);
        for (int i = 0; i < 400; i++) {
            Telemetry.Operation call =
                    new Telemetry.Operation(Telemetry.Kind.TOOL, "made up " + i, "s", "a", 1, "CODING", "c" + i);
            try (Telemetry.Span span = tracing.start(call, Instant.now())) {
                span.failed("tool_error");
            }
        }
        for (int i = 0; i < 400; i++) {
            Telemetry.Operation call =
                    new Telemetry.Operation(Telemetry.Kind.OWN_TOOL, "tool " + i, "s", "a", 1, "CODING", "d" + i);
            try (Telemetry.Span span = tracing.start(call, Instant.now())) {
                if (i == 7) {
                    span.failed("exit_code");
                }
            }
            try (Telemetry.Span span = tracing.start(call, Instant.now())) {
                span.failed("tool_error");
            }
        }
        Telemetry.Operation chat = new Telemetry.Operation(Telemetry.Kind.MODEL, "m", "s", "a", 1, "CODING", null);
        try (Telemetry.Span span = tracing.start(chat, Instant.now())) {
            span.answered("m-2", new io.maestro.llm.Usage(10, 5, 2, 1), new java.math.BigDecimal("0.5"));
        }
        Collection<MetricData> metrics = reader.collectAllMetrics();
        assertThat(metrics)
                .extracting(MetricData::getName)
                .containsExactlyInAnyOrder(
                        "gen_ai.client.token.usage", "gen_ai.client.operation.duration", "maestro.cost");
        MetricData tokens = metrics.stream()
                .filter(metric -> metric.getName().endsWith("usage"))
                .findFirst()
                .orElseThrow();
        assertThat(tokens.getHistogramData().getPoints())
                .extracting(point ->
                        point.getAttributes().get(AttributeKey.stringKey("gen_ai.token.type")) + " " + point.getSum())
                .containsExactlyInAnyOrder("input 13.0", "output 5.0");
        MetricData durations = metrics.stream()
                .filter(metric -> metric.getName().endsWith("duration"))
                .findFirst()
                .orElseThrow();
        assertThat(durations.getHistogramData().getPoints())
                .as("a model can call what it likes; what ran has a name, up to a limit")
                .hasSize(2 * (300 + 1) + 1)
                .extracting(
                        point -> String.valueOf(point.getAttributes().get(AttributeKey.stringKey("gen_ai.tool.name"))))
                .contains("tool 0", "tool 7", "_OTHER")
                .noneMatch(name -> name.startsWith("made up"));
        assertThat(exporter.getFinishedSpanItems().get(0).getAttributes().get(ERROR))
                .isEqualTo("tool_error");
    }

    /** What a host gives may fail in each way. */
    @Test
    void aTelemetryThatFailsHarmsNoWork() {
        Telemetry broken = new Telemetry() {
            @Override
            public Span start(Operation operation, Instant began) {
                if (operation.kind() == Kind.TOOL) {
                    throw new IllegalStateException("no span");
                }
                return new Span() {
                    @Override
                    public Scope enter() {
                        throw new IllegalStateException("no scope");
                    }

                    @Override
                    public void answered(String model, io.maestro.llm.Usage usage, java.math.BigDecimal dollars) {
                        throw new NoClassDefFoundError("no answer");
                    }

                    @Override
                    public void close() {
                        throw new IllegalStateException("no end");
                    }
                };
            }

            @Override
            public Context current() {
                throw new IllegalStateException("nothing is current");
            }

            @Override
            public Map<String, String> variables() {
                return null;
            }
        };
        try (Maestro maestro = builder("broken").telemetry(broken).build()) {
            assertThat(maestro.run(Story.builder("042", "Add").content("Do it.").build())
                            .outcome())
                    .isEqualTo(StoryResult.Outcome.MERGED);
        }
    }
}
