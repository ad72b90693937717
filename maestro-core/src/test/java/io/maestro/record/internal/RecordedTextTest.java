package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.secrets.SecretRedactor;
import org.junit.jupiter.api.Test;

class RecordedTextTest {
    private static final String TEXT = "Log in with hunter2-hunter2 and password=changeit42.";

    private static SecretRedactor knows(String... secrets) {
        SecretRedactor redactor = SecretRedactor.withDefaults();
        for (String secret : secrets) {
            redactor.addSecret(secret);
        }
        return redactor;
    }

    @Test
    void isTheSameWhenMoreSecretsAreKnownThanThen() {
        String recorded = knows().redact(TEXT);
        assertThat(recorded).contains("hunter2-hunter2").doesNotContain("changeit42");

        assertThat(RecordedText.isSame(recorded, TEXT, knows("hunter2-hunter2", "changeit42")))
                .isTrue();
        assertThat(RecordedText.isSame(recorded, "Never: " + TEXT, knows("hunter2-hunter2")))
                .isFalse();
    }

    @Test
    void isTheSameWhenASecretIsKnownByAnotherNameThanThen() {
        String recorded = knows("hunter2-hunter2").redact(TEXT);
        SecretRedactor now = SecretRedactor.builder()
                .rule("login", "hunter2", "hunter2-hunter2")
                .build();
        assertThat(now.redact(TEXT)).contains("[REDACTED:login]").isNotEqualTo(recorded);

        assertThat(RecordedText.isSame(recorded, TEXT, now)).isTrue();
    }

    @Test
    void isTheSameWithWhatNoDatabaseCanHold() {
        String text = "a \uD800 b \0 c";

        assertThat(RecordedText.isSame(StorableText.of(text), text, knows())).isTrue();
        assertThat(RecordedText.isSame(StorableText.of(text), "a b c", knows())).isFalse();
    }
}
