package io.maestro.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.internal.HiddenCharacters;
import org.junit.jupiter.api.Test;

/** What a terminal is given. */
class OutputTest {
    @Test
    void theHiddenCharactersAreMaestrosOwn() {
        StringBuilder all = new StringBuilder("\u26a0\ufe0f a\ufe0f \r\n\r");
        for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
            all.append(' ').appendCodePoint(c);
        }
        assertThat(Output.safe(all.toString())).isEqualTo(HiddenCharacters.shown(all.toString()));
        assertThat(Output.safe("a\u3164\u001b[2J")).isEqualTo("a\\u3164\\u001b[2J");
    }
}
