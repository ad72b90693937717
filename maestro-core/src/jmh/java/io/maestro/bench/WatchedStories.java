package io.maestro.bench;

import com.sun.management.OperatingSystemMXBean;
import io.maestro.Approving;
import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.telemetry.otel.OpenTelemetryTracing;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricExporter;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The same story again and again, each time watched in another way. {@link WatchingBench} runs it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class WatchedStories {
    /** Milliseconds that the model writes at each answer. */
    @Param("75")
    public int thought;

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private Path directory;
    private Path project;
    private OpenTelemetrySdk sdk;
    private InMemorySpanExporter spans;
    private InMemoryMetricExporter metrics;
    private Maestro maestro;
    private Watcher watcher;
    private int number;

    /** Makes what a host has that traces: it exports in batches. */
    @Setup(Level.Trial)
    public void setUp() throws IOException {
        directory = Files.createTempDirectory("maestro-bench");
        spans = InMemorySpanExporter.create();
        metrics = InMemoryMetricExporter.create();
        sdk = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(BatchSpanProcessor.builder(spans)
                                .setScheduleDelay(Duration.ofSeconds(1))
                                .build())
                        .build())
                .setMeterProvider(SdkMeterProvider.builder()
                        .registerMetricReader(PeriodicMetricReader.builder(metrics)
                                .setInterval(Duration.ofSeconds(10))
                                .build())
                        .build())
                .build();
    }

    /** A new repository, a new record, and whoever watches. */
    @Setup(Level.Invocation)
    public void begin() throws Exception {
        Watch watch = Watch.of(number);
        project = Files.createDirectory(directory.resolve("project" + number++));
        Map<String, String> files = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            files.put("src/d" + i % 10 + "/f" + i + ".txt", "line " + i + "\n" + "text\n".repeat(50));
        }
        files.put("check.sh", "for i in 1 2 3; do grep -rq health src || exit 1; done\ngit diff --check\n");
        TestRepository repository = TestRepository.create(project, files);
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(project.resolve("work"))
                .repository(repository.url())
                .coderModel(new Writer(Duration.ofMillis(thought)))
                .architect(new Approving())
                .testCommand("sh check.sh");
        if (watch.isMonitored()) {
            builder.monitor(0);
        }
        if (watch.isTraced()) {
            builder.telemetry(OpenTelemetryTracing.of(sdk));
        }
        maestro = builder.build();
        if (watch.isMonitored()) {
            watcher = new Watcher(maestro.monitor().orElseThrow(), "042");
        }
    }

    /** What a story has needed beside its time. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Needed {
        /** Processor time of this JVM in milliseconds: the work of the commands and of git is not in it. */
        public double processor;
    }

    /** The story, from its text to its merge. */
    @Benchmark
    public StoryResult story(Needed needed) {
        long before = SYSTEM.getProcessCpuTime();
        StoryResult result = maestro.run(Story.builder("042", "Add a health endpoint")
                .content("It says OK.")
                .build());
        needed.processor += (SYSTEM.getProcessCpuTime() - before) / 1e6;
        return result;
    }

    /** Sees that what was to be done has been done, and seen. */
    @TearDown(Level.Invocation)
    public void end() throws Exception {
        if (!maestro.auditLog().story("042").orElseThrow().state().name().equals("DONE")) {
            throw new IllegalStateException(
                    "the story is not merged: " + maestro.auditLog().story("042"));
        }
        if (watcher != null) {
            watcher.awaitSeen();
            watcher = null;
        }
        maestro.close();
        spans.reset();
        metrics.reset();
        delete(project);
    }

    /** Removes all. */
    @TearDown(Level.Trial)
    public void removeAll() throws IOException {
        sdk.close();
        delete(directory);
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> paths = Files.walk(tree)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
