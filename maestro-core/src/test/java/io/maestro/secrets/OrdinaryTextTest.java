package io.maestro.secrets;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.testing.Campaign;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is no secret stays: this repository's own sources, lock files and logs that are made here, and lines that were once mangled. */
class OrdinaryTextTest {
    /** At most one changed line in so many. */
    private static final int LINES = 10_000;

    private final SecretRedactor redactor = SecretRedactor.withDefaults();

    @Test
    void leavesTheSourcesOfThisModule() throws IOException {
        Path sources = Path.of("src/main/java");
        List<String> changed = new ArrayList<>();
        long lines = 0;
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String text = Files.readString(file);
                lines += text.lines().count();
                changed(text).forEach(line -> changed.add(file + ": " + line));
            }
        }

        assertThat(lines).isGreaterThan(20_000);
        assertThat(changed).hasSizeLessThanOrEqualTo((int) (lines / LINES));
    }

    @Test
    void leavesLockFilesAndLogs() {
        Random random = new Random(Campaign.seed("lock files and logs"));
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 1_000; i++) {
            String name = Planted.fill("{a7}-{a5}", random);
            text.append("    \"node_modules/" + name + "\": {\n      \"version\": \"1.2." + i + "\",\n")
                    .append("      \"integrity\": \"sha512-" + Planted.fill("{b86}", random) + "==\",\n")
                    .append(name + "@^1.0.0:\n  resolved \"https://example.org/" + name + ".tgz#"
                            + Planted.fill("{h40}", random) + "\"\n")
                    .append("checksum = \"" + Planted.fill("{h64}", random) + "\"\n")
                    .append("github.com/" + name + " v1.2.3 h1:" + Planted.fill("{b43}", random) + "=\n")
                    .append("    --hash=sha256:" + Planted.fill("{h64}", random) + " \\\n")
                    .append("commit " + Planted.fill("{h40}", random) + "\nindex " + Planted.fill("{h7}..{h7}", random)
                            + " 100644\n")
                    .append("2026-01-02T10:11:12.345Z INFO [http-" + i + "] c.e.App - request "
                            + new UUID(random.nextLong(), random.nextLong()) + " GET /api/v1/items/"
                            + random.nextInt(100_000) + "?page=2&size=50 200 12ms\n")
                    .append("  <artifactId>" + name + "</artifactId><version>1.0." + i + "</version>\n")
                    .append("io.jsonwebtoken:jjwt-api:0.12." + i + "\nsession opened for user " + name
                            + " by (uid=0)\n")
                    .append("digest: sha256:" + Planted.fill("{h64}", random) + " size: 1234\n");
        }
        for (String line : text.toString().split("\n")) {
            assertThat(redactor.redact(line)).isSameAs(line);
        }
        assertThat(changed(text.toString())).isEmpty();
    }

    static Stream<Arguments> kinds() {
        return OrdinaryTexts.kinds().stream()
                .flatMap(kind -> Campaign.seeds("ordinary " + kind, Campaign.number(1))
                        .mapToObj(seed -> Arguments.of(kind, seed)));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void leavesWhatAgentsSee(String kind, long seed) {
        String text = OrdinaryTexts.of(kind, 20_000, new Random(seed));

        assertThat(changed(text)).isEmpty();
    }

    @Test
    void leavesWhatIsSignedInXml() {
        String base64 = Planted.fill("{b64}\n{b64}\n{b64}\n{b30}", new Random(Campaign.seed("signed XML")));
        String text = "<X509Certificate>" + base64 + "</X509Certificate>\n<SignatureValue>\n" + base64
                + "\n</SignatureValue>";

        assertThat(redactor.redact(text)).isSameAs(text);
        assertThat(redactor.redact("<Other>" + base64 + "</Other>")).contains("[REDACTED:private-key]");
    }

    @Test
    void leavesTheLinesBeforeAKeyThatIsNone() {
        String text =
                "\"Path\": \"/company/certificates/\",\n\"k\": \"-----BEGIN DSA PRIVATE KEY-----<a key>-----END DSA PRIVATE KEY-----\"";

        assertThat(redactor.redact(text)).isSameAs(text);
    }

    private List<String> changed(String text) {
        String redacted = redactor.redact(text);
        return redacted.equals(text)
                ? List.of()
                : redacted.lines()
                        .filter(line -> line.contains("[REDACTED:") && !text.contains(line))
                        .toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "basic_auth = HTTPBasicAuth(user, password)",
                "const key = Buffer.from(token, 'base64');",
                "jwt.sign(payload, secret, 'base64url')",
                "decode(password, \"base64\")",
                "config.set('password', 'latin1')",
                "Buffer.from(password, 'utf16le')",
                "createHmac(secret, \"sha512\")",
                "crypto.createCipheriv('secret', 'aes-256-gcm')",
                "password(\"PBKDF2WithHmacSHA256\")",
                "password.encode(\"latin1\")",
                "token.encode('iso-8859-1')",
                "password('argon2id')",
                "<assemblyIdentity name=\"System.Web\" publicKeyToken=\"31bf3856ad364e35\" culture=\"neutral\"/>",
                "System.Xml, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
                "<TextField label=\"New password\" autoComplete=\"new-password\" />",
                "<input placeholder='Password' id='field-2024x' type='text'>",
                "<Field title=\"API key\" id=\"field-9aQ2xV7bL0\" />",
                "request_auth = build_auth_from_session2(session)",
                "String command = \"PGPASSWORD=\" + password + \" psql\";",
                "implementation 'io.jsonwebtoken:jjwt-api:0.12.3'",
                "password: \"is too short\"",
                "password: \"is too short (minimum is 8 characters)\"",
                "  password: 'Mot de passe'",
                "\"password\": \"Passwort\"",
                "The token is 12 characters long, and the password of at least 8.",
                "{\"nextPageToken\": \"CAUQAA1b2c3d4e5f6g7h8\"}",
                "{\"idempotencyKey\": \"550e8400-e29b-41d4-a716-446655440000\"}",
                "token: 0x6B175474E89094C44Da98b954EedeAC495271d0F",
                "\"auth\":\"workload-identity\"",
                "|1|eHg8wDuX+K+nsptsGN4+DELpwd4=|q3PbXn0aW7mJY5lTzVkR2uHs9fE= ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB",
                "|1|62PICv70+91Ii56AiOBt7rLXzBf=|w8hLa6WEzVCnqQ39nQkwsIL8pwd= ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTI=",
                "AQEyq3PbXn0aW7mJY5lTzVkR2uHs9fEeHg8wDuXK+nsptsGN4DELw8hLa6WEzVCnqQ39nQkwsIL8",
                "authorization: AuthorizationService1",
                "private authorization: AuthorizationService1;",
                "<div class=\"sk-spinner-wandering-cubes-2 sk-cube-grid-item-9\">",
                "cache-key-d41d8cd98f00b204e9800998ecf8427e",
                "secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:app/db-AbC123",
                "password: op://vault/item/password",
                "PASSWORD=$$DB_PASSWORD1",
                "$password = $env:DB_PASSWORD1",
                "password = \"${DB_PASSWORD1}\"",
                "password = \"{{ vault_password1 }}\"",
                "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
                "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                "token = tokens.get(index1).next2();",
                "if (token == TokenType.IDENTIFIER2) {",
                "String key = keyOf(entry1) + \":\" + i;",
                "docker://registry/app:1.2@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  app.jar",
                "compass = \"north12345\"",
                "monkey = 'abcdef0123456789abcdef0123456789'",
                "    \"oauth-secret\": \"^12.1041.3\",",
                "tool-pass==4709.1.2 \\",
                "pass = \"~> 3.5.12-beta.2\"",
                "  image: registry.example.org/form/token:1.2.3@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                "    checksum/secret: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                "\"AWS::ApiGateway::UsagePlanKey\": \"309b26469128fd0a\",",
                "\"AWS::Config::AggregationAuthorization\": \"af318b77aaceeeaa\"",
                "level=info msg=\"port token refreshed\" key=token-4 trace_id=0123456789abcdef0123456789abcdef",
                "<commons.releaseManagerKey>B6E73D84EA4FCC47166087253FAAD2CD5ECBB314</commons.releaseManagerKey>",
                "#define sk_X509V3_EXT_METHOD_set_cmp_func(cmp, n) ((STACK_OF(X509V3_EXT_METHOD *) *)n)",
                "d=\"AA8AAK7/EAACXxAAAuMQAAMTEAADIxAAA0MQAANTEAADcxAAAg9YAAIfWAACX1gAAm9YAAOfXAQDx6gAA\"",
                "{\"clientRequestToken\": \"1d2129a1-3d38-460a-9756-e5b91fddb951\"}",
                "value: \"pass:form:v3104\"",
                "value: \"secret:form:v3104\"",
                "secret.key=format.key",
                "    The form has a label, and one more field for the older password:\nqwerty12345",
                "Set-Cookie: theme=dark; Max-Age=31536000",
                "Set-Cookie: CUSTOMER=WILE_E_COYOTE; path=/; expires=Wednesday, 09-Nov-99 23:12:40 GMT",
                "git fetch http://user:pass@host.example.org/repo",
            })
    void leavesALine(String line) {
        assertThat(redactor.redact(line)).isSameAs(line);
    }
}
