package io.maestro.examples.boot.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.examples.testing.GreetingProject;
import io.maestro.examples.testing.Jdks;
import io.maestro.examples.testing.StubApi;
import io.maestro.testing.Full;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The application as it is deployed: one jar, with Maestro's jars in it, that ends by a signal. */
@Full("a JVM of its own; the short tier starts the same application in the JVM of the test")
class ExecutableJarIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    Path directory;

    @ParameterizedTest
    @MethodSource("jdks")
    void aStoryIsMerged(Path jdk) throws Exception {
        GreetingProject project = GreetingProject.in(directory);
        Path out = directory.resolve("out.txt");
        try (StubApi api = StubApi.greeting()) {
            ProcessBuilder builder = new ProcessBuilder(
                            jdk.resolve("bin/java").toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-jar",
                            System.getProperty("it.jar"),
                            "--server.port=0",
                            "--server.tomcat.basedir=" + directory.resolve("tomcat"),
                            "--maestro.repository=" + project.origin(),
                            "--maestro.test-command=" + GreetingProject.TEST_COMMAND)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile());
            builder.environment()
                    .putAll(Map.of("ANTHROPIC_API_KEY", "sk-ant-the-key-of-the-test", "ANTHROPIC_BASE_URL", api.url()));
            Process application = builder.start();
            try {
                String base = "http://127.0.0.1:"
                        + await(application, out, "Tomcat started on port (\\d+)")
                                .group(1);
                HttpRequest story = HttpRequest.newBuilder(URI.create(base + "/stories/hola"))
                        .header("content-type", "text/plain;charset=utf-8")
                        .PUT(HttpRequest.BodyPublishers.ofFile(project.story()))
                        .build();
                assertThat(http.send(story, HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(202);
                awaitDone(base);

                application.destroy();
                assertThat(application.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
            } finally {
                application.destroyForcibly().waitFor();
            }
        }
        assertThat(project.greeting()).isEqualTo("¡Hola!");
        assertThat(Files.readString(out))
                .contains("Graceful shutdown complete")
                .doesNotContain("WARN", " ERROR ", "sk-ant-the-key");
    }

    static Stream<Path> jdks() throws Exception {
        return Jdks.ownAndNewest();
    }

    private void awaitDone(String base) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(base + "/stories/hola")).build();
        Instant end = Instant.now().plus(LIMIT);
        String body = "";
        while (!body.contains("\"DONE\"")) {
            assertThat(Instant.now()).as(body).isBefore(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            body = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    private static Matcher await(Process process, Path out, String text) throws Exception {
        Instant end = Instant.now().plus(LIMIT);
        while (true) {
            String said = Files.readString(out);
            Matcher found = Pattern.compile(text).matcher(said);
            if (found.find()) {
                return found;
            }
            assertThat(process.isAlive() && Instant.now().isBefore(end))
                    .as(said)
                    .isTrue();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }
}
