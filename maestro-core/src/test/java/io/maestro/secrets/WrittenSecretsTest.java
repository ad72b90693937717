package io.maestro.secrets;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.event.MaestroEvent;
import io.maestro.llm.LlmRequest;
import io.maestro.secrets.SecretSamples.Sample;
import io.maestro.team.internal.loop.WrittenText;
import io.maestro.testing.Campaign;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is told of a text while it is written has no secret that is taken out of the whole, in none of its parts. */
class WrittenSecretsTest {
    /** So much of a secret tells nothing. */
    private static final int HARMLESS = 8;

    private final SecretRedactor redactor = SecretRedactor.withDefaults();

    private String told(String text, Random random) {
        StringBuilder told = new StringBuilder();
        WrittenText written =
                new WrittenText(new LlmRequest.Origin("coder-001", "042", "CODING"), 1, redactor, event -> {
                    MaestroEvent.TextWritten piece = (MaestroEvent.TextWritten) event;
                    // Also what is void later was told.
                    told.append(piece.begins() ? "\u0000" : "").append(piece.text());
                });
        for (int at = 0; at < text.length(); ) {
            int end = Math.min(text.length(), at + 1 + random.nextInt(20));
            written.onText(text.substring(at, end));
            at = end;
        }
        written.onEnd();
        return told.toString();
    }

    private static boolean shows(String text, String secret) {
        for (int from = 0; from + HARMLESS < secret.length(); from++) {
            if (text.contains(secret.substring(from, from + HARMLESS + 1))) {
                return true;
            }
        }
        return false;
    }

    @Test
    void noSampleIsTold() {
        Random random = new Random(Campaign.seed("secrets that are written"));
        List<Sample> samples = new ArrayList<>(SecretSamples.all(random));
        Collections.shuffle(samples, random);
        int looked = 0;
        for (Sample sample : samples.subList(0, Campaign.number(1_500))) {
            // As somebody says it, who goes on after it.
            String text = "I found this:\n" + sample.text() + "\nso I stop here. And more words\n";
            if (shows(redactor.redact(text), sample.secret())) {
                continue;
            }
            looked++;
            assertThat(shows(told(text, random), sample.secret()))
                    .as("%s in %s: %s", sample.kind(), sample.context(), text)
                    .isFalse();
        }
        assertThat(looked).isGreaterThan(1_400);
    }

    @Test
    void whatShowsByWhatComesAfterIsNotToldBefore() {
        Random random = new Random(Campaign.seed("forms that end later"));
        String key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDJ0bTxYzq8R4kL\n";
        for (String[] text : new String[][] {
            {"<password>\n  hunter2XYZ99\n</password>\n", "hunter2XYZ99"},
            {"echo root:Hunter22x9 | chpasswd\n", "Hunter22x9"},
            {"echo \"root:Hunter22x9\" | chpasswd\n", "Hunter22x9"},
            {"the end of a file:\n" + key.repeat(4) + "-----END PRIVATE KEY-----\n", "NBgkqhkiG9w0B"},
            {"password = 'correct h0rse b4ttery'\n", "correct h0rse"},
        }) {
            assertThat(redactor.redact(text[0])).doesNotContain(text[1]);
            for (int i = 0; i < 20; i++) {
                assertThat(told("Look, it's here. " + text[0] + "and on\n", random))
                        .doesNotContain(text[1]);
            }
        }
    }
}
