package io.maestro.team.internal.loop;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.event.MaestroEvent;
import io.maestro.llm.LlmRequest;
import io.maestro.secrets.SecretRedactor;
import io.maestro.testing.Campaign;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WrittenTextTest {
    private static final String PASSPHRASE = "correct horse battery staple";
    private static final String TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA2bC4";
    private static final String KEY = "-----BEGIN PRIVATE KEY-----\n"
            + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDJ0bTxYzq8R4kL\n".repeat(6)
            + "-----END PRIVATE KEY-----\n";

    private final SecretRedactor redactor =
            SecretRedactor.builder().secret(PASSPHRASE).build();
    private final List<MaestroEvent.TextWritten> told = new ArrayList<>();
    private final WrittenText written = new WrittenText(
            new LlmRequest.Origin("coder-001", "042", "CODING"),
            2,
            redactor,
            event -> told.add((MaestroEvent.TextWritten) event));

    /** What somebody has who puts the pieces together. */
    private String shown() {
        StringBuilder shown = new StringBuilder();
        for (MaestroEvent.TextWritten piece : told) {
            if (piece.begins()) {
                shown.setLength(0);
            }
            shown.append(piece.text());
        }
        return shown.toString();
    }

    private String all() {
        StringBuilder all = new StringBuilder();
        told.forEach(piece -> all.append(piece.text()));
        return all.toString();
    }

    @Test
    void wordsAreToldWhenTheyAreWhole() {
        written.onText("I re");
        written.onText("ad the ");
        written.onText("file");
        assertThat(told).extracting(MaestroEvent.TextWritten::text).containsExactly("I ", "read the ");
        written.onEnd();
        written.onText("Next ");
        assertThat(told).extracting(MaestroEvent.TextWritten::text).containsExactly("I ", "read the ", "file", "Next ");
        assertThat(told).extracting(MaestroEvent.TextWritten::begins).containsExactly(true, false, false, true);
        assertThat(told.get(0).storyId()
                        + told.get(0).agentId()
                        + told.get(0).attempt()
                        + told.get(0).state())
                .isEqualTo("042coder-0012CODING");
    }

    @Test
    void whatBreaksOffIsVoid() {
        written.onText("One tw");
        written.onRestart();
        written.onText("Three ");
        written.onEnd();
        assertThat(shown()).isEqualTo("Three ");
        written.onText("x");
        written.onRestart();
        assertThat(told).as("nothing of it was told").hasSize(3);
    }

    @Test
    void noSecretIsToldHoweverItIsCutInPieces() {
        String text =
                "Look: " + PASSPHRASE + ", and\n" + KEY + "then " + TOKEN + "\nthe key\nend. " + "correct horses\n";
        Random random = new Random(Campaign.seed("pieces of a text"));
        for (int round = 0; round < 200; round++) {
            told.clear();
            for (int at = 0; at < text.length(); ) {
                int end = Math.min(text.length(), at + 1 + random.nextInt(12));
                written.onText(text.substring(at, end));
                at = end;
            }
            written.onEnd();
            assertThat(shown()).isEqualTo(redactor.redact(text));
            assertThat(all()).doesNotContain("horse battery", "correct horse b", "MIIE", "ghp_");
        }
    }

    @Test
    void aLongTextIsNotLookedAtAgainAndAgain() {
        StringBuilder text = new StringBuilder();
        long[] looked = {0};
        WrittenText counted = new WrittenText(
                new LlmRequest.Origin("coder-001", "042", "CODING"),
                1,
                some -> {
                    looked[0] += some.length();
                    return redactor.redact(some);
                },
                event -> told.add((MaestroEvent.TextWritten) event));
        for (int i = 0; i < 4_000; i++) {
            String piece = i % 100 == 50 ? KEY : "a line of some words, number " + i + "\n";
            text.append(piece);
            counted.onText(piece);
        }
        counted.onEnd();
        assertThat(shown()).hasSizeGreaterThan(40_000);
        assertThat(redactor.redact(text.toString())).endsWith(shown());
        assertThat(looked[0] / 4_000).as("characters for each piece").isLessThan(40_000);
    }
}
