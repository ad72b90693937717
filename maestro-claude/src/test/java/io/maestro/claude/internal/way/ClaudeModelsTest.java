package io.maestro.claude.internal.way;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.MaestroException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClaudeModelsTest {
    @ParameterizedTest
    @CsvSource({
        "claude-sonnet-5,claude-sonnet-5",
        "anthropic:claude-opus-4-1-20250805,claude-opus-4-1-20250805",
        "sonnet,sonnet",
        "anthropic:opus,opus",
        "haiku,haiku",
        "sonnet[1m],sonnet[1m]",
        "claude-3.5-haiku_x,claude-3.5-haiku_x",
    })
    void modelsOfAnthropicAreTaken(String given, String name) {
        assertThat(ClaudeModels.require("$.agents.coder_model", given)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpt-5",
                "openai:claude-sonnet-5",
                "openai:gpt-5",
                "claude-",
                "claude",
                "sonnet-5",
                "",
                "anthropic:",
                "anthropic:gpt-5",
                "claude-x --dangerously-skip-permissions",
                "claude-x\n",
                "Sonnet",
            })
    void othersAreRefusedWithTheSetting(String given) {
        assertThatThrownBy(() -> ClaudeModels.require("$.agents.coder_model", given))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("$.agents.coder_model: ")
                .hasMessageContaining("\"" + given + "\"")
                .hasMessageContaining("agents.coder_mode to standard");
    }
}
