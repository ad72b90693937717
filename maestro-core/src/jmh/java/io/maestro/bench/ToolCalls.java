package io.maestro.bench;

import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.service.tool.DefaultToolExecutor;
import io.maestro.internal.Threads;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.ToolRuntime;
import io.maestro.runtime.internal.DefaultToolContext;
import io.maestro.secrets.CleanText;
import io.maestro.secrets.SecretRedactor;
import io.maestro.tools.AgentTools;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The ways to call one and the same tool with the same arguments. {@link ToolRuntimeBench} runs them. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ToolCalls {
    static final String ARGUMENTS = "{\"key\":\"APP-42\",\"fields\":[\"title\",\"state\"],\"limit\":3}";

    private final Tool tool = call -> io.maestro.tools.ToolResult.ok(
            read(call.arguments().string("key"), call.arguments().strings("fields"), (int)
                    call.arguments().integer("limit")));
    private final ToolCall parsed = new ToolCall(
            "1",
            "ticket_read",
            ToolArguments.of(Map.of("key", "APP-42", "fields", List.of("title", "state"), "limit", 3)),
            Duration.ofSeconds(60));
    private final ToolInvocation invocation = new ToolInvocation(
            "1", "ticket_read", ARGUMENTS, new ToolInvocation.Caller("session", "coder-001", "042", 1, "CODING"));
    private final ToolExecutionRequest request = ToolExecutionRequest.builder()
            .id("1")
            .name("ticket_read")
            .arguments(ARGUMENTS)
            .build();

    private ExecutorService threads;
    private DefaultToolExecutor langChain4j;
    private AgentTools provider;
    private ToolRuntime withoutRecord;
    private ToolRuntime withMemoryRecord;
    private Path directory;
    private Store sqlite;
    private ToolRuntime withSqliteRecord;

    /** What the tool does, whoever calls it. */
    static String read(String key, List<String> fields, int limit) {
        return key + " " + String.join(",", fields) + " " + limit;
    }

    /** The same tool as LangChain4j wants it. */
    public static final class AnnotatedTool {
        /** Called by reflection. */
        @dev.langchain4j.agent.tool.Tool("Reads a ticket")
        public String ticketRead(
                @P(name = "key", value = "Ticket key") String key,
                @P(name = "fields", value = "What to read") List<String> fields,
                @P(name = "limit", value = "How many") int limit) {
            return read(key, fields, limit);
        }
    }

    private final class Factory implements ToolFactory {
        @Override
        public ToolDefinition definition() {
            return ToolDefinition.builder("ticket_read")
                    .description("Reads a ticket")
                    .input(schema -> schema.requiredString("key", "Ticket key")
                            .required("fields", Property.array("What to read", Property.string("")))
                            .requiredInteger("limit", "How many"))
                    .build();
        }

        @Override
        public Tool create(ToolContext context) {
            return tool;
        }
    }

    @Setup
    public void setUp() throws NoSuchMethodException, IOException {
        threads = Threads.newExecutor("bench");
        langChain4j = new DefaultToolExecutor(
                new AnnotatedTool(), AnnotatedTool.class.getMethod("ticketRead", String.class, List.class, int.class));
        ToolRegistry registry = ToolRegistry.builder().build().register(new Factory());
        provider = registry.agentTools(DefaultToolContext.builder("coder-001", ToolAudience.CODER_CODING)
                .build());
        AtomicReference<String> last = new AtomicReference<>();
        withoutRecord = runtime((call, answer) -> {});
        withMemoryRecord = runtime((call, answer) -> last.set(call.toString()));
        directory = Files.createTempDirectory("maestro-bench");
        sqlite = Store.sqlite(directory.resolve("maestro.db"), SecretRedactor.withDefaults());
        withSqliteRecord = runtime(sqlite::recordToolExecution);
    }

    @TearDown
    public void tearDown() throws IOException {
        withoutRecord.close();
        withMemoryRecord.close();
        withSqliteRecord.close();
        sqlite.close();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
        threads.shutdownNow();
    }

    private static ToolRuntime runtime(BiConsumer<AuditLog.ToolExecution, CleanText> record) {
        return ToolRuntime.builder()
                .record(record)
                .redactor(SecretRedactor.withDefaults())
                .build();
    }

    /** The floor: the arguments are already parsed, nothing is checked. */
    @Benchmark
    public String bare() throws Exception {
        return tool.execute(parsed).text();
    }

    /** The floor on a thread of its own, as a time limit needs it. */
    @Benchmark
    public String bareOnThread() throws Exception {
        return threads.submit(() -> tool.execute(parsed))
                .get(60, TimeUnit.SECONDS)
                .text();
    }

    /** Parses and converts the arguments and calls by reflection; no validation, time limit, redaction or record. */
    @Benchmark
    public String langChain4j() {
        return langChain4j.execute(request, "memory");
    }

    /** Everything but the record. */
    @Benchmark
    public String maestro() {
        return withoutRecord.call(provider, invocation).text();
    }

    /** Everything, with the record in memory. */
    @Benchmark
    public String maestroMemoryRecord() {
        return withMemoryRecord.call(provider, invocation).text();
    }

    /** Everything, as it is in use: the answer comes when its row is on the disk. */
    @Benchmark
    public String maestroSqliteRecord() {
        return withSqliteRecord.call(provider, invocation).text();
    }
}
