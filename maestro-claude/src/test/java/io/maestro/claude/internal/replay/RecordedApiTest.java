package io.maestro.claude.internal.replay;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.spi.RecordedAnswers;
import io.maestro.error.MaestroException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RecordedApiTest {
    private static final String TOOLS = ",\"tools\":[{\"name\":\"mcp__maestro__done\"}]";

    private final HttpClient client = HttpClient.newHttpClient();
    private RecordedApi api = api();

    private static RecordedApi api(String... coding) {
        RecordedApi api = new RecordedApi(
                new RecordedAnswers(Map.of("CODING", List.of(coding)), Set.of("/then/coder-1", "/link")));
        api.workIn("/now/coder-7");
        return api;
    }

    private static String use(String name, String field, String value) {
        return "[{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"" + name + "\",\"input\":{\"" + field + "\":\"" + value
                + "\"}}]";
    }

    private String asked(String key, String rest) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(api.url().resolve("/v1/messages"))
                .header("x-api-key", key)
                .POST(HttpRequest.BodyPublishers.ofString("{\"model\":\"m\"" + rest + "}"))
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    private void play(String... coding) {
        api.close();
        api = api(coding);
    }

    @AfterEach
    void close() {
        api.close();
    }

    @Test
    void answersNameTheDirectoryOfNow() throws Exception {
        play(
                use("Bash", "command", "cd /then/coder-1\\n/then/coder-1/a /link/b. /then/coder-10 /x/then/coder-1"),
                use("Write", "file_path", "/link/a.txt"));
        assertThat(asked(api.key(), TOOLS))
                .startsWith("200 ")
                .contains("cd /now/coder-7\\n/now/coder-7/a /now/coder-7/b. /then/coder-10 /x/then/coder-1");
        assertThat(asked(api.key(), TOOLS)).startsWith("200 ").contains("\"file_path\":\"/now/coder-7/a.txt\"");
        assertThat(asked(api.key(), TOOLS))
                .startsWith("400 ")
                .contains("the replay asks for answer 3 in CODING, and the record has 2");
    }

    @Test
    void noFileOutsideIsWritten() throws Exception {
        play(
                use("Write", "file_path", "/elsewhere/a"),
                use("Edit", "file_path", "/then/coder-1/../coder-2/a"),
                use("NotebookEdit", "notebook_path", "/elsewhere/b"));
        for (int i = 0; i < 3; i++) {
            assertThat(asked(api.key(), TOOLS)).startsWith("400 ").contains("which is outside of /now/coder-7");
        }
    }

    @Test
    void nobodyElseIsAnsweredAndNoOtherRequestTakesAnAnswer() throws Exception {
        play(use("Bash", "command", "make"));
        assertThat(asked("guessed", TOOLS)).startsWith("401 ").doesNotContain("make");
        assertThat(asked(api.key(), ",\"tools\":[{\"name\":\"web_search\"}]")).startsWith("400 ");
        assertThat(asked(api.key(), "")).startsWith("200 ").doesNotContain("make");
        assertThat(asked(api.key(), TOOLS)).startsWith("200 ").contains("make");
    }

    @Test
    void whatIsNotInTheRecordIsNotReplayed() {
        RecordedAnswers answers =
                new RecordedAnswers(Map.of("CODING", List.of(use("Task", "prompt", "look"))), Set.of("/then"));
        assertThatThrownBy(() -> new ReplayedClaude("claude-code", List.of(), answers, (url, key) -> {
                    throw new AssertionError();
                }))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("the model has used Task, which is not in the record");
    }
}
