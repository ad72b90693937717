package io.maestro.internal;

import static io.maestro.testing.AssertThat.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HiddenCharactersTest {
    @ParameterizedTest
    @ValueSource(
            ints = {
                0x00, 0x1b, 0x7f, 0x9b, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180d, 0x180e,
                0x180f, 0x200b, 0x200f, 0x2028, 0x2029, 0x202e, 0x2060, 0x2065, 0x206f, 0x2800, 0x3164, 0xd800, 0xfe00,
                0xfe0f, 0xfeff, 0xffa0, 0xfff0, 0xfff8, 0x1bca0, 0x1d159, 0x1d173, 0x1d17a, 0xe0000, 0xe0041, 0xe0080,
                0xe0100, 0xe01ef, 0xe0fff
            })
    void hidden(int c) {
        assertThat(HiddenCharacters.isHidden(c)).isTrue();
        assertThat(HiddenCharacters.shown("a" + Character.toString(c))).isEqualTo(String.format("a\\u%04x", c));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\tb\nc",
                "é e\u0301",
                "\u05d0\u0627",
                "한국어 日本語",
                "\ud83d\ude00 \u26a0\ufe0f \u2764\ufe0f",
                "│ …"
            })
    void seen(String text) {
        assertThat(HiddenCharacters.shown(text)).isEqualTo(text);
    }

    @Test
    void oneSelectorMakesAnEmojiAndMoreHideSomething() {
        assertThat(HiddenCharacters.shown("\u26a0\ufe0f\ufe0f a\ufe0f")).isEqualTo("\u26a0\ufe0f\\ufe0f a\\ufe0f");
    }

    /** {@code Default_Ignorable_Code_Point} has what Java does not know by a type. */
    @Test
    void thePageHasTheSameList() throws IOException {
        try (InputStream views = HiddenCharacters.class.getResourceAsStream("/io/maestro/monitor/views.js")) {
            assertThat(new String(views.readAllBytes(), StandardCharsets.UTF_8))
                    .contains(
                            "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800\\u{16FE4}\\u{1D159}");
        }
    }
}
