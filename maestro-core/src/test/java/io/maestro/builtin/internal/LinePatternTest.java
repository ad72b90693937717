package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.testing.Campaign;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Test;

class LinePatternTest {
    /** K and long s are other cases of ASCII letters, and {@code @} differs from a grave accent as A does from a. */
    private static final String CHARACTERS = "aAkKsS\u212A\u017F\u0130\u0131iI@`_";

    /** What is left out before the engine looks at it is never what it would have found. */
    @Test
    void findsTheLinesThatTheEngineFinds() {
        Random random = new Random(Campaign.seed("patterns of lines"));
        int matched = 0;
        for (int i = 0; i < 8_000; i++) {
            boolean ignoreCase = random.nextInt(4) > 0;
            boolean literal = random.nextInt(4) == 0;
            String wanted =
                    (literal ? "" : List.of("", "", "^", ".", "[a-i]+", "x|").get(random.nextInt(6)))
                            + text(random, 3, random.nextBoolean());
            List<String> lines = new ArrayList<>();
            boolean ascii = random.nextBoolean();
            for (int n = random.nextInt(4); n >= 0; n--) {
                lines.add(text(random, 6, ascii));
            }
            String text = String.join("\n", lines);
            try {
                List<String> found = found(LinePattern.of(wanted, literal, ignoreCase), text);
                Pattern pattern = Pattern.compile(
                        wanted,
                        (literal ? Pattern.LITERAL : 0)
                                | (ignoreCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0));
                List<String> expected = lines.stream()
                        .filter(line -> pattern.matcher(line).find())
                        .toList();
                assertThat(found).as("%s in %s", wanted, text).isEqualTo(expected);
                matched += expected.isEmpty() ? 0 : 1;
            } catch (PatternSyntaxException e) {
                throw new AssertionError(wanted, e);
            }
        }
        assertThat(matched).isBetween(1_000, 7_000);
    }

    /** A pattern that is looked for in few lines: those that have its text in any case. */
    @Test
    void looksAtNoLineThatCannotMatch() {
        String text = "one\ntwo NEEDLE\nthree\n";
        LinePattern.TextLines lines = lines(LinePattern.of("needle$", false, true), text);

        assertThat(lines.candidate(0)).isEqualTo(text.indexOf("NEEDLE"));
        assertThat(lines.candidate(text.indexOf("three"))).isNegative();
        assertThat(lines.tookLong()).isFalse();
    }

    private static String text(Random random, int most, boolean ascii) {
        StringBuilder text = new StringBuilder();
        for (int n = random.nextInt(most) + 1; n > 0; n--) {
            char c = CHARACTERS.charAt(random.nextInt(CHARACTERS.length()));
            text.append(ascii && c >= 0x80 ? 'k' : c);
        }
        return text.toString();
    }

    private static LinePattern.TextLines lines(LinePattern pattern, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return pattern.in(text, bytes, bytes.length);
    }

    private static List<String> found(LinePattern pattern, String text) {
        List<String> found = new ArrayList<>();
        LinePattern.TextLines lines = lines(pattern, text);
        for (int at = lines.candidate(0); at >= 0; ) {
            int from = text.lastIndexOf('\n', at - 1) + 1;
            int end = text.indexOf('\n', from);
            int to = end < 0 ? text.length() : end;
            if (lines.find(from, to) >= 0) {
                found.add(text.substring(from, to));
            }
            at = to >= text.length() ? -1 : lines.candidate(to + 1);
        }
        return found;
    }
}
