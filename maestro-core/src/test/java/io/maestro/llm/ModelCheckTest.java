package io.maestro.llm;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.llm.LoopbackApi.Answer;
import io.maestro.llm.resilience.LlmClients;
import java.net.URI;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client finds out about its key and its model without asking the model. */
class ModelCheckTest {
    private static final Function<URI, LlmClient> ANTHROPIC =
            url -> Asked.client(url, new FakeClock(0)).build();
    private static final Function<URI, LlmClient> OPENAI =
            url -> Asked.openAi(URI.create(url + "/v1"), new FakeClock(0)).build();

    @Test
    void aModelThatIsThereIsKnown() {
        try (LoopbackApi api = new LoopbackApi(Answer.json(200, "{\"id\":\"x\"}"))) {
            assertThat(ANTHROPIC.apply(api.url()).check()).isTrue();
            assertThat(OPENAI.apply(api.url()).check()).isTrue();
            assertThat(LlmClients.decorate(ANTHROPIC.apply(api.url())).build().check())
                    .isTrue();

            assertThat(api.received()).extracting(LoopbackApi.Received::method).containsOnly("GET");
            assertThat(api.received().get(0).path()).isEqualTo("/v1/models/claude-test");
            assertThat(api.received().get(0).headers()).containsEntry("X-api-key", Asked.KEY);
            assertThat(api.received().get(1).path()).isEqualTo("/v1/models/gpt-test");
            assertThat(api.received().get(1).headers()).containsEntry("Authorization", "Bearer " + Asked.KEY);
        }
    }

    @Test
    void aModelThatIsNotThereIsSaid() {
        String anthropic =
                "{\"type\":\"error\",\"error\":{\"type\":\"not_found_error\",\"message\":\"model: claude-test\"}}";
        String openAi =
                "{\"error\":{\"message\":\"The model 'gpt-test' does not exist\",\"code\":\"model_not_found\"}}";
        try (LoopbackApi api = new LoopbackApi(Answer.json(404, anthropic), Answer.json(404, openAi))) {
            assertThatThrownBy(() -> ANTHROPIC.apply(api.url()).check())
                    .isInstanceOf(LlmException.class)
                    .hasMessageContaining("claude-test")
                    .hasMessageContaining("check the model's name");
            assertThatThrownBy(() -> OPENAI.apply(api.url()).check())
                    .isInstanceOf(LlmException.class)
                    .hasMessageContaining("gpt-test");
        }
    }

    @Test
    void aKeyThatIsRefusedIsSaid() {
        try (LoopbackApi api = new LoopbackApi(Answer.json(401, "{\"error\":{\"message\":\"invalid x-api-key\"}}"))) {
            assertThatThrownBy(() -> ANTHROPIC.apply(api.url()).check())
                    .isInstanceOf(LlmException.class)
                    .hasMessageContaining("ANTHROPIC_API_KEY")
                    .hasMessageNotContaining(Asked.KEY);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 403, 404, 405, 501})
    void aGatewayThatHasNoSuchPathSaysNothing(int status) {
        try (LoopbackApi api = new LoopbackApi(Answer.json(status, "{\"detail\":\"Not Found\"}"))) {
            assertThat(ANTHROPIC.apply(api.url()).check()).isFalse();
        }
    }

    @Test
    void aServiceInTroubleIsAskedOnce() {
        try (LoopbackApi api = new LoopbackApi(Answer.json(529, "{}"))) {
            assertThatThrownBy(() -> ANTHROPIC.apply(api.url()).check()).isInstanceOf(LlmUnavailableException.class);
            assertThat(api.received()).hasSize(1);
        }
    }
}
