package io.maestro.monitor;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.Approving;
import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import io.maestro.story.Story;
import io.maestro.team.internal.PlaceLlm;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A Maestro with a monitor, whose models write as slowly as models do. */
final class MonitoredProject implements AutoCloseable {
    static final String SECRET = "correct horse battery";

    final PlaceLlm model = new PlaceLlm();
    final PlaceLlm architect = new PlaceLlm();
    final Maestro maestro;
    final URI page;
    private final HttpClient http = HttpClient.newHttpClient();

    /** Each word takes a time, and the twentieth of a text comes when somebody has seen the others. */
    record Slow(LlmClient client, Duration word, CountDownLatch seen) implements LlmClient {
        @Override
        public String model() {
            return client.model();
        }

        @Override
        public LlmResponse complete(LlmRequest request) {
            return client.complete(request);
        }

        @Override
        public LlmResponse complete(LlmRequest request, LlmStreamListener listener) {
            LlmResponse response = client.complete(request);
            for (LlmContent content : response.content()) {
                if (content instanceof LlmContent.Text text) {
                    String[] pieces = text.text().split("(?<= )");
                    for (int i = 0; i < pieces.length; i++) {
                        if (i == 20) {
                            await(seen);
                        }
                        listener.onText(pieces[i]);
                        LockSupport.parkNanos(word.toNanos());
                    }
                }
            }
            return response;
        }

        private static void await(CountDownLatch seen) {
            try {
                assertThat(seen.await(5, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    MonitoredProject(Path directory, Duration word) {
        this(directory, word, new CountDownLatch(0));
    }

    MonitoredProject(Path directory, Duration word, CountDownLatch seen) {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "hello\n"));
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(new Slow(model, word, seen))
                .architect(new Approving())
                .architectModel(new Slow(architect, word, seen))
                .people(people -> people.decide(Architect.Kind.QUESTION, Architect.Kind.PLAN_REVIEW))
                .testCommand("true")
                .secret(SECRET)
                .monitor(0);
        maestro = builder.build();
        page = maestro.monitor().orElseThrow();
    }

    static Story story(String id, String title) {
        return Story.builder(id, title).content("Do it.").build();
    }

    HttpResponse<String> get(String path) throws Exception {
        return http.send(HttpRequest.newBuilder(page.resolve(path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path, String json) throws Exception {
        return http.send(
                HttpRequest.newBuilder(page.resolve(path))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(json))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        maestro.close();
    }
}
