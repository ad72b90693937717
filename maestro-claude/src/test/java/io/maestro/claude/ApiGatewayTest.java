package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.llm.Usage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What of the API comes through, and what of it is counted. */
class ApiGatewayTest extends GatewayBench {
    @ParameterizedTest
    @EnumSource
    void aStreamComesThroughAsItIsAndIsCounted(Way way) throws IOException {
        RawClient.Response response = RawClient.message(open(way), true);

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.whole()).isTrue();
        assertThat(response.body()).isEqualTo(UpstreamStub.STREAM);
        assertThat(response.headers()).containsEntry("Content-Type", "text/event-stream");
        assertThat(host.used).containsExactly("claude-test-1 " + USED);
        assertThat(api.seen).hasSize(1);
        assertThat(api.seen.get(0).target()).isEqualTo("/v1/messages?beta=true");
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerInOnePieceComesThroughAsItIsAndIsCounted(Way way) throws IOException {
        RawClient.Response response = RawClient.message(open(way), false);

        assertThat(response.body()).isEqualTo(UpstreamStub.JSON);
        assertThat(host.used).containsExactly("claude-test-1 " + USED);
    }

    @ParameterizedTest
    @EnumSource
    void eachEventArrivesBeforeTheNextIsSent(Way way) throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        api.script((exchange, seen) -> {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write("event: ping\ndata: {\"type\":\"ping\"}\n\n".getBytes(StandardCharsets.UTF_8));
                out.flush();
                assertThat(arrived.await(30, TimeUnit.SECONDS)).isTrue();
                out.write(UpstreamStub.STREAM.getBytes(StandardCharsets.UTF_8));
            }
        });
        ApiAccess access = open(way);

        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            RawClient.readUntil(channel, "\"ping\"}\n\n");
            arrived.countDown();
            RawClient.readUntil(channel, "0\r\n\r\n");
        }
    }

    @ParameterizedTest
    @EnumSource
    void theHostIsToldBeforeTheClientSeesTheEnd(Way way) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        api.script((exchange, seen) -> {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            out.write(UpstreamStub.STREAM.getBytes(StandardCharsets.UTF_8));
            out.flush();
            end.await();
            out.close();
        });
        ApiAccess access = open(way);

        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            RawClient.readUntil(channel, "message_stop\"}");
            assertThat(host.used).containsExactly("claude-test-1 " + USED);
        } finally {
            end.countDown();
        }
    }

    @ParameterizedTest
    @EnumSource
    void errorsOfTheApiComeThroughWithWhatTheClientNeeds(Way way) throws IOException {
        String error = "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow down\"}}";
        api.script((exchange, seen) -> {
            exchange.getResponseHeaders().set("Retry-After", "7");
            exchange.getResponseHeaders().set("Request-Id", "req_1");
            exchange.getResponseHeaders().set("Anthropic-Ratelimit-Requests-Limit", "50");
            exchange.getResponseHeaders().set("Anthropic-Organization-Id", "org-of-the-host");
            exchange.getResponseHeaders().set("Set-Cookie", "a=b");
            UpstreamStub.reply(exchange, 429, "application/json", error);
        });

        RawClient.Response response = RawClient.message(open(way), true);

        assertThat(response.status()).isEqualTo(429);
        assertThat(response.body()).isEqualTo(error);
        assertThat(response.headers())
                .containsEntry("Retry-After", "7")
                .containsEntry("Request-Id", "req_1")
                .containsEntry("Anthropic-Ratelimit-Requests-Limit", "50")
                .doesNotContainKeys("Anthropic-Organization-Id", "Set-Cookie");
        assertThat(host.used).isEmpty();
        assertThat(host.waits).as("the CLI does not tell it").containsExactly(Duration.ofSeconds(7));
    }

    @ParameterizedTest
    @EnumSource
    void whatTheHostRefusesIsNotForwardedAndNotTriedAgain(Way way) throws IOException {
        host.refusal = Optional.of("the budget of story 42 is used up");

        RawClient.Response response = RawClient.message(open(way), true);

        assertThat(response.status()).isEqualTo(402);
        assertThat(response.headers()).containsEntry("X-Should-Retry", "false");
        assertThat(response.body())
                .isEqualTo("{\"type\":\"error\",\"error\":{\"type\":\"billing_error\","
                        + "\"message\":\"the budget of story 42 is used up\"}}");
        assertThat(api.seen).isEmpty();
    }

    @Test
    void aRequestIsBegunWithWhatItMayCostAndEndedOnce() throws IOException {
        String body = "{\"messages\":[{\"model\":\"no\",\"max_tokens\":1}],\"max_tokens\":1,\"model\":\"m-1\","
                + "\"max_tokens\":77}";
        ApiAccess access = open(Way.HTTP);
        String key = "x-api-key: " + access.key() + "\r\n";

        assertThat(RawClient.send(access, "POST /v1/messages", key, body).status())
                .isEqualTo(200);
        assertThat(RawClient.send(access, "POST /v1/messages/count_tokens", key, body)
                        .status())
                .isEqualTo(200);
        assertThat(RawClient.send(access, "POST /v1/messages", key, "no JSON").status())
                .isEqualTo(400);

        assertThat(host.begun).containsExactly(new GatewayClient.Request("m-1", 1000 + body.length() / 2, 77, false));
        assertThat(host.used).hasSize(1);
        assertThat(host.failed).isEmpty();
    }

    /** Once the API answers, and of any shape that is let through; the system prompt first, wherever it stands. */
    @Test
    void theHostIsToldWhatTheModelWasTold() throws IOException {
        String body = "{\"model\":\"m-1\",\"max_tokens\":7,\"messages\":[{\"content\":\"one\",\"role\":\"user\"},"
                + "{\"role\":\"assistant\",\"content\":\"the model's own\"},{\"role\":{\"role\":\"user\"},\"content\":{}},"
                + "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":"
                + "[{\"type\":\"text\",\"text\":\"a tool's\"}]},7,{\"text\":\"two\",\"type\":\"text\"},{\"type\":\"text\","
                + "\"text\":\"\"}]},{\"role\":\"system\",\"content\":\"three\"}],\"system\":[{\"type\":\"text\",\"text\":"
                + "\"x-anthropic-billing-header: a=1\"},{\"type\":\"text\",\"text\":\"be good\"}]}";
        ApiAccess access = open(Way.HTTP);
        String key = "x-api-key: " + access.key() + "\r\n";
        api.script((exchange, seen) -> UpstreamStub.reply(exchange, 529, "application/json", "{}"));
        RawClient.send(access, "POST /v1/messages", key, body);
        assertThat(host.told).isEmpty();

        api.script(UpstreamStub::usual);
        assertThat(RawClient.send(access, "POST /v1/messages/count_tokens", key, body)
                        .status())
                .isEqualTo(200);
        assertThat(host.told).isEmpty();
        assertThat(RawClient.send(access, "POST /v1/messages", key, body).status())
                .isEqualTo(200);
        assertThat(host.told).containsExactly("system be good", "user one", "user two", "system three");
    }

    @Test
    void aRequestThatTheHostDoesNotBeginIsNotForwarded() throws IOException {
        ApiAccess access = open(Way.HTTP);
        host.failureOfBegin = new MaestroException("the hard limit is reached");
        RawClient.Response refused = RawClient.message(access, true);
        assertThat(refused.status()).isEqualTo(402);
        assertThat(refused.body()).contains("billing_error", "the hard limit is reached");
        assertThat(refused.headers()).containsEntry("X-Should-Retry", "false");

        host.failureOfBegin = new RetriableException("others are under way", null, null);
        RawClient.Response later = RawClient.message(access, true);
        assertThat(later.status()).isEqualTo(529);
        assertThat(later.body()).contains("overloaded_error", "others are under way");
        assertThat(later.headers()).containsEntry("X-Should-Retry", "true");

        host.failureOfBegin = new IllegalStateException("planted");
        assertThat(RawClient.message(access, true).status()).isEqualTo(500);
        assertThat(api.seen).isEmpty();
    }

    @Test
    void aRequestThatFailsIsEndedWithWhetherItMayBeCharged() throws Exception {
        ApiAccess access = open(Way.HTTP);
        api.script((exchange, seen) -> UpstreamStub.reply(exchange, 529, "application/json", "{}"));
        RawClient.message(access, true);
        assertThat(host.failed).containsExactly("not charged");

        api.script((exchange, seen) -> exchange.close());
        RawClient.message(access, true);
        until(() -> host.failed.size() == 2);
        assertThat(host.failed.get(1)).isEqualTo("may be charged");

        api.script((exchange, seen) -> UpstreamStub.reply(exchange, 200, "application/json", "no counts"));
        RawClient.message(access, true);
        until(() -> host.failed.size() == 3);
        assertThat(host.failed.get(2)).isEqualTo("may be charged");

        api.close();
        RawClient.message(access, true);
        until(() -> host.failed.size() == 4);
        assertThat(host.failed.get(3)).isEqualTo("not charged");
        assertThat(host.used).isEmpty();
    }

    @Test
    void aHostThatFailsLetsNothingThroughAndNothingIsLostOfAnAnswer() throws IOException {
        ApiAccess access = open(Way.HTTP);
        host.failure = new IllegalStateException("planted");
        assertThat(RawClient.message(access, true).status()).isEqualTo(500);
        assertThat(api.seen).isEmpty();

        host.failure = null;
        host.failureOfUsed = new IllegalStateException("planted");
        assertThat(RawClient.message(access, true).body()).isEqualTo(UpstreamStub.STREAM);
    }

    @Test
    void anAnswerThatIsPackedAllTheSameIsUnpackedAndCounted() throws IOException {
        api.script((exchange, seen) -> {
            exchange.getResponseHeaders().set("Content-Encoding", "gzip");
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = new GZIPOutputStream(exchange.getResponseBody())) {
                out.write(UpstreamStub.STREAM.getBytes(StandardCharsets.UTF_8));
            }
        });

        assertThat(RawClient.message(open(Way.HTTP), true).body()).isEqualTo(UpstreamStub.STREAM);
        assertThat(host.used).containsExactly("claude-test-1 " + USED);
    }

    @ParameterizedTest
    @EnumSource
    void aLargeRequestAndALargeAnswerComeThrough(Way way) throws IOException {
        String large = RawClient.bodyOf(5_000_000);
        api.script((exchange, seen) -> UpstreamStub.reply(
                exchange,
                200,
                "application/json",
                "{\"model\":\"m\",\"content\":\"" + "x".repeat(5_000_000)
                        + "\",\"usage\":{\"input_tokens\":5,\"output_tokens\":6}}"));
        ApiAccess access = open(way);

        RawClient.Response response =
                RawClient.send(access, "POST /v1/messages", "x-api-key: " + access.key() + "\r\n", large);

        assertThat(api.seen.get(0).body()).hasSize(large.length());
        assertThat(api.seen.get(0).headers()).containsEntry("content-length", List.of("5000000"));
        assertThat(response.body()).hasSizeGreaterThan(5_000_000);
        assertThat(host.used).containsExactly("m " + new Usage(5, 6, 0, 0));
    }

    @ParameterizedTest
    @EnumSource
    void manyRequestsAtOnceAreAllAnsweredAndCounted(Way way) throws Exception {
        ApiAccess access = open(way, gateway(open(4, Duration.ofSeconds(5))));
        List<Callable<RawClient.Response>> turns = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            boolean stream = i % 2 == 0;
            turns.add(() -> RawClient.message(access, stream));
        }
        for (Future<RawClient.Response> answer : threads.invokeAll(turns)) {
            assertThat(answer.get().status()).isEqualTo(200);
            assertThat(answer.get().whole()).isTrue();
        }
        assertThat(host.used).hasSize(30).containsOnly("claude-test-1 " + USED);
    }
}
