package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.maestro.story.Story;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A repository behind a server that is down at times. */
@Timeout(60)
class OfflineStoryTest {
    @TempDir
    Path directory;

    private final AtomicBoolean down = new AtomicBoolean();
    private Path bare;
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        TestRepository repository = TestRepository.create(directory, Map.of("a", "b"));
        repository.git("update-server-info");
        bare = Path.of(repository.url().replaceFirst("^file://", ""));
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/app.git/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        Path file = bare.resolve(exchange.getRequestURI().getPath().replaceFirst("^/app.git/", ""));
        try (exchange) {
            if (down.get() || !Files.isRegularFile(file)) {
                exchange.sendResponseHeaders(down.get() ? 503 : 404, -1);
            } else {
                byte[] content = Files.readAllBytes(file);
                exchange.sendResponseHeaders(200, content.length == 0 ? -1 : content.length);
                exchange.getResponseBody().write(content);
            }
        }
    }

    @Test
    void aStoryBeginsOnWhatWasFetchedLast() throws Exception {
        AtomicBoolean begun = new AtomicBoolean();
        Reply done = Reply.toolCall("done", Map.of("summary", "nothing to do"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(done)
                .turn(request -> {
                    begun.set(down.getAndSet(false));
                    return done;
                })
                .build();
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository("http://127.0.0.1:" + server.getAddress().getPort() + "/app.git")
                .coderModel(coder)
                .architect(new Approving())
                .testCommand("true")
                .tools(tools -> tools.discover(false))
                .build()) {
            for (String id : new String[] {"1", "2"}) {
                Story story = Story.builder(id, "Nothing")
                        .content("nothing")
                        .express()
                        .build();
                assertThat(maestro.run(story).outcome()).isEqualTo(Outcome.NO_CHANGE);
                down.set(true);
            }
        }
        assertThat(begun).as("the coder worked while the server was down").isTrue();
    }
}
