package io.maestro.internal;

import static io.maestro.testing.AssertThat.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextsTest {
    @ParameterizedTest
    @CsvSource(
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "one,one",
                "one|two,one",
                "'',''",
                "'  |one ',one",
                "not valid:|  $.key: is missing|more,not valid: $.key: is missing",
                "not valid:||$.key: is missing,not valid: $.key: is missing",
                "nothing follows:,nothing follows:",
            })
    void theFirstLineSaysWhatIsAnnounced(String text, String line) {
        assertThat(Texts.firstLine(text.replace('|', '\n'))).isEqualTo(line);
    }
}
