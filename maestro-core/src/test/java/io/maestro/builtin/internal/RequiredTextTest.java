package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;

import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequiredTextTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "plain; plain",
                "class\\s+Foo; class",
                "foo\\(bar; foo(bar",
                "abc?d; ab",
                "ab+cde; cde",
                "(x|y)end; end",
                "x{2,30}yz; yz",
                "[a-z]]tail; tail",
                "[]a]tail; tail",
                "a|b; 'a,b'",
                "foo.*|x(y|z)+bar|q; 'foo,bar,q'",
                "foo|.; ''",
                "a||b; ''",
                "(?i)abc; ''",
                "\\Qa.b\\E; ''",
                "a\\x41b; ''",
                "^import$; import"
            })
    void isTheLongestOfEachAlternative(String regex, String text) {
        assertThat(String.join(",", RequiredText.of(regex))).isEqualTo(text);
    }

    @Test
    void oneIsInEverythingThatMatches() {
        long seed = System.nanoTime();
        System.out.println("required text: seed " + seed);
        Random random = new Random(seed);
        String[] pieces = {
            "a", "b", "ab", "x", "\\.", "\\w", "\\b", ".", "[ab]", "[^a]", "[]b]", "(", ")", "(?:", "|", "*", "+", "?",
            "+?", "{2}", "{0,1}", "^", "$", "}", "{", "]", "\\{"
        };
        int matched = 0;
        for (int i = 0; i < 100_000; i++) {
            StringBuilder regex = new StringBuilder();
            for (int n = random.nextInt(7) + 1; n > 0; n--) {
                regex.append(pieces[random.nextInt(pieces.length)]);
            }
            StringBuilder line = new StringBuilder();
            for (int n = random.nextInt(12); n > 0; n--) {
                line.append("abx.]{}".charAt(random.nextInt(7)));
            }
            try {
                if (Pattern.compile(regex.toString()).matcher(line).find()) {
                    matched++;
                    List<String> required = RequiredText.of(regex.toString());
                    assertThat(required.isEmpty() || required.stream().anyMatch(text -> line.indexOf(text) >= 0))
                            .as("%s in %s: %s", regex, line, required)
                            .isTrue();
                }
            } catch (PatternSyntaxException e) {
                // No pattern.
            }
        }
        assertThat(matched).isGreaterThan(10_000);
    }
}
