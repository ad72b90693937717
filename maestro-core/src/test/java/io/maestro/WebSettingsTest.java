package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.environment.RecordingEnvironments;
import io.maestro.error.MaestroException;
import io.maestro.llm.RawServer;
import io.maestro.story.Story;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import io.maestro.tools.ToolDefinition;
import io.maestro.web.SearchResult;
import io.maestro.web.WebAccess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The web as a host switches it on, in stories that run. */
@Timeout(120)
class WebSettingsTest {
    @TempDir
    Path directory;

    private TestRepository repository;
    private int made;

    @BeforeEach
    void repository() {
        repository = TestRepository.create(directory, Map.of("README.md", "a project"));
    }

    private MaestroBuilder builder(ScriptedLlm coder) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project" + made++))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving())
                .tools(tools -> tools.discover(false));
    }

    private static ScriptedLlm done() {
        return ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("done", Map.of("summary", "nothing")))
                .build();
    }

    private static List<String> offered(ScriptedLlm coder) {
        return coder.requests().get(0).tools().stream()
                .map(ToolDefinition::name)
                .filter(name -> name.startsWith("web_"))
                .sorted()
                .toList();
    }

    @Test
    void bothToolsAreThereOnlyWhereTheHostSetsThem() {
        ScriptedLlm without = done();
        try (Maestro maestro = builder(without).build()) {
            maestro.run(Story.builder("1", "Look").content("x").express().build());
        }
        assertThat(offered(without)).isEmpty();

        ScriptedLlm with = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("web_search", Map.of("query", "maestro")))
                .turn(Turn.expecting("1. Found\n   https://example.org/")
                        .reply(Reply.toolCall("done", Map.of("summary", "nothing"))))
                .build();
        try (Maestro maestro = builder(with)
                .web(web -> web.fetch(WebAccess.defaults()))
                .web(web ->
                        web.search((query, limit) -> List.of(new SearchResult("Found", "https://example.org/", ""))))
                .build()) {
            maestro.run(Story.builder("2", "Look").content("x").express().build());
        }
        assertThat(offered(with)).containsExactly("web_fetch", "web_search");
        with.assertFinished();
    }

    /** Of the file, through the registry, with a sandbox whose network is closed, and in the record. */
    @Test
    void aCoderFetchesWhatTheFileAllows() throws Exception {
        try (RawServer server = new RawServer(socket -> RawServer.write(
                socket, "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 14\r\n\r\n<h1>Guide</h1>"))) {
            String url = server.url() + "/guide";
            int port = server.url().getPort();
            ScriptedLlm coder = ScriptedLlm.builder("coder")
                    .turn(Reply.toolCall("web_fetch", Map.of("url", url)))
                    .turn(Turn.expecting("# Guide")
                            .reply(Reply.toolCall("web_fetch", Map.of("url", "http://a.invalid:" + port))))
                    .turn(Turn.expecting("the network of the sandbox does not reach it in CODING")
                            .reply(Reply.toolCall("done", Map.of("summary", "nothing"))))
                    .build();
            RecordingEnvironments environments = new RecordingEnvironments();
            environments.reachable = false;
            String config = "{\"web\": {\"fetch\": true, \"ports\": [" + port + "], \"addresses\": [\"127.0.0.1\"]}}";
            try (Maestro maestro =
                    builder(coder).config(config).environment(environments).build()) {
                maestro.run(Story.builder("1", "Look").content("x").express().build());
                coder.assertFinished();
                assertThat(maestro.auditLog().toolExecutions("1"))
                        .filteredOn(row -> row.tool().equals("web_fetch"))
                        .hasSize(2)
                        .anySatisfy(row -> assertThat(row.error()).isNull())
                        .anySatisfy(row -> assertThat(row.error()).contains("does not reach it"));
            }
        }
    }

    @Test
    void anAgentAloneHasThemToo() {
        ScriptedLlm model = ScriptedLlm.builder("model")
                .turn(Reply.toolCall("web_fetch", Map.of("url", "http://127.0.0.1/")))
                .turn(Turn.expecting("a URL must have a name")
                        .reply(Reply.toolCall("done", Map.of("summary", "refused"))))
                .build();
        try (Agent agent = Maestro.agent()
                .directory(directory)
                .model(model)
                .tools(tools -> tools.discover(false))
                .web(web -> web.fetch(WebAccess.defaults()))
                .web(web -> web.search((query, limit) -> List.of()))
                .build()) {
            AgentResult result = agent.run(AgentTask.of("Look."));
            assertThat(result.text()).isEqualTo("refused");
        }
        assertThat(offered(model)).containsExactly("web_fetch", "web_search");
    }

    @Test
    void codeWinsOverTheFile() {
        String config = "{\"web\": {\"fetch\": true, \"allow\": [\"file.example.org\"]}}";
        WebAccess own = WebAccess.builder().allow("code.example.org").build();
        assertThat(builder(done())
                        .config(config)
                        .web(web -> web.fetch(own))
                        .settings(directory)
                        .web()
                        .fetch())
                .contains(own);
        assertThat(builder(done())
                        .config("{\"web\": {\"allow\": [\"x.org\"]}}")
                        .settings(directory)
                        .web()
                        .fetch())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*.",
                "*x.org",
                "x.*",
                "http://x.org",
                "x.org/a",
                "x.org:80",
                "127.0.0.1",
                "a..b",
                "**",
                "a b",
                "2130706433"
            })
    void aPatternThatIsNoneIsNamed(String pattern) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WebAccess.builder().allow(pattern))
                .withMessageStartingWith("'" + pattern + "' is no pattern");
        String config = "{\"web\": {\"fetch\": true, \"deny\": [\"" + pattern + "\"]}}";
        assertThatThrownBy(() -> builder(done()).config(config).settings(directory))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("$.web.deny");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x.org",
                "127.1",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/",
                "::1/129",
                "::ffff:10.0.0.1",
                "010.0.0.1",
                "1.2.3.4.5"
            })
    void anAddressThatIsNoneIsNamed(String address) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WebAccess.builder().addresses(address))
                .withMessageStartingWith("'" + address + "' is neither an address");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WebAccess.builder().ports(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WebAccess.builder().ports(70_000));
    }
}
