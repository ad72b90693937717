package io.maestro.docker.internal.sandbox;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.secrets.SecretRedactor;
import io.maestro.secrets.internal.ShownText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class JobAnswerTest {
    private static final String ID = "0123456789ab";
    private static final String SECRET = "known-0123456789abcdefghijklmnop-value";
    private static final byte[] OUTPUT = ("bäfore\n" + SECRET + " and ä\nlast line\n").getBytes(StandardCharsets.UTF_8);

    /** As the script answers that is asked for all. */
    private static JobAnswer answer() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(("status ended 0 " + OUTPUT.length + " no\n").getBytes(StandardCharsets.UTF_8));
        bytes.writeBytes(OUTPUT);
        return JobAnswer.of(bytes.toByteArray());
    }

    @Test
    void noPartOfASecretIsShownWhereverAPageBeginsAndEnds() {
        SecretRedactor redactor = SecretRedactor.builder().secret(SECRET).build();
        for (int offset = 0; offset < OUTPUT.length + 9; offset++) {
            for (int most = 4; most < OUTPUT.length; most++) {
                Jobs.Page page = answer().page(ID, offset, offset, most);
                String shown = ShownText.part(page.before(), page.status().output(), page.after(), redactor);

                assertThat(shown)
                        .as("from %d, %d bytes", offset, most)
                        .doesNotContainPattern("known-[^s]|0123|4567|89ab|cdef|ghij|klmn|value|\ufffd");
                assertThat(page.before() + page.status().output() + page.after())
                        .isEqualTo(new String(OUTPUT, StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void pagesMakeTheWhole() {
        StringBuilder all = new StringBuilder();
        long next = 0;
        while (next < OUTPUT.length) {
            Jobs.Page page = answer().page(ID, next, (int) next, 5);
            all.append(page.status().output());
            assertThat(page.status().nextOffset()).isGreaterThan(next);
            next = page.status().nextOffset();
        }
        assertThat(all.toString()).isEqualTo(new String(OUTPUT, StandardCharsets.UTF_8));
    }
}
