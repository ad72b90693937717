package io.maestro.claude.testing;

import static io.maestro.testing.AssertThat.assertThat;
import static io.maestro.testkit.api.ApiScript.call;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.exec.ExecResult;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@RequiresClaude
@Full("tests of the stub itself, on which all tests with the CLI rest")
class StubApiTest {
    @TempDir
    Path directory;

    @Test
    void theRealCliWorksAgainstTheStub() {
        ApiScript script = ApiScript.calls("all done", call("Bash", "command", "echo planted-$((40 + 2))"));
        try (StubApi api = StubApi.start(script)) {
            ExecResult result = run(api, "--dangerously-skip-permissions", "do it");

            assertThat(result.succeeded()).as(result.toString()).isTrue();
            assertThat(result.stdout().text()).contains("all done");
            List<ApiRequest> requests = api.conversations();
            assertThat(requests).hasSize(2);
            assertThat(requests.get(0).heard("do it")).isTrue();
            assertThat(requests.get(0).tools()).contains("Bash");
            assertThat(requests.get(0).header("X-Api-Key")).contains(RealClaude.KEY);
            assertThat(requests.get(1).answers())
                    .singleElement()
                    .extracting(ApiRequest.Answer::text)
                    .isEqualTo("planted-42");
        }
    }

    @Test
    @Fact("API: a stream that breaks is asked for again")
    void aStreamThatBreaksIsAskedForAgainByTheOldestAsAWhole() {
        ApiReply reply = ApiReply.text("whole in the end");
        try (StubApi api = StubApi.start(request -> request.attempt() == 1 ? reply.dropped() : reply)) {
            ExecResult result = run(api, "go");

            assertThat(result.stdout().text()).contains("whole in the end");
            assertThat(api.conversations()).hasSizeGreaterThanOrEqualTo(2);
            ApiRequest last = api.conversations().get(api.conversations().size() - 1);
            assertThat(last.stream()).isEqualTo(!RealClaude.isOldest());
            assertThat(last.attempt()).isGreaterThan(1);
        }
    }

    @Test
    void whatTheScriptDoesNotExpectFailsTheTest() {
        StubApi api = StubApi.start(ApiScript.turns());
        ExecResult result = run(api, "go");

        assertThat(result.exitCode()).hasValue(1);
        assertThat(result.stdout().text()).contains("STUB");
        assertThatThrownBy(api::close).isInstanceOf(AssertionError.class).hasMessageContaining("has 0 answers");
    }

    private ExecResult run(StubApi api, String... arguments) {
        List<String> all = new ArrayList<>(List.of("-p", "--model", "claude-sonnet-4-5"));
        all.addAll(List.of(arguments));
        return LocalExecutor.builder(directory)
                .build()
                .run(RealClaude.request(directory.resolve("home"), api.baseUrl(), all)
                        .build());
    }
}
