package io.maestro.secrets;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.secrets.SecretSamples.Sample;
import io.maestro.testing.Campaign;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** How many made-up secrets are found, by kind and by context; the table is printed. */
class SecretRecallTest {
    /** So much of a secret tells nothing. */
    private static final int HARMLESS = 8;

    private final SecretRedactor redactor = SecretRedactor.withDefaults();

    private record Count(int found, int all) {
        Count plus(Count other) {
            return new Count(found + other.found, all + other.all);
        }

        double recall() {
            return 100.0 * found / all;
        }
    }

    @Test
    void findsSecretsOfEveryKindInEveryContext() {
        List<Sample> samples = SecretSamples.all(new Random(Campaign.seed("samples of secrets")));
        Map<String, Count> kinds = new TreeMap<>();
        Map<String, Count> contexts = new TreeMap<>();
        Count all = new Count(0, 0);
        for (Sample sample : samples) {
            Count one = new Count(isFound(sample) ? 1 : 0, 1);
            kinds.merge(sample.kind(), one, Count::plus);
            contexts.merge(sample.context(), one, Count::plus);
            all = all.plus(one);
        }
        print("kind", kinds);
        print("context", contexts);
        System.out.printf(
                Locale.ROOT,
                "%d kinds, %d contexts, %d of %d: %.2f %%%n",
                kinds.size(),
                contexts.size(),
                all.found,
                all.all,
                all.recall());

        assertThat(SecretSamples.FORMS).hasSizeGreaterThan(90);
        assertThat(all.recall()).isGreaterThanOrEqualTo(99);
        assertThat(worst(kinds)).as("the worst kind").isGreaterThanOrEqualTo(90);
        assertThat(worst(contexts)).as("the worst context").isGreaterThanOrEqualTo(95);
    }

    private static double worst(Map<String, Count> counts) {
        return counts.values().stream().mapToDouble(Count::recall).min().orElseThrow();
    }

    private static void print(String what, Map<String, Count> counts) {
        counts.forEach((name, count) -> {
            if (count.found < count.all) {
                System.out.printf(Locale.ROOT, "%s %-40s %4d of %4d%n", what, name, count.found, count.all);
            }
        });
    }

    private boolean isFound(Sample sample) {
        String redacted = redactor.redact(sample.text());
        String secret = sample.secret();
        int step = Math.max(1, secret.length() - HARMLESS);
        for (int from = 0; from + HARMLESS < secret.length(); from += Math.min(step, HARMLESS / 2)) {
            if (redacted.contains(secret.substring(from, from + HARMLESS + 1))) {
                return false;
            }
        }
        return true;
    }
}
