package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Limits;
import io.maestro.agent.spi.ScriptedCoderMode;
import io.maestro.git.hosted.HostedForge;
import io.maestro.git.hosted.HostedForgeBuilder;
import io.maestro.llm.AnthropicClient;
import io.maestro.llm.RawServer;
import io.maestro.story.CoderState;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A story whose services are not where its settings say: it ends at once, and no model is paid. Limits are those of users. */
@Timeout(60)
class FirstContactTest {
    private static final Story STORY =
            Story.builder("1", "Nothing").content("nothing").express().build();

    @TempDir
    Path directory;

    private TestRepository repository;

    @BeforeEach
    void repository() {
        repository = TestRepository.create(directory, Map.of("a", "b"));
    }

    private MaestroBuilder maestro() {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .testCommand("true")
                .tools(tools -> tools.discover(false));
    }

    private static AnthropicClient model(URI url) {
        return AnthropicClient.builder("claude-test")
                .apiKey("key-of-a-test")
                .baseUrl(url)
                .build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nested deeper than 200 levels", ".gitattributes is too long"})
    void aBranchThatNoSnapshotTakesEndsTheStoryAtOnce(String why) {
        repository = TestRepository.create(
                directory.resolve("refused"),
                why.startsWith("nested")
                        ? Map.of("d/".repeat(202) + "f", "x")
                        : Map.of(".gitattributes", "# a comment\n".repeat(90_000)));
        ScriptedLlm coder = ScriptedLlm.builder("coder").build();
        try (Maestro maestro = maestro()
                .coderModel(coder)
                .architectModel(ScriptedLlm.builder("architect").build())
                .build()) {
            StoryResult result = maestro.run(STORY);
            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.error().orElseThrow())
                    .contains("the branch 'main' of " + repository.url() + " cannot be worked on as it is", why);
        }
        assertThat(coder.requests()).isEmpty();
    }

    static Stream<Arguments> forges() {
        URI name = URI.create("https://ghe.corp.invalid");
        URI port = URI.create("http://127.0.0.1:1");
        return Stream.of(HostedForge.gitHub(), HostedForge.gitLab(), HostedForge.gitea())
                .flatMap(forge -> Stream.of(
                        Arguments.of(
                                forge,
                                name,
                                "the forge at https://ghe.corp.invalid cannot be reached: the host name does not"
                                        + " resolve; check forge.base_url"),
                        Arguments.of(
                                forge,
                                port,
                                "the forge at http://127.0.0.1:1 cannot be reached: the connection is refused; see"
                                        + " whether the server runs, and check forge.base_url")));
    }

    @ParameterizedTest
    @MethodSource("forges")
    void aForge(HostedForgeBuilder forge, URI url, String error) {
        ScriptedLlm coder = ScriptedLlm.builder("coder").build();
        try (Maestro maestro = maestro()
                .coderModel(coder)
                .architect(new Approving())
                .forge(forge.repository("acme/shop")
                        .baseUrl(url)
                        .token(() -> "token-of-a-test")
                        .build())
                .build()) {
            StoryResult result = maestro.run(STORY);
            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.error().orElseThrow()).startsWith("in SETUP: " + error);
            assertThat(maestro.auditLog().transitions("1"))
                    .extracting(transition -> transition.to())
                    .doesNotContain(CoderState.SUSPEND);
        }
        assertThat(coder.requests()).isEmpty();
    }

    @Test
    void theServiceOfAProgram() {
        ScriptedCoderMode mode =
                new ScriptedCoderMode(ScriptedLlm.builder("coder").build());
        mode.services = List.of(model(URI.create("https://api.invalid")));
        mode.found = executor -> Optional.of("version 1");
        try (Maestro maestro =
                maestro().coderMode(mode).architect(new Approving()).build()) {
            assertThat(maestro.check().findings())
                    .filteredOn(finding -> finding.subject() == CheckReport.Subject.CODER)
                    .extracting(finding -> finding.status() + " " + finding.detail())
                    .satisfiesExactly(
                            found -> assertThat(found).isEqualTo("OK version 1"),
                            asked -> assertThat(asked).startsWith("FAILED ").contains("https://api.invalid"));
            StoryResult result = maestro.run(STORY);
            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.error().orElseThrow()).startsWith("in SETUP: ").contains("https://api.invalid");
        }
        assertThat(mode.tasks).isEmpty();
    }

    @Test
    void anArchitectsModel() {
        ScriptedLlm coder = ScriptedLlm.builder("coder").build();
        try (Maestro maestro = maestro()
                .coderModel(coder)
                .architectModel(model(URI.create("https://api.invalid")))
                .build()) {
            StoryResult result = maestro.run(STORY);
            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.error().orElseThrow())
                    .startsWith(
                            "in SETUP: claude-test: the service at https://api.invalid cannot be reached: the host name"
                                    + " does not resolve; check the base URL (ANTHROPIC_BASE_URL)");
        }
        assertThat(coder.requests()).isEmpty();
    }

    @Test
    void theModelOfASpecification() {
        try (Maestro maestro =
                maestro().coderModel(model(URI.create("http://127.0.0.1:1"))).build()) {
            SpecResult result = maestro.runSpec(
                    Spec.builder("s", "Nothing").content("nothing").build());
            assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.FAILED);
            assertThat(result.error().orElseThrow()).contains("the connection is refused");
        }
    }

    /** It has answered the check, and is gone when it is to work. */
    @Test
    void aModelThatHasAnsweredIsWaitedFor() throws Exception {
        String answer = "{\"id\":\"claude-test\"}";
        RawServer server =
                new RawServer(socket -> RawServer.write(
                        socket,
                        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: "
                                + answer.length() + "\r\n\r\n" + answer)) {
                    @Override
                    protected void request(String head) throws IOException {
                        stopListening();
                    }
                };
        try (Maestro maestro = maestro()
                .coderModel(AnthropicClient.builder("claude-test")
                        .apiKey("key-of-a-test")
                        .baseUrl(server.url())
                        .connection(c -> c.maxRetries(0))
                        .build())
                .architect(new Approving())
                .limits(Limits.builder()
                        .suspendInterval(Duration.ofMillis(10))
                        .suspendTime(Duration.ofMillis(500))
                        .build())
                .build()) {
            StoryResult result = maestro.run(STORY);
            assertThat(result.error().orElseThrow()).contains("in SUSPEND: gave up", "the connection is refused");
            assertThat(maestro.auditLog().transitions("1"))
                    .extracting(transition -> transition.to())
                    .contains(CoderState.CODING, CoderState.SUSPEND);
        } finally {
            server.close();
        }
    }
}
