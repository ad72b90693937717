package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who comes in, where to, and who sees the key. */
class ApiGatewaySecretsTest extends GatewayBench {
    @ParameterizedTest
    @EnumSource
    void nobodyComesInWithoutTheToken(Way way) throws IOException {
        ApiAccess access = open(way);
        String wrong = access.key().substring(0, access.key().length() - 1) + "x";
        for (String header : List.of(
                "",
                "x-api-key: " + wrong + "\r\n",
                "x-api-key: " + KEY + "\r\n",
                "Authorization: Basic " + access.key() + "\r\n",
                "Authorization: Bearer\r\n",
                "x-api-key:\r\n")) {
            RawClient.Response response = RawClient.send(access, "POST /v1/messages", header, "{}");
            assertThat(response.status()).as(header).isEqualTo(401);
            assertThat(response.body()).contains("authentication_error").doesNotContain(KEY, access.key());
        }
        assertThat(api.seen).isEmpty();
        assertThat(host.asked).hasValue(0);

        String bearer = "Authorization: Bearer " + access.key() + "\r\n";
        assertThat(RawClient.send(access, "POST /v1/messages", bearer, RawClient.body(false))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void theTokenOfOneAgentIsNotThatOfAnother() throws IOException {
        ApiAccess one = open(Way.HTTP);
        ApiAccess other = open(Way.HTTP);

        assertThat(RawClient.message(new ApiAccess(one.baseUrl(), other.key(), Optional.empty()), true)
                        .status())
                .isEqualTo(401);
        assertThat(one.key()).startsWith("sk-ant-maestro-").hasSize(15 + 64);
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheMessagesApiIsForwarded(Way way) throws IOException {
        ApiAccess access = open(way);
        String token = "x-api-key: " + access.key() + "\r\n";
        for (String target : List.of(
                "GET /v1/messages",
                "POST /v1/messages/",
                "POST /v1/messages/batches",
                "POST /v1/messages/../files",
                "POST /v1/messages%2f",
                "POST /v1//messages",
                "POST /v1/complete",
                "POST /api/oauth/token",
                "GET /v1/models",
                "DELETE /v1/messages",
                "GET /")) {
            RawClient.Response response = RawClient.send(access, target, token, "");
            assertThat(response.status()).as(target).isEqualTo(404);
            assertThat(response.body()).as(target).contains("not_found_error");
        }
        assertThat(RawClient.send(access, "HEAD /", "", "").status()).isEqualTo(200);
        assertThat(api.seen).isEmpty();

        assertThat(RawClient.send(access, "POST /v1/messages/count_tokens?beta=true", token, RawClient.body(false))
                        .status())
                .isEqualTo(200);
        assertThat(api.seen)
                .extracting(UpstreamStub.Seen::target)
                .containsExactly("/v1/messages/count_tokens?beta=true");
        assertThat(host.used).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void theKeyIsPutInAndEverythingOfTheClientsIsTakenOut(Way way) throws IOException {
        ApiAccess access = open(way);
        RawClient.send(
                access,
                "POST /v1/messages",
                "X-API-Key: " + access.key() + "\r\nX-Api-Key: sk-ant-stolen\r\nAuthorization: Bearer sk-ant-stolen\r\n"
                        + "Cookie: a=b\r\nProxy-Authorization: Basic eA==\r\nX-Forwarded-For: 1.2.3.4\r\n"
                        + "Forwarded: for=1.2.3.4\r\nVia: x\r\nAccept-Encoding: gzip, br\r\nX-Other: y\r\n"
                        + "anthropic-version: 2023-06-01\r\nanthropic-beta: a,b\r\nContent-Type: application/json\r\n"
                        + "Accept: application/json\r\nX-Stainless-Lang: js\r\nUser-Agent: claude-cli/2\r\n"
                        + "X-Claude-Code-Session-Id: s1\r\n",
                RawClient.body(false));

        UpstreamStub.Seen seen = api.seen.get(0);
        assertThat(seen.headers().get("x-api-key")).containsExactly(KEY);
        assertThat(seen.headers())
                .doesNotContainKeys(
                        "authorization",
                        "cookie",
                        "proxy-authorization",
                        "x-forwarded-for",
                        "forwarded",
                        "via",
                        "x-other")
                .containsEntry("anthropic-version", List.of("2023-06-01"))
                .containsEntry("anthropic-beta", List.of("a,b"))
                .containsEntry("content-type", List.of("application/json"))
                .containsEntry("accept", List.of("application/json"))
                .containsEntry("accept-encoding", List.of("identity"))
                .containsEntry("x-stainless-lang", List.of("js"))
                .containsEntry("user-agent", List.of("claude-cli/2"))
                .containsEntry("x-claude-code-session-id", List.of("s1"));
        assertThat(seen.headers().toString()).doesNotContain("stolen", access.key());
    }

    @Test
    void aKeyThatTheApiSendsBackIsOverwritten() throws IOException {
        api.script((exchange, seen) -> {
            exchange.getResponseHeaders().set("Request-Id", "for-" + KEY);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(401, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                String text = "{\"message\":\"invalid " + KEY + " and " + KEY + "\"} sk-ant";
                // In pieces, so that the key is cut.
                for (String piece : text.split("(?<=\\G.{9})")) {
                    out.write(piece.getBytes(StandardCharsets.UTF_8));
                    out.flush();
                }
            }
        });

        RawClient.Response response = RawClient.message(open(Way.HTTP), true);

        assertThat(response.toString()).doesNotContain(KEY);
        assertThat(response.body())
                .isEqualTo("{\"message\":\"invalid " + "*".repeat(KEY.length()) + " and " + "*".repeat(KEY.length())
                        + "\"} sk-ant");
    }

    @Test
    void theKeyIsNotShown() {
        ApiGateway gateway = gateway(patient());
        assertThat(gateway.toString()).contains("127.0.0.1").doesNotContain(KEY);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ApiGateway.builder("planted key"))
                .withMessageNotContaining("planted");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ApiGateway.builder(KEY).upstream(URI.create("https://user:planted@example.org")))
                .withMessageNotContaining("planted");
    }

    @Test
    void aClientThatFollowsRedirectsIsNotTaken() {
        HttpClient following = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.ALWAYS)
                .build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ApiGateway.builder(KEY).httpClient(following));
    }

    @Test
    void redirectsAreNotFollowed() throws IOException {
        try (UpstreamStub other = new UpstreamStub(UpstreamStub::usual)) {
            api.script((exchange, seen) -> {
                exchange.getResponseHeaders().set("Location", other.uri() + "/v1/messages");
                UpstreamStub.reply(exchange, 307, "text/plain", "elsewhere");
            });
            RawClient.Response response = RawClient.message(open(Way.HTTP), true);

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.headers()).doesNotContainKey("Location").containsEntry("X-Should-Retry", "false");
            assertThat(other.seen).isEmpty();
        }
    }

    @Test
    void itListensOnNoWildcardAddress() throws Exception {
        InetAddress all = InetAddress.getByName("0.0.0.0");
        ApiGateway gateway = gateway(patient());
        assertThatIllegalArgumentException().isThrownBy(() -> gateway.overHttp(all));
        assertThatIllegalArgumentException().isThrownBy(() -> gateway.overHttp(InetAddress.getByName("::")));
    }
}
