package io.maestro.llm;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.llm.LoopbackApi.Answer;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What gateways want in the place of a key, and beside it. */
class GatewayTest {
    private static final URI ELSEWHERE = URI.create("https://gateway.example.org");

    private static List<VendorBuilder> builders() {
        return List.of(
                VendorBuilder.of(AnthropicClient.builder("m").fromEnvironment(Map.of())),
                VendorBuilder.of(OpenAiClient.builder("m").fromEnvironment(Map.of())));
    }

    @Test
    void eachRequestHasATokenOfItsOwnAndNoKey() {
        for (VendorBuilder builder : builders()) {
            try (LoopbackApi api = new LoopbackApi(Answer.json(500, "{}"))) {
                AtomicInteger given = new AtomicInteger();
                LlmClient client = builder.connection(c -> c.apiKey(Asked.KEY)
                                .baseUrl(api.url())
                                .maxRetries(1)
                                .clock(new FakeClock(0))
                                .bearerToken(() -> "token-number-" + given.incrementAndGet())
                                .header("X-Team", "red and blue"))
                        .build();
                assertThatThrownBy(() -> client.complete(Asked.go())).isInstanceOf(LlmUnavailableException.class);

                assertThat(api.received())
                        .extracting(request -> request.headers().get("authorization"))
                        .containsExactly("Bearer token-number-1", "Bearer token-number-2");
                assertThat(api.received())
                        .allSatisfy(request -> assertThat(request.headers())
                                .containsEntry("x-team", "red and blue")
                                .doesNotContainKey("x-api-key"));
            }
        }
    }

    @Test
    void nothingOfItIsShown() {
        String body =
                "{\"error\":{\"message\":\"what are token-0123456789 and team-secret-17 and " + Asked.KEY + "?\"}}";
        for (VendorBuilder builder : builders()) {
            try (LoopbackApi api = new LoopbackApi(Answer.json(400, body))) {
                LlmClient client = builder.connection(c -> c.baseUrl(api.url())
                                .bearerToken("token-0123456789")
                                .header("x-team", "team-secret-17"))
                        .build();
                assertThatThrownBy(() -> client.complete(Asked.go()))
                        .hasMessageContaining("what are *** and *** and")
                        .hasMessageNotContaining("token-0123456789")
                        .hasMessageNotContaining("team-secret-17");
                assertThat(client + " " + builder).doesNotContain("0123456789", "secret-17");
            }
        }
    }

    @Test
    void aTokenThatCannotBeHadIsAFailureOfTheRequest() {
        LlmClient client = AnthropicClient.builder("m")
                .baseUrl(ELSEWHERE)
                .connection(c -> c.bearerToken(() -> {
                    throw new IllegalStateException("the login has expired");
                }))
                .build();
        assertThatThrownBy(() -> client.complete(Asked.go()))
                .isInstanceOf(LlmException.class)
                .hasMessageContaining("the login has expired");
    }

    @Test
    void aServerOnThisMachineNeedsNoKey() {
        for (VendorBuilder builder : builders()) {
            try (LoopbackApi api = new LoopbackApi(Answer.json(400, "{}"))) {
                LlmClient client = builder.connection(c -> c.baseUrl(api.url())).build();
                assertThatThrownBy(() -> client.complete(Asked.go())).isInstanceOf(LlmException.class);
                assertThat(api.received().get(0).headers()).doesNotContainKeys("authorization", "x-api-key");
            }
            assertThat(builder.connection(c -> c.baseUrl(URI.create("http://localhost:11434")))
                            .build())
                    .isNotNull();
            assertThatThrownBy(
                            () -> builder.connection(c -> c.baseUrl(ELSEWHERE)).build())
                    .isInstanceOf(LlmException.class)
                    .hasMessageContaining("_API_KEY")
                    .hasMessageContaining("bearerToken");
            assertThat(builder.connection(c -> c.header("x-key", "k")).build()).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Authorization", "x-api-key", "Host", "content-type", "Connection", "a b", "", "x:", "ä"})
    void aHeaderOfTheClientsOwnIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AnthropicClient.builder("m").connection(c -> c.header(name, "hidden-value")))
                .withMessageNotContaining("hidden-value");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\nb: hidden-value", "hidden-välue"})
    void aValueThatCannotBeSentIsRefused(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AnthropicClient.builder("m").connection(c -> c.header("x-team", value)))
                .withMessageContaining("x-team")
                .withMessageNotContaining("hidden");
    }
}
