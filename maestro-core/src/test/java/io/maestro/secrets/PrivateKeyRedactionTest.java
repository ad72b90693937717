package io.maestro.secrets;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateKeyRedactionTest {
    private static final String MARK = "[REDACTED:private-key]";
    private static final String BODY = body();

    private final SecretRedactor redactor = SecretRedactor.withDefaults();

    /** As long as the key of an RSA key pair with 2,048 bits, and as random. */
    private static String body() {
        byte[] key = new byte[1_218];
        new Random(1).nextBytes(key);
        return Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(key);
    }

    private static String pem(String kind) {
        return "-----BEGIN " + kind + "-----\n" + BODY + "\n-----END " + kind + "-----";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PRIVATE KEY",
                "RSA PRIVATE KEY",
                "OPENSSH PRIVATE KEY",
                "ENCRYPTED PRIVATE KEY",
                "PGP PRIVATE KEY BLOCK"
            })
    void takesOutAWholeKey(String kind) {
        assertThat(redactor.redact("a\n" + pem(kind) + "\nb")).isEqualTo("a\n" + MARK + "\nb");
    }

    @Test
    void takesOutAKeyWithHeaders() {
        String key = pem("RSA PRIVATE KEY")
                .replaceFirst("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0123456789ABCDEF\n\n");

        assertThat(redactor.redact("a\n" + key + "\nb")).isEqualTo("a\n" + MARK + "\nb");
        assertThat(redactor.redact("a\n" + key.substring(0, 600) + " b")).isEqualTo("a\n" + MARK + " b");
    }

    @Test
    void takesOutAKeyWhoseEndIsCut() {
        assertThat(redactor.redact("a\n" + pem("PRIVATE KEY").substring(0, 500)))
                .isEqualTo("a\n" + MARK);
        assertThat(redactor.redact("a\n" + pem("PRIVATE KEY").substring(0, 500) + "... and more"))
                .isEqualTo("a\n" + MARK + "... and more");
    }

    @Test
    void takesOutAKeyWhoseBeginningIsCut() {
        assertThat(redactor.redact("the tail: " + pem("PRIVATE KEY").substring(300) + "\nb"))
                .isEqualTo("the tail: " + MARK + "\nb");
    }

    @Test
    void takesOutAnIndentedKey() {
        String indented = ("a\n" + pem("PRIVATE KEY")).replace("\n", "\n    ") + "\nb";

        assertThat(redactor.redact(indented)).isEqualTo("a\n    " + MARK + "\nb");
        String head = indented.substring(0, indented.indexOf("-----END") - 300);
        assertThat(redactor.redact(head)).isEqualTo("a\n    " + MARK);
        String tail = indented.substring(300);
        assertThat(redactor.redact(tail)).isEqualTo(MARK + "\nb");
    }

    @Test
    void takesOutAKeyInJsonOfAnyDepth() throws Exception {
        JsonMapper json = new JsonMapper();
        String text = pem("PRIVATE KEY");
        for (int depth = 0; depth < 3; depth++) {
            text = json.writeValueAsString(Map.of("private_key", text));

            String redacted = redactor.redact(text);
            json.readTree(redacted);
            assertThat(redacted).contains("\"" + MARK).doesNotContain(BODY.substring(0, 64));

            for (int cut : new int[] {400, text.length() / 2}) {
                assertThat(redactor.redact(text.substring(0, cut))).doesNotContain(BODY.substring(0, 64));
                assertThat(redactor.redact(text.substring(cut)))
                        .doesNotContain(BODY.substring(BODY.length() - 60).strip());
            }
        }
    }

    @Test
    void takesOutTwoLinesOfAKey() {
        List<String> lines = BODY.lines().toList();

        assertThat(redactor.redact("a\n" + lines.get(3) + "\n" + lines.get(4) + "\nb"))
                .isEqualTo("a\n" + MARK + "\nb");
        assertThat(redactor.redact("a\n" + lines.get(3) + "\nb")).contains(lines.get(3));
    }

    @Test
    void leavesAPublicKeyAndACertificate() {
        String text = pem("PUBLIC KEY") + "\n" + pem("CERTIFICATE");

        assertThat(redactor.redact(text)).isSameAs(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-",
                "+",
                " ",
                "> ",
                "   12\t",
                "key.pem-12-",
                "2026-01-02 10:11:12 INFO [main] - ",
                "\u001b[31m-"
            })
    void takesOutAKeyBehindAnyPrefix(String prefix) {
        String key = "a\n" + (pem("RSA PRIVATE KEY") + "\nb").replaceAll("(?m)^", Matcher.quoteReplacement(prefix));
        int length = key.length();

        for (String part : List.of(
                key,
                key.substring(0, length / 2),
                key.substring(length / 2),
                key.substring(length / 3, 2 * length / 3))) {
            String redacted = redactor.redact(part);

            assertThat(redacted).contains(MARK);
            assertThat(BODY.lines().filter(line -> line.length() == 64)).noneMatch(redacted::contains);
            assertThat(redactor.redact(redacted)).isSameAs(redacted);
        }
    }

    @Test
    void takesOutTheMiddleOfAKeyAndLeavesThatOfACertificate() {
        String middle = String.join("\n", BODY.lines().toList().subList(5, 15));

        assertThat(redactor.redact("$ sed -n 5,15p key.pem\n" + middle + "\n$"))
                .isEqualTo("$ sed -n 5,15p key.pem\n" + MARK + "\n$");
        String certificate = "-----BEGIN CERTIFICATE-----\n" + middle + "\nMIIB\n-----END CERTIFICATE-----";
        assertThat(redactor.redact(certificate)).isSameAs(certificate);
    }
}
