package io.maestro.exec.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.maestro.exec.ExecOutput;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class BoundedOutputTest {
    @RepeatedTest(200)
    void keepsTheFirstAndTheLastBytesHoweverTheyArrive() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int limit = 1 + random.nextInt(50);
        byte[] all = new byte[random.nextInt(200)];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) ('a' + random.nextInt(26));
        }
        BoundedOutput output = new BoundedOutput(limit);
        for (int from = 0; from < all.length; ) {
            byte[] chunk = Arrays.copyOfRange(all, from, from + 1 + random.nextInt(80));
            int length = Math.min(chunk.length, all.length - from);
            output.write(chunk, length);
            from += length;
        }
        byte[] expected = all;
        if (all.length > limit) {
            String text = new String(all, UTF_8);
            expected = (text.substring(0, limit - limit / 2) + text.substring(all.length - limit / 2)).getBytes(UTF_8);
        }
        ExecOutput snapshot = output.snapshot();
        String description = "seed " + seed + ", limit " + limit + ", bytes " + all.length;
        assertThat(snapshot.bytes()).as(description).isEqualTo(expected);
        assertThat(snapshot.omittedBytes()).as(description).isEqualTo(Math.max(0, all.length - limit));
        assertThat(snapshot.totalBytes()).as(description).isEqualTo(all.length);
    }

    @Test
    void aCharacterThatIsCutIsLeftOutAndCounted() {
        String text = "ä€🎼".repeat(20);
        int total = text.getBytes(UTF_8).length;
        for (int limit = 1; limit < total; limit++) {
            BoundedOutput output = new BoundedOutput(limit);
            output.write(text.getBytes(UTF_8), total);
            ExecOutput snapshot = output.snapshot();
            assertThat(snapshot.text()).as("limit " + limit).doesNotContain("\uFFFD");
            assertThat(snapshot.totalBytes()).isEqualTo(total);
            assertThat(snapshot.bytes().length).isBetween(limit - 6, limit);
        }
    }

    @Test
    void bytesThatAreNoTextAreKept() {
        byte[] bytes = new byte[100];
        Arrays.fill(bytes, (byte) 0x80);
        BoundedOutput output = new BoundedOutput(10);
        output.write(bytes, bytes.length);
        assertThat(output.snapshot().bytes()).hasSize(10);
    }

    @Test
    void aHugeLimitCostsNothingUntilItIsUsed() {
        BoundedOutput output = new BoundedOutput(Integer.MAX_VALUE);
        output.write(new byte[] {1, 2, 3}, 2);
        assertThat(output.snapshot().bytes()).containsExactly(1, 2);
    }
}
