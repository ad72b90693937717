package io.maestro.secrets;

import static io.maestro.testing.AssertThat.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CleanTextTest {
    private static final String SECRET = "correct-horse-battery";

    private final SecretRedactor redactor = SecretRedactor.withDefaults();

    @Test
    void whatIsCleanIsTakenAsItIs() {
        CleanText clean = CleanText.of(redactor, "ghp_abcdefghijABCDEFGHIJ0123456789abcdef");
        assertThat(clean.toString()).isEqualTo("[REDACTED:github-token]");
        assertThat(CleanText.of(redactor, clean.toString(), List.of(clean))).isSameAs(clean);
    }

    @Test
    void afterTheRedactorHasLearntASecretNothingIsClean() {
        CleanText clean = CleanText.of(redactor, "the word is " + SECRET);
        redactor.addSecret(SECRET);
        assertThat(clean.isCurrent(redactor)).isFalse();
        assertThat(CleanText.of(redactor, clean.toString(), List.of(clean)).toString())
                .isEqualTo("the word is [REDACTED:known-secret]");
    }

    @Test
    void aSecretThatIsLearntDuringTheScanCounts() {
        Redactor learning = new Redactor() {
            @Override
            public String redact(String text) {
                String clean = redactor.redact(text);
                redactor.addSecret(SECRET);
                return clean;
            }

            @Override
            public Object version() {
                return redactor.version();
            }
        };
        assertThat(CleanText.of(learning, SECRET).isCurrent(learning)).isFalse();
    }

    @Test
    void onlyTheSameTextOfTheSameRedactorIsClean() {
        CleanText half = CleanText.of(redactor, "ghp_abcdefghijABCDEFGHIJ");
        CleanText rest = CleanText.of(redactor, "0123456789abcdef");
        String joined = half + rest.toString();
        assertThat(CleanText.of(redactor, joined, List.of(half, rest)).toString())
                .isEqualTo("[REDACTED:github-token]");
        assertThat(half.isCurrent(SecretRedactor.withDefaults())).isFalse();
    }

    /** A host's redactor may learn without saying so. */
    @Test
    void aRedactorWithoutVersionsScansEachTime() {
        Redactor unknown = text -> text;
        assertThat(CleanText.of(unknown, "any").isCurrent(unknown)).isFalse();
    }

    @Test
    @SuppressWarnings("DataFlowIssue") // null is the fault that is tried
    void whatCannotBeScannedDoesNotPass() {
        Redactor broken = text -> null;
        CleanText withheld = CleanText.of(broken, SECRET);
        assertThat(withheld.isScanned()).isFalse();
        assertThat(withheld.toString()).doesNotContain(SECRET);
        assertThat(withheld.isCurrent(broken)).isFalse();
    }

    @Test
    void aRedactorThatHasNoVersionLetsNothingPass() {
        Redactor broken = new Redactor() {
            @Override
            public String redact(String text) {
                return text;
            }

            @Override
            public Object version() {
                throw new IllegalStateException("no version");
            }
        };
        assertThat(CleanText.of(broken, SECRET).toString()).doesNotContain(SECRET);
    }
}
