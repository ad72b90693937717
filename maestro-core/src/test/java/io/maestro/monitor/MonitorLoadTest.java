package io.maestro.monitor;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.CoderState;
import io.maestro.testing.Await;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How fluent the page is with many calls, and what many who watch cost. The figures are printed; only bounds are asserted. */
@Full("writes thousands of calls, and starts a browser")
@Timeout(600)
class MonitorLoadTest {
    private static final int CLIENTS = 50;
    private static final int MESSAGES = 400;

    @TempDir
    Path directory;

    private MonitoredProject project;

    @BeforeEach
    void open() {
        project = new MonitoredProject(directory, Duration.ZERO);
    }

    @AfterEach
    void close() {
        project.close();
    }

    private static AuditLog.ToolExecution call(String session, int number, Instant from) {
        String[] tools = {"shell", "read_file", "write_file", "search_files", "test"};
        boolean failed = number % 17 == 0;
        return new AuditLog.ToolExecution(
                session,
                "coder-00" + (1 + number % 8),
                "s" + number % 40,
                1,
                "CODING",
                tools[number % tools.length],
                "call" + number,
                null,
                "{\"cmd\":\"command number " + number + "\"}",
                failed ? null : "x".repeat(500),
                failed ? "it failed" : null,
                failed ? 1 : 0,
                20 + number * 37L % 3_000,
                from.plusMillis(number * 150L));
    }

    private void write(int calls) {
        try (Store store =
                Store.sqlite(directory.resolve("project/.maestro/maestro.db"), SecretRedactor.withDefaults())) {
            Instant from = Instant.now().minusMillis(calls * 150L);
            String session = project.maestro.sessionId();
            for (int i = 0; i < 40; i++) {
                store.saveStory(new AuditLog.StoryRecord(
                        "s" + i,
                        session,
                        "Story number " + i,
                        "Do it.",
                        "DEVELOPMENT",
                        false,
                        CoderState.WAITING,
                        1,
                        null,
                        null,
                        null,
                        null,
                        "{}",
                        null,
                        List.of(),
                        Instant.now()));
            }
            IntStream.range(0, 8).parallel().forEach(lane -> {
                for (int i = lane; i < calls; i += 8) {
                    store.recordToolExecution(call(session, i, from));
                }
            });
        }
    }

    private static double heap(Browser browser) throws Exception {
        browser.call("HeapProfiler.collectGarbage", Map.of());
        return browser.value("performance.memory.usedJSHeapSize").asDouble() / 1e6;
    }

    @Test
    void manyCallsAreFluent() throws Exception {
        int calls = Campaign.number(20_000);
        write(calls);
        try (Browser browser = new Browser(directory.resolve("profile"))) {
            browser.size(1400, 900);
            browser.open(project.page);
            browser.until("document.getElementById('connection').textContent === 'live'");
            browser.value("document.getElementById('tab-calls').click()");
            browser.until("document.querySelector('#list .row')");
            double first = browser.value("performance.now()").asDouble();
            browser.until("document.body.dataset.read === 'all'");
            double all = browser.value("performance.now()").asDouble();
            String total = String.format(Locale.ENGLISH, "%,d", calls);
            browser.until("document.getElementById('found').textContent === '" + total + " of " + total + " calls'");
            double filter = browser.value(
                            "(() => { const form = document.getElementById('filters'), from = performance.now();"
                                    + "form.elements.text.value = 'number 1'; form.dispatchEvent(new Event('input'));"
                                    + "return performance.now() - from; })()")
                    .asDouble();
            assertThat(browser.value("document.getElementById('found').textContent")
                            .asText())
                    .endsWith(" of " + total + " calls")
                    .doesNotStartWith(total + " ");
            browser.value("document.getElementById('filters').reset();"
                    + "document.getElementById('filters').dispatchEvent(new Event('input'))");
            double frames = browser.value(
                            "(async () => { const list = document.getElementById('list'), n = 60; let from = performance.now();"
                                    + "for (let i = 0; i < n; i++) { list.scrollTop = list.scrollHeight * i / n;"
                                    + "await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame); }"
                                    + "return (performance.now() - from) / n / 2; })()")
                    .asDouble();
            assertThat(browser.value("document.querySelectorAll('#list .row').length")
                            .asInt())
                    .isLessThan(100);
            double heap = heap(browser);
            System.out.printf(
                    Locale.ROOT,
                    "monitor, %d calls: first row after %.0f ms, all after %.0f ms, filter %.1f ms, %.1f ms for a frame of scrolling,"
                            + " heap of the page %.0f MB%n",
                    calls,
                    first,
                    all,
                    filter,
                    frames,
                    heap);
            assertThat(heap).isLessThan(300);
            assertThat(browser.complaints).isEmpty();
        }
    }

    @Test
    void manyWatchAndASlowOneCostsNobodyAnything() throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        List<AtomicLong> read = new ArrayList<>();
        List<InputStream> streams = new ArrayList<>();
        try {
            for (int i = 0; i <= CLIENTS; i++) {
                InputStream stream = http.send(
                                HttpRequest.newBuilder(project.page.resolve("events"))
                                        .build(),
                                HttpResponse.BodyHandlers.ofInputStream())
                        .body();
                streams.add(stream);
                AtomicLong count = new AtomicLong();
                read.add(count);
                if (i < CLIENTS) {
                    CompletableFuture<Void> unused = CompletableFuture.runAsync(
                            () -> count(stream, count), task -> new Thread(task, "watches").start());
                }
            }
            Runtime runtime = Runtime.getRuntime();
            System.gc();
            long before = runtime.totalMemory() - runtime.freeMemory();
            long start = System.nanoTime();
            String text = "x".repeat(2_000);
            for (int i = 0; i < MESSAGES; i++) {
                project.maestro.chat().post("ada", text + i);
            }
            double posted = (System.nanoTime() - start) / 1e6;
            Await.until(
                    "all have read all",
                    () -> read.subList(0, CLIENTS).stream().allMatch(count -> count.get() == MESSAGES));
            double told = (System.nanoTime() - start) / 1e6;
            System.gc();
            long after = runtime.totalMemory() - runtime.freeMemory();
            System.out.printf(
                    Locale.ROOT,
                    "monitor, %d who watch and one that reads nothing: %d messages posted in %.0f ms, read by all after %.0f ms; heap %+.1f MB%n",
                    CLIENTS,
                    MESSAGES,
                    posted,
                    told,
                    (after - before) / 1e6);
            assertThat(after - before).isLessThan(64_000_000);
            assertThat(project.get("board").statusCode()).isEqualTo(200);
        } finally {
            for (InputStream stream : streams) {
                stream.close();
            }
        }
    }

    private static void count(InputStream stream, AtomicLong count) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("data: ") && line.contains("ChatPosted")) {
                    count.incrementAndGet();
                }
            }
        } catch (java.io.IOException e) {
            // Closed at the end.
        }
    }
}
