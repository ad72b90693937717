package io.maestro.builtin.internal.jobs;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.testing.Campaign;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecentBytesTest {
    @Test
    void theLastBytesAreKept() {
        long seed = Campaign.seed("recent bytes");
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            int limit = 1 + random.nextInt(50);
            RecentBytes recent = new RecentBytes(limit);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int i = 0; i < 20; i++) {
                byte[] bytes = new byte[random.nextInt(70)];
                random.nextBytes(bytes);
                int length = random.nextInt(bytes.length + 1);
                recent.write(bytes, length);
                all.write(bytes, 0, length);
                int first = Math.max(0, all.size() - limit);
                assertThat(recent.total()).isEqualTo(all.size());
                assertThat(recent.first()).isEqualTo(first);
                int from = first + random.nextInt(all.size() - first + 1);
                int most = random.nextInt(60);
                assertThat(recent.read(from, most))
                        .isEqualTo(Arrays.copyOfRange(all.toByteArray(), from, Math.min(all.size(), from + most)));
            }
        }
    }
}
