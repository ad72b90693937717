package io.maestro.secrets;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.net.URLEncoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretRedactorTest {
    private static final ObjectMapper JSON = new JsonMapper();
    private static final String VALUE = "p\"ä/s\\s<w>&\n+=rd 1";

    private static SecretRedactor knowing(String... secrets) {
        SecretRedactor.Builder builder = SecretRedactor.builder().withoutDefaults();
        List.of(secrets).forEach(builder::secret);
        return builder.build();
    }

    private static void assertTakenOut(String encoded) {
        assertThat(knowing(VALUE).redact("a " + encoded + " b")).isEqualTo("a [REDACTED:known-secret] b");
    }

    @Test
    void takesOutALongTokenWithAnEscapeFarBehind() {
        Random random = new Random(Campaign.seed("long tokens"));
        String token = Planted.fill("eyJ{A20}.eyJ{A3000}\\u002d{A40}", random);

        assertThat(SecretRedactor.withDefaults().redact("{\"a\":\"" + token + "\"}"))
                .isEqualTo("{\"a\":\"[REDACTED:jwt]\"}");
    }

    @ParameterizedTest
    @ValueSource(ints = {48, 60, 64, 70, 72, 76})
    void takesOutAKnownValueInLinesOfBase64(int width) {
        Random random = new Random(Campaign.seed("lines of base64"));
        String value = Planted.fill("{w40}", random);
        String text = Planted.fill("{a80}", random) + value + Planted.fill("{a80}", random);
        String encoded = Base64.getEncoder()
                .encodeToString(text.getBytes(StandardCharsets.US_ASCII))
                .replaceAll("(.{" + width + "})", "$1\n");

        assertThat(knowing(value).redact(encoded)).contains("[REDACTED:known-secret]");
    }

    @Test
    void takesOutWhatIsEncodedForUrlsOnceMore() {
        Random random = new Random(Campaign.seed("base64 for URLs"));
        // Every third one becomes one of the two characters that are others in URLs.
        String text = Planted.fill("ab?cd~ef> api_token={A24}", random);
        String encoded =
                Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.US_ASCII));

        assertThat(SecretRedactor.withDefaults().redact("a " + encoded + " b"))
                .isEqualTo("a [REDACTED:encoded-secret] b");
    }

    @Test
    void takesOutWhatIsEncodedBehindAPathOrAName() {
        String token = token();
        for (String before : List.of("https://example.org/u/", "v-", "cfg_", "a/b_c-d=", "powershell -enc ")) {
            String text = before + base64(("the token is " + token).getBytes(StandardCharsets.UTF_8)) + " end";
            assertThat(SecretRedactor.withDefaults().redact(text))
                    .as(text)
                    .startsWith(before)
                    .endsWith("[REDACTED:github-token] end");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16LE", "UTF-16BE", "UTF-16"})
    void takesOutWhatIsEncodedInOtherLetters(String charset) {
        for (String text : List.of(
                "$t = '%s'", "$t = '%s' # é", "$töken = %s", "x".repeat(90_000) + " %s " + "y".repeat(90_000))) {
            String encoded = base64(text.replace("%s", token()).getBytes(Charset.forName(charset)));
            assertThat(SecretRedactor.withDefaults().redact("a " + encoded + " b"))
                    .as(text.substring(0, 8))
                    .isEqualTo("a [REDACTED:github-token] b");
        }
        assertThat(SecretRedactor.withDefaults().redact(base64(("é " + token()).getBytes(StandardCharsets.UTF_8))))
                .isEqualTo("[REDACTED:github-token]");
    }

    /** Each sign may be one before the value; all of it is decoded a few times only. */
    @Test
    void isQuickOnABase64TextOfManyParts() {
        String part = base64("some text/".repeat(3).getBytes(StandardCharsets.UTF_8));
        assertTimeoutPreemptively(
                Duration.ofSeconds(20), () -> SecretRedactor.withDefaults().redact(("/" + part).repeat(20_000)));
    }

    private static String token() {
        return Planted.fill("ghp_{A36}", new Random(Campaign.seed("tokens")));
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\u{67}hp_", "\\u{000067}hp_", "\\147\\150\\160_"})
    void takesOutATokenThatIsEscaped(String beginning) {
        assertThat(SecretRedactor.withDefaults().redact("'" + beginning + token().substring(4) + "'"))
                .isEqualTo("'[REDACTED:github-token]'");
    }

    @Test
    void findsEachSecretWhereItStands() {
        String token = token();
        String key = "-----BEGIN PRIVATE KEY-----\n" + Planted.fill("{b64}\n{b64}\n{b64}\n", new Random(1))
                + "-----END PRIVATE KEY-----";
        String text = "https://me:" + token + "@example.org\n" + key + "\n" + key + "\n";
        List<Redactor.Found> certain = SecretRedactor.withDefaults().find(text).stream()
                .filter(Redactor.Found::certain)
                .toList();
        assertThat(certain)
                .extracting(found -> text.substring(found.start(), found.end()))
                .containsExactly(token, key, key);
        assertThat(SecretRedactor.withDefaults().find("nothing")).isEmpty();
    }

    @Test
    void aKeyOfADocumentIsNotCertain() {
        String line = Planted.fill("MII{b61}\n", new Random(1));
        for (String key : List.of(
                line + "EXAMPLE" + line.substring(7), line + "...EXAMPLE" + line, line + line + "Comment: EXAMPLE\n")) {
            boolean certain =
                    SecretRedactor.withDefaults()
                            .find("-----BEGIN PRIVATE KEY-----\n" + key + "-----END PRIVATE KEY-----\n")
                            .stream()
                            .anyMatch(Redactor.Found::certain);
            assertThat(certain).as(key).isEqualTo(key.contains("Comment"));
        }
    }

    @Test
    void findsAKnownValue() {
        assertTakenOut(VALUE);
        assertTakenOut(VALUE.replace("\n", "\r\n"));
    }

    @Test
    void findsAKnownValueInJson() throws Exception {
        String once = JSON.writeValueAsString(VALUE);
        assertTakenOut(once.substring(1, once.length() - 1));
        String twice = JSON.writeValueAsString(once);
        assertTakenOut(twice.substring(3, twice.length() - 3));
        assertTakenOut(once.substring(1, once.length() - 1)
                .replace("<", "\\u003c")
                .replace(">", "\\u003e")
                .replace("&", "\\u0026"));
        assertTakenOut(once.substring(1, once.length() - 1).replace("ä", "\\u00e4"));
        assertTakenOut(once.substring(1, once.length() - 1).replace("/", "\\/"));
    }

    @Test
    void findsAKnownValueInAUrl() {
        String form = URLEncoder.encode(VALUE, StandardCharsets.UTF_8);
        assertTakenOut(form);
        assertTakenOut(form.replace("+", "%20"));
        assertTakenOut(Pattern.compile("%..")
                .matcher(form)
                .replaceAll(hex -> hex.group().toLowerCase(Locale.ROOT)));
    }

    @Test
    void findsAKnownValueInBase64WhereverItBegins() {
        for (String before : List.of("", "u", "me", "you", "user:")) {
            for (String after : List.of("", "\n", "xx")) {
                byte[] bytes = (before + VALUE + after).getBytes(StandardCharsets.UTF_8);
                for (Base64.Encoder encoder : List.of(Base64.getEncoder(), Base64.getUrlEncoder())) {
                    String redacted = knowing(VALUE).redact(encoder.encodeToString(bytes));

                    assertThat(redacted).as(before + "," + after).contains("[REDACTED:known-secret]");
                    assertThat(redacted.replace("[REDACTED:known-secret]", ""))
                            .as("only the neighbours and the bits that they share")
                            .hasSizeLessThanOrEqualTo(before.length() * 2 + after.length() * 2 + 4);
                }
            }
        }
    }

    @Test
    void findsAKnownValueInQuotesEntitiesColoursAndLines() {
        SecretRedactor redactor = knowing("it's \"Top\" <&> secret");
        for (String way : List.of(
                "it'\\''s \"Top\" <&> secret",
                "it''s \"Top\" <&> secret",
                "it's \"\"Top\"\" <&> secret",
                "it&apos;s &quot;Top&quot; &lt;&amp;&gt; secret",
                "it&#39;s &#x22;Top&#x22; &lt;&amp;&gt; secret",
                "it's \u001b[1m\"Top\"\u001b[0m <&> secret",
                "it's \"To\u200bp\" <&> secret",
                "it's \"Top\" \\\n<&> secret",
                "697427732022546f7022203c263e20736563726574",
                "697427732022546F7022203C263E20736563726574")) {
            assertThat(redactor.redact("a " + way + " b")).as(way).isEqualTo("a [REDACTED:known-secret] b");
        }
        byte[] around = ("x".repeat(70) + "it's \"Top\" <&> secret" + "y".repeat(70)).getBytes(StandardCharsets.UTF_8);
        assertThat(redactor.redact(Base64.getMimeEncoder().encodeToString(around)))
                .contains("[REDACTED:known-secret]");
    }

    @Test
    void findsTheLinesOfALongSecret() {
        SecretRedactor redactor = knowing("first line of the secret\n  second line of the secret\nend");

        assertThat(redactor.redact("> second line of the secret <")).isEqualTo("> [REDACTED:known-secret] <");
        assertThat(redactor.redact("end")).isEqualTo("end");
    }

    @Test
    void makesOneMarkOfValuesThatOverlap() {
        assertThat(knowing("abcdefgh", "efghijkl").redact("xabcdefghijkly")).isEqualTo("x[REDACTED:known-secret]y");
        assertThat(knowing("abcdefgh", "cdefgh", "abcdefghij").redact("xabcdefghijy"))
                .isEqualTo("x[REDACTED:known-secret]y");
        assertThat(knowing("aaaaaa").redact("aaaaaaaaab")).isEqualTo("[REDACTED:known-secret]b");
    }

    @Test
    void isExactAboutTheCaseOfAKnownValue() {
        assertThat(knowing("AbCdEfGh").redact("abcdefgh ABCDEFGH AbCdEfGh"))
                .isEqualTo("abcdefgh ABCDEFGH [REDACTED:known-secret]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "12345", "  12345  \n"})
    void refusesAValueThatIsTooShort(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SecretRedactor.builder().secret(value))
                .withMessageContaining("at least 6")
                .withMessageNotContaining("12345");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SecretRedactor.withDefaults().addSecret(value));
    }

    @Test
    void takesValuesWhileItIsUsed() throws Exception {
        SecretRedactor redactor = SecretRedactor.withDefaults();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            var added = IntStream.range(0, 40)
                    .mapToObj(i -> threads.submit(() -> {
                        String secret = "added-secret-" + i + "-";
                        redactor.addSecret(secret);
                        assertThat(redactor.redact("a " + secret + " b")).doesNotContain(secret);
                    }))
                    .toList();
            for (var done : added) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(IntStream.range(0, 40).mapToObj(i -> redactor.redact("added-secret-" + i + "-")))
                .containsOnly("[REDACTED:known-secret]");
    }

    @Test
    void ignoresBlanksAroundAValue() {
        assertThat(knowing(" top-secret\n").redact("x=top-secret;")).isEqualTo("x=[REDACTED:known-secret];");
    }

    @Test
    void appliesTheRulesOfAHost() {
        SecretRedactor redactor = SecretRedactor.builder()
                .withoutDefaults()
                .rule("ticket", "TCK-", "TCK-[0-9]{4,}+")
                .rule("pin", List.of("pin", "code"), "(?i:pin|code) is (?<secret>[0-9]+)")
                .rule("tail", "@corp", "(?<=(?<secret>[a-z]{3}))@corp")
                .build();

        assertThat(redactor.redact("TCK-12345, my Pin is 987, the code is 65, abc@corp, tck-12345"))
                .isEqualTo("[REDACTED:ticket], my Pin is [REDACTED:pin], the code is [REDACTED:pin], [REDACTED:tail],"
                        + " tck-12345");
    }

    @Test
    void refusesRulesThatCannotBeUsed() {
        SecretRedactor.Builder builder = SecretRedactor.builder();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.rule("Not a name", "key", "x"))
                .withMessageContaining("Not a name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.rule("name", "k", "x"))
                .withMessageContaining("at least 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.rule("name", List.of(), "x"))
                .withMessageContaining("keywords");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.rule("name", "key", "("))
                .withMessageContaining("rule name");
    }

    @Test
    void returnsTheSameInstanceWhenThereIsNothing() {
        String text = "nothing secret here: password, token, ghp_, sk-, eyJ, ://, -----BEGIN";

        assertThat(SecretRedactor.withDefaults().redact(text)).isSameAs(text);
    }

    @Test
    void keepsJsonValidWhereASecretIsANumber() throws Exception {
        String json = "{\"password\": 12345678, \"a\": [4711471147, true], \"b\": \"4711471147\"}";

        String redacted = SecretRedactor.builder().secret("4711471147").build().redact(json);

        assertThat(JSON.readTree(redacted))
                .isEqualTo(JSON.readTree("{\"password\": \"[REDACTED:password]\","
                        + " \"a\": [\"[REDACTED:known-secret]\", true], \"b\": \"[REDACTED:known-secret]\"}"));
    }

    @Test
    void keepsJsonValidWhereASecretCutsAnEscapeOrAString() throws Exception {
        String json = "{\"a\":\"x\\nsecret\\\"y\",\"b\":[\"begin\",\"end\"],\"c\":\"\\u00e4bcdefg\"}";
        SecretRedactor redactor = SecretRedactor.builder()
                .withoutDefaults()
                .rule("cut", "nsecret", "nsecret\\\\")
                .rule("across", "begin", "begin\",\"end")
                .rule("unicode", "e4bcd", "e4bcd")
                .build();

        String redacted = redactor.redact(json);

        assertThat(JSON.readTree(redacted))
                .isEqualTo(JSON.readTree("{\"a\":\"x[REDACTED:cut]y\",\"b\":[\"[REDACTED:across]\","
                        + "\"[REDACTED:across]\"],\"c\":\"[REDACTED:unicode]efg\"}"));
    }

    /** Such a message could not be read again. */
    @Test
    void whatLooksLikeAKeyOverSeveralStringsLeavesTheFormOfAMessage() throws Exception {
        String json = "[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_01A09q90qw90lq917835lq9\","
                + "\"content\":\"A.java:1: -----BEGIN PRIVATE KEY-----\"},{\"type\":\"tool_result\","
                + "\"tool_use_id\":\"toolu_01B19q90qw90lq917835lq9\",\"content\":\"A.java:9: -----END PRIVATE KEY-----\"}]";

        JsonNode blocks = JSON.readTree(SecretRedactor.withDefaults().redact(json));

        assertThat(blocks.get(0).path("content").asText()).contains("[REDACTED:private-key]");
        assertThat(blocks.get(1).path("type").asText()).isEqualTo("tool_result");
        assertThat(blocks.get(1).path("tool_use_id").asText()).isEqualTo("toolu_01B19q90qw90lq917835lq9");
        assertThat(blocks.get(1).path("content").asText()).contains("[REDACTED:private-key]");
    }

    @Test
    void whatAHostsRuleFindsIsFoundInBase64() {
        SecretRedactor own = SecretRedactor.builder()
                .withoutDefaults()
                .rule("badge", "BDG-", "BDG-[0-9]{6}")
                .build();
        String encoded =
                Base64.getEncoder().encodeToString("badge BDG-123456 and more text".getBytes(StandardCharsets.UTF_8));

        assertThat(own.redact("x " + encoded)).isEqualTo("x [REDACTED:badge]");
    }

    @Test
    void believesNoMarkThatIsNotItsOwn() {
        String token = Planted.fill("ghp_{A36}", new Random(1));

        assertThat(SecretRedactor.withDefaults().redact("[REDACTED:" + token + "]"))
                .doesNotContain(token);
    }

    @Test
    void leavesNothingOfATextThatARuleCannotScan() {
        SecretRedactor deep =
                SecretRedactor.builder().rule("deep", "start", "start(?:a|b)*c").build();
        SecretRedactor slow =
                SecretRedactor.builder().rule("slow", "start", "start(?:a+)+c").build();
        String text = "start" + "a".repeat(200_000);

        for (SecretRedactor redactor : List.of(deep, slow)) {
            assertThat(redactor.redact(text)).isEqualTo("[REDACTED: could not be scanned]");
            assertThat(redactor.redact("{\"a\":\"" + text + "\"}"))
                    .isEqualTo("{\"redacted\":\"[REDACTED: could not be scanned]\"}");
            assertThat(redactor.redact("[\"" + text + "\"]")).isEqualTo("[\"[REDACTED: could not be scanned]\"]");
            String mark = redactor.redact(text);
            assertThat(redactor.redact(mark)).isSameAs(mark);
        }
    }

    @Test
    void doesNotTellItsSecrets() {
        SecretRedactor redactor = knowing("top-secret-value");

        assertThat(redactor.toString()).doesNotContain("top-secret-value");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "eyJ",
                "_eyJ",
                "password=",
                "password=\"",
                "token='",
                "\\\"password\\\":\\\"",
                "://",
                "://a:",
                "curl -u ",
                "curl",
                "discord ",
                "login a password ",
                "Authorization: Bearer ",
                "-----BEGIN PRIVATE KEY-----",
                "-----END PRIVATE KEY-----",
                "A",
                "\\",
                "\"",
                "sk-",
                "sk-a",
                "SG.",
                "SG.aaaaaaaaaaaaaaaaaaaaa",
                "[REDACTED:",
                "[",
                "{\"a\":",
                ":AA",
                "AccountKey=",
                "--token ",
                "<password>",
                "-us1",
                "Q~",
                "\u0000",
                "😀"
            })
    void isQuickOnTextsThatAreMadeToSlowItDown(String unit) {
        // A time that grows with the square of the length would take many minutes.
        String text = unit.repeat(300_000 / unit.length());

        assertThatCode(() -> SecretRedactor.withDefaults().redact(text)).doesNotThrowAnyException();
    }

    @Test
    void scansALargeText() {
        scan(2_000_000);
    }

    @Test
    @Full("the short tier has a text of 2 MB")
    void scansATextOf42Megabytes() {
        scan(42_000_000);
    }

    private static void scan(int length) {
        String line = "an ordinary line of a log with the words token and password and a URL https://example.org/\n";
        String token = Planted.fill("ghp_{A36}", new Random(1));
        String half = line.repeat(length / 2 / line.length());

        String redacted = SecretRedactor.withDefaults().redact(half + token + "\n" + half);

        assertThat(redacted).hasSize(2 * half.length() + "[REDACTED:github-token]\n".length());
        assertThat(redacted.indexOf("[REDACTED:github-token]")).isEqualTo(half.length());
    }
}
