package io.maestro.llm;

import static io.maestro.llm.Asked.KEY;
import static io.maestro.llm.Asked.go;
import static io.maestro.llm.Asked.hello;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.maestro.error.MaestroException;
import io.maestro.llm.LoopbackApi.Answer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server says no with, and when it is asked again. */
@Timeout(60)
class AnthropicClientErrorsTest {
    private final FakeClock clock = new FakeClock(0);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "400 | change the request",
                "401 | check the API key (ANTHROPIC_API_KEY)",
                "402 | billing",
                "403 | whether the API key may use this model",
                "404 | check the model's name and the base URL (ANTHROPIC_BASE_URL)",
                "413 | shorten it",
                "418 | check the base URL",
                "204 | check the base URL",
                "302 | redirects are not followed"
            })
    void givesUpAtOnceWhereTheSameRequestWouldFailAgain(int status, String advice) {
        Answer answer = error(status, "some_error", "the reason").with("request-id", "req_7");
        try (LoopbackApi api = new LoopbackApi(status == 204 ? new Answer(204, Map.of(), new byte[0]) : answer)) {
            LlmException thrown = catchThrowableOfType(LlmException.class, () -> client(api));

            assertThat(thrown)
                    .hasMessageStartingWith("claude-test: HTTP " + status)
                    .hasMessageContaining(advice);
            if (status != 204) {
                assertThat(thrown).hasMessageContaining("some_error: the reason (request req_7)");
            }
            assertThat(api.received()).hasSize(1);
            assertThat(clock.sleeps()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 409, 429, 500, 502, 503, 504, 529, 599})
    void triesAgainWhatMayPass(int status) {
        try (LoopbackApi api = new LoopbackApi(error(status, "e", "m"), error(status, "e", "m"), hello())) {
            assertThat(client(api).content()).hasSize(1);

            assertThat(api.received()).hasSize(3);
            assertThat(api.received().get(2).body())
                    .isEqualTo(api.received().get(0).body());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 409, 429, 500, 503, 529})
    void givesUpWhenTheRetriesAreUsedUp(int status) {
        Answer answer = error(status, "some_error", "the reason").with("retry-after", "3");
        try (LoopbackApi api = new LoopbackApi(answer)) {
            LlmUnavailableException thrown = catchThrowableOfType(LlmUnavailableException.class, () -> client(api));

            assertThat(thrown)
                    .hasMessageStartingWith("claude-test: HTTP " + status + " some_error: the reason; ")
                    .hasMessageEndingWith("gave up after 5 attempts in 12000 ms");
            assertThat(thrown.retryAfter()).contains(Duration.ofSeconds(3));
            assertThat(thrown.mayBeCharged()).isFalse();
            assertThat(api.received()).hasSize(5);
        }
    }

    @Test
    void anAnswerThatIsNoneMayBeChargedAlthoughTheLaterAttemptsAreRefused() {
        try (LoopbackApi api = new LoopbackApi(
                new Answer(200, Map.of(), "{".getBytes(StandardCharsets.UTF_8)), error(529, "overloaded_error", "x"))) {
            LlmUnavailableException thrown = catchThrowableOfType(LlmUnavailableException.class, () -> client(api));

            assertThat(thrown.mayBeCharged()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"400, prompt is too long: 210000 tokens > 200000 maximum", "401, no such key"})
    void anAnswerThatIsNoneMayBeChargedAlthoughALaterAttemptIsRefusedForGood(int status, String why) {
        try (LoopbackApi api = new LoopbackApi(
                new Answer(200, Map.of(), "{".getBytes(StandardCharsets.UTF_8)), error(status, "some_error", why))) {
            LlmException thrown = catchThrowableOfType(LlmException.class, () -> client(api));

            assertThat(thrown.mayBeCharged()).isTrue();
        }
        try (LoopbackApi api = new LoopbackApi(error(status, "some_error", why))) {
            assertThat(catchThrowableOfType(LlmException.class, () -> client(api))
                            .mayBeCharged())
                    .isFalse();
        }
    }

    @Test
    void aServiceThatIsNotReachedChargesNothing() {
        URI nowhere;
        try (LoopbackApi api = new LoopbackApi(hello())) {
            nowhere = api.url();
        }
        LlmUnavailableException thrown = catchThrowableOfType(
                LlmUnavailableException.class,
                () -> Asked.client(nowhere, clock)
                        .connection(c -> c.maxRetries(1))
                        .build()
                        .complete(go()));

        assertThat(thrown.mayBeCharged()).isFalse();
    }

    @Test
    void waitsLongerEachTimeUpToALimit() {
        FakeClock longest = new FakeClock(0.999_999);
        try (LoopbackApi api = new LoopbackApi(error(529, "overloaded_error", "Overloaded"))) {
            catchThrowableOfType(
                    LlmUnavailableException.class,
                    () -> Asked.client(api.url(), longest)
                            .connection(c -> c.maxRetries(9))
                            .build()
                            .complete(go()));

            assertThat(longest.sleeps())
                    .extracting(Duration::toMillis)
                    .containsExactly(499L, 999L, 1999L, 3999L, 7999L, 15999L, 29999L, 29999L, 29999L);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "retry-after    | 7    | 7000",
                "retry-after    | 0.25 | 250",
                "retry-after    | 0    | 0",
                "retry-after-ms | 120  | 120",
                "retry-after    | Fri, 20 Nov 2026 10:00:30 GMT | 30000",
                "retry-after    | Fri, 20 Nov 2026 09:00:00 GMT | 0",
                "retry-after    | soon | 0",
                "retry-after    | -5   | 0",
                "retry-after    | NaN  | 0",
                "retry-after-ms | x    | 0"
            })
    void waitsAsLongAsTheServerAsks(String header, String value, long millis) {
        try (LoopbackApi api =
                new LoopbackApi(error(429, "rate_limit_error", "slow down").with(header, value), hello())) {
            client(api);

            assertThat(clock.sleeps()).containsExactly(Duration.ofMillis(millis));
        }
    }

    @Test
    void addsARandomPartToTheWaitThatTheServerAsksFor() {
        FakeClock half = new FakeClock(0.5);
        Answer limited = error(429, "rate_limit_error", "slow down").with("retry-after", "7");
        try (LoopbackApi api = new LoopbackApi(limited.with("retry-after-ms", "100"), limited, hello())) {
            Asked.client(api.url(), half).build().complete(go());

            assertThat(half.sleeps()).containsExactly(Duration.ofMillis(350), Duration.ofMillis(7250));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"3600", "1e300", "Sat, 20 Nov 2027 10:00:30 GMT"})
    void doesNotWaitBeyondItsTotalTime(String value) {
        try (LoopbackApi api =
                new LoopbackApi(error(429, "rate_limit_error", "slow down").with("retry-after", value))) {
            LlmUnavailableException thrown = catchThrowableOfType(LlmUnavailableException.class, () -> client(api));

            assertThat(thrown.retryAfter())
                    .hasValueSatisfying(wait -> assertThat(wait).isGreaterThanOrEqualTo(Duration.ofHours(1)));
            assertThat(thrown).hasMessageContaining("gave up after 1 attempt in");
            assertThat(clock.sleeps()).isEmpty();
        }
    }

    @Test
    void endsWithItsTotalTimeHoweverManyRetriesAreAllowed() {
        try (LoopbackApi api = new LoopbackApi(error(503, "e", "m").with("retry-after", "10"))) {
            catchThrowableOfType(
                    LlmUnavailableException.class,
                    () -> Asked.client(api.url(), clock)
                            .connection(c -> c.maxRetries(Integer.MAX_VALUE).totalTimeLimit(Duration.ofSeconds(35)))
                            .build()
                            .complete(go()));

            assertThat(api.received()).hasSize(4);
        }
    }

    @Test
    void obeysAServerThatSaysWhetherToTryAgain() {
        try (LoopbackApi no = new LoopbackApi(error(500, "e", "m").with("x-should-retry", "false"));
                LoopbackApi yes = new LoopbackApi(error(400, "e", "m").with("x-should-retry", "true"), hello())) {
            assertThat(catchThrowableOfType(LlmUnavailableException.class, () -> client(no)))
                    .isNotNull();
            assertThat(no.received()).hasSize(1);
            assertThat(client(yes).content()).hasSize(1);
        }
    }

    @Test
    void doesNotWaitForASpendLimitToPass() {
        Answer limit = Answer.json(429, """
                {"type": "error", "error": {"type": "rate_limit_error", "message": "limit",
                 "details": {"error_code": "enforced_spend_limit_reached"}}, "request_id": "req_in_body"}""");
        try (LoopbackApi api = new LoopbackApi(limit)) {
            assertThat(catchThrowableOfType(LlmException.class, () -> client(api)))
                    .hasMessageContaining("(request req_in_body); the account's spend limit is reached: raise it");
        }
    }

    @Test
    void showsAndFollowsNoRedirect() {
        try (LoopbackApi target = new LoopbackApi(hello());
                LoopbackApi api = new LoopbackApi(
                        new Answer(307, Map.of("location", target.url() + "/v1/messages"), new byte[0]))) {
            assertThat(catchThrowableOfType(LlmException.class, () -> client(api)))
                    .hasMessageContaining("HTTP 307 redirect to " + target.url());
            assertThat(target.received()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "not JSON",
                "{\"content\": [",
                "[]",
                "{}",
                "{\"content\": \"text\"}",
                "{\"type\": \"error\", \"error\": {\"type\": \"overloaded_error\"}}",
                "{\"content\": [{\"type\": \"tool_use\", \"name\": \"shell\", \"input\": {}}]}",
                "{\"content\": [{\"type\": \"tool_use\", \"id\": \"t1\", \"input\": {}}]}"
            })
    void asksAgainWhenTheAnswerIsNone(String body) {
        try (LoopbackApi broken = new LoopbackApi(Answer.json(200, body));
                LoopbackApi once = new LoopbackApi(Answer.json(200, body), hello())) {
            assertThat(catchThrowableOfType(LlmUnavailableException.class, () -> client(broken)))
                    .hasMessageStartingWith("claude-test: the answer ")
                    .hasMessageContaining("gave up after 5 attempts");
            assertThat(client(once).content()).hasSize(1);
        }
    }

    @Test
    void asksAgainWhenAProxyAnswersWithAPage() {
        Answer page = new Answer(
                200,
                Map.of("content-type", "text/html; charset=utf-8"),
                "<html>Sign in</html>".getBytes(StandardCharsets.UTF_8));
        try (LoopbackApi api = new LoopbackApi(page)) {
            assertThat(catchThrowableOfType(LlmUnavailableException.class, () -> client(api)))
                    .hasMessageContaining("text/html; charset=utf-8 and not JSON")
                    .hasMessageContaining("check that the base URL");
        }
    }

    @Test
    void shortensWhatAServerSays() {
        Answer page = new Answer(
                404,
                Map.of("content-type", "text/html"),
                ("no\r\n\u001b[31m" + "x".repeat(100_000)).getBytes(StandardCharsets.UTF_8));
        try (LoopbackApi api = new LoopbackApi(page, error(400, "t\n", "y".repeat(100_000)))) {
            for (int i = 0; i < 2; i++) {
                String message = catchThrowableOfType(LlmException.class, () -> client(api))
                        .getMessage();
                assertThat(message).hasSizeLessThan(800).contains("…").doesNotContain("\n", "\r", "\u001b");
            }
        }
    }

    @Test
    void neverShowsTheKeyNotEvenOneThatTheServerSendsBack() {
        Answer echo = error(401, KEY, "x".repeat(490) + "bad key " + KEY)
                .with("request-id", KEY)
                .with("retry-after", KEY)
                .with("location", KEY);
        List<Answer> answers = List.of(
                echo,
                new Answer(529, Map.of("request-id", KEY), KEY.getBytes(StandardCharsets.UTF_8)),
                new Answer(307, Map.of("location", "https://host/?" + KEY), new byte[0]),
                new Answer(200, Map.of("content-type", KEY), new byte[0]),
                Answer.json(200, KEY),
                Answer.json(200, "{\"" + KEY + "\": " + KEY + "}"),
                Answer.json(200, "{\"content\": [{\"type\": \"tool_use\", \"id\": \"" + KEY + "\"}]}"));
        for (Answer answer : answers) {
            try (LoopbackApi api = new LoopbackApi(answer)) {
                MaestroException thrown = catchThrowableOfType(MaestroException.class, () -> client(api));
                StringWriter trace = new StringWriter();
                thrown.printStackTrace(new PrintWriter(trace));
                assertThat(trace.toString()).doesNotContain(KEY.substring(0, 12));
            }
        }
    }

    private LlmResponse client(LoopbackApi api) {
        return Asked.client(api.url(), clock).build().complete(go());
    }

    private static Answer error(int status, String type, String message) {
        return Answer.json(
                status,
                "{\"type\": \"error\", \"error\": {\"type\": \"%s\", \"message\": \"%s\"}}"
                        .formatted(type.replace("\n", "\\n"), message));
    }
}
