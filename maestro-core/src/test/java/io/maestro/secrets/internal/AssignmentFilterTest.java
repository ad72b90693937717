package io.maestro.secrets.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.testing.Campaign;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Where the filter says no, the expressions find nothing: on random texts of the pieces that assignments are made of. */
class AssignmentFilterTest {
    private static final List<String> NAMES =
            List.of("password", "apiToken", "client_secret", "--token", "DB_PASS", "key");

    private static final List<String> ENDS =
            ("s _ - . value val str string text plain prod production staging stage dev test live default primary secondary main"
                            + " old new prev current raw b64 base64 encoded access key base data 1 42 x ize _id")
                    .lines()
                    .flatMap(line -> List.of(line.split(" ")).stream())
                    .toList();

    private static final List<String> SIGNS = List.of(
            "=",
            ":",
            " = ",
            ": ",
            "\": \"",
            "\":\"",
            "=\"",
            " := ",
            " => ",
            " ?= ",
            " += ",
            " .= ",
            " ",
            "  ",
            "(\"",
            "\", \"",
            "\",\"value\":\"",
            "\n  value: ",
            "']='",
            " string = \"",
            ": const Text = '",
            " const &str = \"",
            "[] = '",
            ">",
            "</key>\n<string>",
            " | ",
            ": |\n  ",
            "==",
            " == ",
            "!=\"",
            " -> \"",
            "=\"abc\" -> \"",
            "?: String = \"",
            ": &str = \"",
            "\"] = \"",
            " ??= '",
            " ||= '",
            ":\t",
            "=<<EOF\n",
            "</a>",
            ".",
            ",",
            ";",
            ")",
            "`: `",
            "=\"\"\"",
            " Optional[str] .= \"");

    private static final List<String> VALUES = List.of(
            "hT7kQ2mX9pLw4ZsR8vNc",
            "q9Z!x7",
            "abc",
            "a1b2c",
            "null",
            "true",
            "x",
            "",
            "\\\"hT7kQ2mX9pLw\\\"",
            "K7=pQ2mX9pLw4ZsR8",
            "hT7k,Q2mX9p",
            "12345",
            "SecretStr(\"hT7kQ2mX9pLw4\")");

    private static final List<String> BEFORE =
            List.of("", "\n", "ENV ", "setx ", "x ", "{\"", "config['", "vault_pass ", "-", "a/");
    private static final List<String> AFTER =
            List.of("", "\n", "\"", "\"}", ",", ";\n", " ", "'", ")", "&", " -> \"hT7kQ2mX9p\"");

    @Test
    void doesNotSayNoWhereAValueIsFound() {
        Random random = new Random(Campaign.seed("assignments"));
        int found = 0;
        for (int i = Campaign.number(20_000); i > 0; i--) {
            String name = any(NAMES, random);
            String before = any(BEFORE, random);
            String text = before
                    + name
                    + any(SIGNS, random)
                    + (random.nextInt(4) == 0 ? any(SIGNS, random) : "")
                    + any(VALUES, random)
                    + any(AFTER, random);
            String lower = name.toLowerCase(Locale.ROOT);
            for (SecretKind kind : SecretKind.values()) {
                AssignmentRule rule = new AssignmentRule(kind, kind.keywords());
                for (String keyword : kind.keywords()) {
                    if (lower.endsWith(keyword)) {
                        int end = before.length() + name.length();
                        int start = end - keyword.length();
                        SecretSpan span = rule.find(new MeteredText(text), start, end, end);
                        found += span == null ? 0 : 1;
                        assertThat(span == null || AssignmentFilter.mayAssign(text, start, end))
                                .as(text)
                                .isTrue();
                    }
                }
            }
        }
        assertThat(found).isGreaterThan(1_000);
    }

    @Test
    void doesNotSayNoWhereANameEnds() {
        Random random = new Random(Campaign.seed("ends of names"));
        for (int i = Campaign.number(10_000); i > 0; i--) {
            String end = any(ENDS, random) + any(ENDS, random) + (random.nextBoolean() ? any(ENDS, random) : "");
            String text = "token" + (random.nextBoolean() ? end : end.toUpperCase(Locale.ROOT)) + "=";
            for (SecretKind kind : List.of(SecretKind.PASSWORD, SecretKind.SECRET, SecretKind.KEY)) {
                int place = kind.endOfName(new MeteredText(text), 5);
                assertThat(place < 0 || AssignmentFilter.mayEndName(text, 5))
                        .as(text)
                        .isTrue();
            }
        }
    }

    @Test
    void saysNoToMostOfCode() {
        for (String text : List.of(
                "token == null", "key;", "key) {", "key of the map", "key.isEmpty()", "token\":null}", "key: abc,")) {
            int end = text.startsWith("key") ? 3 : 5;
            assertThat(AssignmentFilter.mayAssign(text, 0, end)).as(text).isFalse();
        }
        assertThat(AssignmentFilter.mayEndName("path", 3)).isFalse();
        assertThat(AssignmentFilter.mayEndName("tokenizer", 5)).isFalse();
    }

    private static String any(List<String> pieces, Random random) {
        return pieces.get(random.nextInt(pieces.size()));
    }
}
