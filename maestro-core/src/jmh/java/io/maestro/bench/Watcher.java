package io.maestro.bench;

import io.maestro.testing.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Asks the monitor for what the page asks for while it shows a story: all events, the board after some of them, and the story when it
 * has moved or has used more for a while.
 */
final class Watcher {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final ScheduledExecutorService LATER = Executors.newScheduledThreadPool(1, task -> {
        Thread thread = new Thread(task, "watcher");
        thread.setDaemon(true);
        return thread;
    });

    private static final long STORY_NANOS = 2_000_000_000L;

    private final URI page;
    private final String story;
    private final AtomicBoolean due = new AtomicBoolean();
    private final AtomicBoolean moved = new AtomicBoolean(true);
    private volatile long shown;
    private volatile boolean merged;
    private volatile boolean written;
    private volatile boolean looked;

    Watcher(URI page, String story) throws IOException, InterruptedException {
        this.page = page;
        this.story = story;
        InputStream events = HTTP.send(request("events"), HttpResponse.BodyHandlers.ofInputStream())
                .body();
        Thread reader = new Thread(() -> read(events), "events");
        reader.setDaemon(true);
        reader.start();
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(page.resolve(path)).build();
    }

    private void read(InputStream events) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(events, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                happened(line);
            }
        } catch (IOException e) {
            // The monitor has ended.
        }
    }

    private void happened(String line) {
        if (line.contains("\"TextWritten\"")) {
            written = true;
        }
        if (line.contains("\"StateChanged\"")) {
            moved.set(true);
            merged = line.contains("\"state\":\"DONE\"");
        }
        boolean quiet = !line.startsWith("data: ")
                || line.contains("\"TextWritten\"")
                || line.contains("\"ToolStarted\"")
                || line.contains("\"ToolProgressed\"")
                || line.contains("\"ModelCalled\"");
        if (!quiet && due.compareAndSet(false, true)) {
            LATER.schedule(this::look, 250, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        due.set(false);
        CompletableFuture<Void> unused = get("board").thenAccept(board -> {
            looked = true;
            if (moved.getAndSet(false) || System.nanoTime() - shown > STORY_NANOS) {
                shown = System.nanoTime();
                CompletableFuture<HttpResponse<Void>> unread = get("story?id=" + story);
            }
        });
    }

    private CompletableFuture<HttpResponse<Void>> get(String path) {
        return HTTP.sendAsync(request(path), HttpResponse.BodyHandlers.discarding());
    }

    /** Waits until it has seen what it came for; what is written to it may still be under way when the story has ended. */
    void awaitSeen() {
        Await.until("the page has seen text, the merge and the board", () -> written && merged && looked);
    }
}
