package io.maestro.llm;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsageTest {
    /** A budget must not become larger by what a host's client says. */
    @ParameterizedTest
    @CsvSource({
        "-1, 0, 0, 0, 0, input tokens must be 0 or more",
        "0, -1000000, 0, 0, 0, are -1000000",
        "0, 0, -9223372036854775808, 0, 0, cache read tokens",
        "0, 0, 0, -1, 0, cache write tokens",
        "0, 0, 0, 5, -1, (hour) tokens",
        "0, 0, 0, 5, 6, of 5 tokens written to a cache",
    })
    void refusesCountsThatCannotBeTrue(long input, long output, long read, long write, long hour, String message) {
        assertThatThrownBy(() -> new Usage(input, output, read, write, hour))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void sumsDoNotOverflow() {
        Usage most = new Usage(Long.MAX_VALUE, 1, 2, Long.MAX_VALUE, 4);
        assertThat(most.plus(new Usage(1, 1, 1, 1, 1))).isEqualTo(new Usage(Long.MAX_VALUE, 2, 3, Long.MAX_VALUE, 5));
        assertThat(most.totalTokens()).isEqualTo(Long.MAX_VALUE);
        assertThat(new Usage(1, 2, 3, 4, 4).totalTokens()).isEqualTo(10);
    }
}
