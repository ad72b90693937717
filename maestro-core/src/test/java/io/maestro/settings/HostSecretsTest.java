package io.maestro.settings;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.maestro.git.GitOptions;
import io.maestro.secrets.SecretRedactor;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostSecretsTest {
    private static String redacted(String text, String url, Map<String, String> environment) {
        return HostSecrets.tell(SecretRedactor.withDefaults(), List.of(), url, environment)
                .redact(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ANTHROPIC_API_KEY",
                "GITHUB_TOKEN",
                "npm_token",
                "CLIENT_SECRET",
                "DB_PASSWORD",
                "PGPASSWD",
                "AWS_CREDENTIALS",
                "X_CREDENTIAL",
                "KEY",
                "DB_PASS",
                "DBPASS",
                "MYSQL_PWD",
                "GH_PAT",
                "NPM_AUTH",
                "PASSPHRASE",
                "SECRET_KEY_BASE",
                "API_KEYS",
                "TOKEN_CI",
                "API_KEY_PROD",
                "GIT_TOKEN",
                "CONFIG_SECRET",
                "SESSION_COOKIE",
                "REDIS_CREDS",
                "clientSecret"
            })
    void variablesWhoseNamesSaySo(String name) {
        assertThat(redacted("it is zq81-plain-zq81!", "", Map.of(name, "zq81-plain-zq81")))
                .doesNotContain("plain")
                .startsWith("it is ")
                .endsWith("!");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "KEYBOARD",
                "TOKENIZER_PATH",
                "HOME",
                "TOKENIZERS_PARALLELISM",
                "PASSTHROUGH",
                "MONKEY",
                "AUTHOR",
                "GIT_AUTHOR_NAME",
                "COMPASS",
                "PWD",
                "OLDPWD",
                "SSH_AUTH_SOCK",
                "XDG_SESSION_ID",
                "DESKTOP_SESSION",
                "DB_PASSWORD_FILE",
                "SECRETARY"
            })
    void othersAreNone(String name) {
        assertThat(redacted("zq81-plain-zq81", "", Map.of(name, "zq81-plain-zq81")))
                .isEqualTo("zq81-plain-zq81");
    }

    @Test
    void whatIsTooShortIsLeftAlone() {
        Map<String, String> environment =
                Map.of("USE_TOKEN", "true", "A_KEY", "", "B_KEY", "        ", "C_KEY", "   abc   ", "D_KEY", "1234567");
        assertThat(redacted("true abc 1234567", "", environment)).isEqualTo("true abc 1234567");
    }

    @Test
    void theRealEnvironmentIsLookedAt() {
        String name = "MAESTRO_TEST_API_KEY";
        assertThat(System.getenv(name)).as("set by the build").isNotNull();
        assertThat(HostSecrets.tell(SecretRedactor.withDefaults(), List.of(), "", System.getenv())
                        .redact("x " + System.getenv(name)))
                .doesNotContain(System.getenv(name));
    }

    @ParameterizedTest
    @CsvSource({
        "https://me:s3cr3t-x@example.org/app.git, s3cr3t-x",
        "https://me:sixsix@example.org, sixsix",
        "https://:s3cr3t-x@example.org/a@b/app.git, s3cr3t-x",
        "HTTP://me:p%40ss%2Bword@example.org/app.git, p%40ss%2Bword",
        "HTTP://me:p%40ss%2Bword@example.org/app.git, p@ss+word",
        "https://me:pa+ss+word@example.org/app.git, pa+ss+word",
        "https://me:pa@ss:word@example.org/app.git, pa@ss:word",
        "https://me:100%zz-odd@example.org/app.git, 100%zz-odd",
        "https://zq81-zq81-zq81-zq81-zq@example.org/app.git, zq81-zq81-zq81-zq81-zq",
        "https://zq81-zq81-zq81-zq81-zq:x-oauth-basic@example.org/app.git, zq81-zq81-zq81-zq81-zq",
        "ssh://git:s3cr3t-x@example.org/app.git, s3cr3t-x"
    })
    void credentialsInTheUrl(String url, String secret) {
        assertThat(redacted("git said '" + secret + "'.", url, Map.of())).doesNotContain(secret);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://example.org/team:another@path/app.git",
                "https://example.org:8443/app.git",
                "git@example.org:team/app.git",
                "ssh://git@example.org/app.git",
                "/srv/git/app.git",
                "https://me:short@example.org/app.git",
                "",
                "://",
                "x://@"
            })
    void noCredentialsInTheUrl(String url) {
        String text = "team another path git example.org 8443 short app.git";
        assertThat(redacted(text, url, Map.of())).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"customer_id", "/etc/keys/signing.asc", "~/.ssh/id_rsa", "./key.pem", "ORDER_NUMBER"})
    void whatIsNoKeyAlthoughItsNameEndsSo(String value) {
        assertThat(redacted("is " + value, "", Map.of("PRIMARY_KEY", value, "NPM_AUTH", value)))
                .isEqualTo("is " + value);
        assertThat(redacted("is " + value, "", Map.of("MY_PASSWORD", value))).doesNotContain(value);
    }

    @ParameterizedTest
    @CsvSource({
        "GOOGLE_APPLICATION_CREDENTIALS, /home/me/keys/account.json, true",
        "GITHUB_TOKEN, /run/secrets/token-of-me, true",
        "AWS_SECRET, /Zq8+81/aXq0Lr3/Pw7Yv2Kd9Ns5Tb1Hc6, false",
        "WEBHOOK_SECRET, https://hooks.example.org/a/zq81zq81, false",
        "DB_PASSWORD, /dev/null/and/more, false"
    })
    void aPathIsNoSecretUnlessItIsAPassword(String name, String value, boolean path) {
        assertThat(redacted("is " + value, "", Map.of(name, value)).contains(value))
                .isEqualTo(path);
    }

    @Test
    void namedSecretsAndTheRulesWorkToo() {
        String key = "ghp_" + "a1B2".repeat(9);
        assertThat(HostSecrets.tell(SecretRedactor.withDefaults(), List.of("zq81-plain"), "", Map.of())
                        .redact("zq81-plain " + key))
                .doesNotContain("plain", key);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HostSecrets.tell(SecretRedactor.withDefaults(), List.of("short"), "", Map.of()))
                .withMessageNotContaining("short ");
    }

    /** The file's patterns stand beside what the host names. */
    @Test
    void aNamedSecretIsNotShownInPartsWhereTheFileHasPatterns() {
        Settings settings = Settings.builder()
                .secret("correct horse battery staple")
                .config("{\"redaction\": {\"patterns\": [{\"name\": \"badge\", \"keywords\": [\"BDG-\"],"
                        + " \"pattern\": \"BDG-[0-9]{6}\"}]}}")
                .change(GitOptions.class, git -> git.repository("file:///nowhere"))
                .change(
                        AgentOptions.class,
                        agents ->
                                agents.coderModel(ScriptedLlm.builder("silent").build()))
                .build(Path.of(""), Map.of());
        assertThat(settings.redactor().settled("say correct horse ")).isEqualTo("say ".length());
    }
}
