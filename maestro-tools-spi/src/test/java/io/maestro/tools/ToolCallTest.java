package io.maestro.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToolCallTest {
    @ParameterizedTest
    @CsvSource({
        "PT10M30S, PT10M, PT10M",
        "PT10M30S, PT20M, PT10M",
        "PT24H, PT1S, PT1S",
        "PT10S, PT60S, PT9S",
        "PT1S, PT1S, PT0.9S"
    })
    void aCommandEndsBeforeItsCall(Duration limit, Duration asked, Duration given) {
        ToolCall call = new ToolCall("1", "shell", ToolArguments.of(Map.of()), limit);

        assertThat(call.commandLimit(asked)).isEqualTo(given);
    }

    @Test
    void oneThatWasMadeByHandHasNoOtherTools() {
        ToolCall call = new ToolCall("1", "shell", ToolArguments.of(Map.of()), Duration.ofSeconds(1));

        assertThatExceptionOfType(ToolException.class)
                .isThrownBy(() -> call.tools().call("read_file", Map.of()))
                .withMessage("no other tool can be called here, 'read_file' neither");
    }
}
