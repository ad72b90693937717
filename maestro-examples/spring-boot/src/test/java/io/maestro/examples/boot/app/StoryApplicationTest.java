package io.maestro.examples.boot.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.examples.boot.MaestroAutoConfiguration;
import io.maestro.examples.testing.GreetingProject;
import io.maestro.llm.LlmClient;
import io.maestro.llm.Usage;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.servlet.ViewResolver;

/** The application as it is, with models that play a script. */
@ExtendWith(OutputCaptureExtension.class)
class StoryApplicationTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String MODEL = "claude-sonnet-5";
    private static final Reply PLAN = Reply.toolCall("submit_plan", Map.of("plan", "say it in Spanish"));
    private static final Reply WRITE =
            Reply.toolCall("write_file", Map.of("path", "greeting.txt", "content", "¡Hola!"));
    private static final Reply DONE = Reply.toolCall("done", Map.of("summary", "it is in Spanish now"));
    private static final Reply APPROVED =
            Reply.toolCall("review_complete", Map.of("decision", "APPROVED", "feedback", "fine"));

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    Path directory;

    private GreetingProject project;

    @BeforeEach
    void makeTheProject() throws Exception {
        project = GreetingProject.in(directory);
    }

    @Test
    void aStoryThatIsPutIsMergedAndHealthAndMetersShowIt(CapturedOutput output) throws Exception {
        ScriptedLlm coder = ScriptedLlm.builder(MODEL)
                .turn(PLAN)
                .turn(WRITE)
                .turn(DONE.usage(new Usage(1000, 100, 0, 0)))
                .build();
        ScriptedLlm architect = approving();
        try (ConfigurableApplicationContext context = start(coder, architect)) {
            assertThat(put(context, "hola", Files.readString(project.story())).statusCode())
                    .isEqualTo(202);
            awaitInBody(context, "/actuator/metrics/maestro.stories.ended?tag=state:DONE", "\"value\":1.0");

            assertThat(get(context, "/stories/hola").body()).contains("\"DONE\"");
            assertThat(get(context, "/stories/nobody").statusCode()).isEqualTo(404);
            assertThat(put(context, "hola", "# Another text").statusCode()).isEqualTo(409);
            assertThat(put(context, "no%20id", "# A text").statusCode()).isEqualTo(400);
            assertThat(get(context, "/actuator/health").body())
                    .contains("\"maestro\":{\"status\":\"UP\"", "\"openStories\":0");
            assertThat(metric(context, "maestro.stories?tag=state:CODING")).contains("\"value\":0.0");
            assertThat(metric(context, "maestro.tool.calls?tag=tool:write_file"))
                    .contains("\"value\":1.0");
            assertThat(metric(context, "maestro.tokens?tag=type:input")).contains("\"value\":1000.0");
            assertThat(metric(context, "maestro.cost.dollars")).contains(MODEL).doesNotContain("\"value\":0.0}");
            assertThat(context.getBeansOfType(ViewResolver.class).keySet())
                    .noneMatch(name -> name.contains("mustache"));
        }
        coder.assertFinished();
        architect.assertFinished();
        assertThat(project.greeting()).isEqualTo("¡Hola!");
        assertThat(output).doesNotContain(" WARN ", " ERROR ", "WARNING");
    }

    @Full("starts the application twice; the tests of the core hold that a closed Maestro loses nothing")
    @Test
    void whatIsNotFinishedAtTheEndIsGoneOnWithAtTheNextStart() throws Exception {
        ScriptedLlm coder = ScriptedLlm.builder(MODEL)
                .turn(PLAN)
                .turn(WRITE)
                .turn(Reply.hang())
                .turn(DONE)
                .build();
        ScriptedLlm architect = approving();
        try (ConfigurableApplicationContext context = start(coder, architect)) {
            put(context, "hola", Files.readString(project.story()));
            awaitInBody(context, "/actuator/metrics/maestro.tool.calls?tag=tool:write_file", "\"value\":1.0");
            assertThat(get(context, "/actuator/health").body()).contains("\"openStories\":1", "hola CODING");
            assertThat(metric(context, "maestro.stories?tag=state:CODING")).contains("\"value\":1.0");
            // The third question is the one that is not answered.
            Instant end = Instant.now().plus(LIMIT);
            while (coder.requests().size() < 3) {
                assertThat(Instant.now()).isBefore(end);
                Thread.sleep(20);
            }
        }

        try (ConfigurableApplicationContext context = start(coder, architect)) {
            awaitInBody(context, "/stories/hola", "\"DONE\"");
        }
        coder.assertFinished();
        assertThat(project.greeting()).isEqualTo("¡Hola!");
    }

    @Test
    void theKeyIsAskedForByItsName() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(MaestroAutoConfiguration.class))
                .withPropertyValues("maestro.repository=origin.git", "ANTHROPIC_API_KEY=")
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("set ANTHROPIC_API_KEY"));
    }

    @Test
    void withoutARepositoryThePropertyIsNamed(CapturedOutput output) {
        assertThatThrownBy(() -> new SpringApplicationBuilder(StoryApplication.class)
                        .run("--server.port=0", "--server.tomcat.basedir=" + directory.resolve("tomcat")))
                .hasMessageContaining("Maestro");
        assertThat(output).contains("maestro.repository is not set", "--maestro.repository=https://");
    }

    private static ScriptedLlm approving() {
        return ScriptedLlm.builder(MODEL)
                .turn(APPROVED)
                .turn(APPROVED)
                .turn(APPROVED)
                .build();
    }

    /** The application, with beans in the place of the two models. */
    private ConfigurableApplicationContext start(LlmClient coder, LlmClient architect) {
        return new SpringApplicationBuilder(StoryApplication.class)
                .initializers((GenericApplicationContext context) -> {
                    context.registerBean("coderModel", LlmClient.class, () -> coder);
                    context.registerBean("architectModel", LlmClient.class, () -> architect);
                })
                .run(
                        "--server.port=0",
                        "--server.tomcat.basedir=" + directory.resolve("tomcat"),
                        "--maestro.repository=" + project.origin(),
                        "--maestro.directory=" + directory.resolve("maestro"),
                        "--maestro.test-command=" + GreetingProject.TEST_COMMAND);
    }

    private String metric(ConfigurableApplicationContext context, String name) throws Exception {
        return get(context, "/actuator/metrics/" + name).body();
    }

    private void awaitInBody(ConfigurableApplicationContext context, String path, String text) throws Exception {
        Instant end = Instant.now().plus(LIMIT);
        String body = get(context, path).body();
        while (!body.contains(text)) {
            assertThat(Instant.now()).as("%s says %s", path, body).isBefore(end);
            Thread.sleep(20);
            body = get(context, path).body();
        }
    }

    private HttpResponse<String> put(ConfigurableApplicationContext context, String id, String markdown)
            throws Exception {
        return send(HttpRequest.newBuilder(uri(context, "/stories/" + id))
                .header("content-type", "text/plain;charset=utf-8")
                .PUT(HttpRequest.BodyPublishers.ofString(markdown)));
    }

    private HttpResponse<String> get(ConfigurableApplicationContext context, String path) throws Exception {
        return send(HttpRequest.newBuilder(uri(context, path)));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.timeout(LIMIT).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static URI uri(ConfigurableApplicationContext context, String path) {
        int port = ((ServletWebServerApplicationContext) context).getWebServer().getPort();
        return URI.create("http://127.0.0.1:" + port + path);
    }
}
