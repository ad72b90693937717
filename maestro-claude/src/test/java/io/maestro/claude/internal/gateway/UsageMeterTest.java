package io.maestro.claude.internal.gateway;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.GatewayClient;
import io.maestro.internal.ApiKey;
import io.maestro.llm.Usage;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsageMeterTest {
    private static final String START =
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m\","
                    + "\"usage\":{\"input_tokens\":1,\"cache_creation_input_tokens\":2,\"cache_read_input_tokens\":3,"
                    + "\"cache_creation\":{\"input_tokens\":77},\"output_tokens\":4,\"service_tier\":\"standard\"}}}\n\n";

    private static final GatewayClient.Request ASKED = new GatewayClient.Request("m", 10, 1000, false);

    private static UsageMeter read(UsageMeter meter, String text, long seed) {
        Random random = new Random(seed);
        byte[] all = text.getBytes(StandardCharsets.UTF_8);
        int position = 0;
        while (position < all.length) {
            int length = Math.min(all.length - position, 1 + random.nextInt(seed % 2 == 0 ? 3 : 60));
            byte[] piece = new byte[length];
            System.arraycopy(all, position, piece, 0, length);
            meter.read(piece, length);
            position += length;
        }
        return meter;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void aStreamInWhateverPieces(long seed) {
        String text = "event: ping\r\ndata: {\"type\":\"message_stop\"}\r\n\r\n: note\n" + START
                + "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"é "
                + "\\\"usage\\\":{\\\"output_tokens\\\":999}\"}}\n\n"
                + "event: message_delta\r\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":5}}\r\n\r\n"
                + "data: {\"type\":\"message_delta\",\"usage\":{\"input_tokens\":8,\"output_tokens\":9,\"x\":null}}\n\n";
        UsageMeter meter = read(new SseMeter(), text, seed);

        assertThat(meter.counted().model()).isEqualTo("m");
        assertThat(meter.counted().usage(ASKED)).isEqualTo(new Usage(8, 9, 3, 2));
        assertThat(meter.counted().isWhole()).isFalse();
        read(meter, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n", seed);
        assertThat(meter.counted().isWhole()).isTrue();
    }

    @Test
    void aLineWithoutEndIsNotKeptAndNonsenseIsPassedOver() {
        SseMeter meter = new SseMeter();
        byte[] endless = "data: {".concat("x".repeat(1024 * 1024)).getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 20; i++) {
            meter.read(endless, endless.length);
        }
        read(meter, "\ndata: {nonsense\n\ndata: []\n\ndata: 5\n\n" + START, 3);
        assertThat(meter.counted().usage(ASKED)).isEqualTo(new Usage(1, 1000, 3, 2));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void anObjectInWhateverPieces(long seed) {
        String text =
                "{\"content\":[{\"model\":\"no\",\"usage\":{\"input_tokens\":7}},[{\"usage\":1}]],\"model\":\"mé\","
                        + "\"usage\":{\"input_tokens\":1,\"inner\":{\"output_tokens\":99},\"cache_creation_input_tokens\":2,"
                        + "\"cache_read_input_tokens\":3,\"output_tokens\":4},\"other\":{\"output_tokens\":99}}";
        UsageMeter meter = read(new JsonMeter(), text, seed);

        assertThat(meter.counted().model()).isEqualTo("mé");
        assertThat(meter.counted().usage(ASKED)).isEqualTo(new Usage(1, 4, 3, 2));
        assertThat(meter.counted().isWhole()).isTrue();
    }

    @Test
    void anAnswerWhoseEndIsNotSeenHasWrittenTheMost() {
        String delta =
                "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"é\"}}\n\n";
        assertThat(output(START)).isEqualTo(1000);
        assertThat(output(START + delta)).isEqualTo(1000);
        String told = "data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":%d}}\n\n";
        assertThat(output(START + delta + told.formatted(55))).isEqualTo(55);
        assertThat(output(START + told.formatted(55) + told.formatted(3))).isEqualTo(55);
    }

    private static long output(String stream) {
        return read(new SseMeter(), stream, 3).counted().usage(ASKED).outputTokens();
    }

    /** An old server, or one of another vendor, has one sum. */
    @Test
    void aSumIsKeptForAsLongAsWasAsked() {
        GatewayClient.Request hour = new GatewayClient.Request("m", 10, 1000, true);
        Counted counted = read(new SseMeter(), START + "data: {\"type\":\"message_stop\"}\n\n", 3)
                .counted();
        assertThat(counted.usage(hour)).isEqualTo(new Usage(1, 1000, 3, 2, 2));
        assertThat(counted.usage(ASKED)).isEqualTo(new Usage(1, 1000, 3, 2, 0));
    }

    @Test
    void tellsACacheOfAnHourFromOneOfFiveMinutes() {
        String usage = "\"usage\":{\"input_tokens\":1,\"cache_creation_input_tokens\":1000,\"cache_creation\":"
                + "{\"ephemeral_5m_input_tokens\":600,\"ephemeral_1h_input_tokens\":400},\"output_tokens\":2}";
        Usage told = new Usage(1, 2, 0, 1000, 400);
        assertThat(read(new JsonMeter(), "{" + usage + "}", 3).counted().usage(ASKED))
                .isEqualTo(told);
        assertThat(stream("{" + usage + "}", "{\"output_tokens\":2}")).isEqualTo(told);
    }

    private static Usage stream(String message, String last) {
        String events = "data: {\"type\":\"message_start\",\"message\":" + message
                + "}\n\ndata: {\"type\":\"message_delta\",\"usage\":" + last
                + "}\n\ndata: {\"type\":\"message_stop\"}\n\n";
        return read(new SseMeter(), events, 3).counted().usage(ASKED);
    }

    /** What is not said, or cannot be true, is not free. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "null",
                "{\"output_tokens\":2}",
                "{\"input_tokens\":null,\"output_tokens\":2}",
                "{\"input_tokens\":-1,\"output_tokens\":2}",
                "{\"input_tokens\":1.5,\"output_tokens\":2}",
                "{\"input_tokens\":\"1\",\"output_tokens\":2}",
                "{\"input_tokens\":1,\"output_tokens\":-2}",
                "{\"input_tokens\":1,\"output_tokens\":1000000000000000000000000000000}",
                "{\"input_tokens\":1,\"output_tokens\":2,\"cache_read_input_tokens\":true}",
                "{\"input_tokens\":1,\"output_tokens\":2,\"cache_creation\":{\"ephemeral_1h_input_tokens\":-9}}",
                "{\"input_tokens\":1,\"output_tokens\":2,\"cache_creation\":\"x\"}",
                "{\"input_tokens\":1,\"output_tokens\":2,\"cache_creation\":[900]}",
                "{\"input_tokens\":1,\"output_tokens\":2,\"cache_creation\":{\"ephemeral_1h_input_tokens\":[9]}}",
                "{\"input_tokens\":1,\"output_tokens\":2,\"cache_read_input_tokens\":{\"x\":900}}",
            })
    void anAnswerWithoutItsUsageCountsWithTheMost(String usage) {
        Usage most = new Usage(0, 1000, 0, 10, 10);
        UsageMeter whole = read(new JsonMeter(), "{\"usage\":" + usage + "}", 3);
        assertThat(whole.counted().isWhole()).isTrue();
        assertThat(whole.counted().usage(ASKED)).isEqualTo(most);
        assertThat(stream("{\"usage\":" + usage + "}", usage)).isEqualTo(most);
    }

    @Test
    void aStreamThatEndsWithoutTheCountOfItsOutputHasWrittenTheMost() {
        assertThat(stream("{\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}", "{}"))
                .isEqualTo(new Usage(5, 1000, 0, 0));
    }

    @Test
    void whatIsNoObjectCountsNothing() {
        for (String text : new String[] {"<html>", "{\"usage\":{\"input_tokens\":x", "[]", "", "{\"usage\":5}"}) {
            assertThat(read(new JsonMeter(), text, 1).counted().any()).as(text).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void aKeyIsMaskedInWhateverPieces(long seed) {
        Random random = new Random(seed);
        KeyMask mask = new KeyMask(new ApiKey("aab"));
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            text.append((char) ('a' + random.nextInt(3)));
        }
        StringBuilder masked = new StringBuilder();
        int position = 0;
        while (position < text.length()) {
            int length = Math.min(text.length() - position, 1 + random.nextInt(4));
            byte[] piece = text.substring(position, position + length).getBytes(StandardCharsets.US_ASCII);
            masked.append(new String(mask.next(piece, length), StandardCharsets.US_ASCII));
            position += length;
        }
        masked.append(new String(mask.rest(), StandardCharsets.US_ASCII));
        assertThat(masked.toString()).isEqualTo(text.toString().replace("aab", "***"));
    }

    @Test
    void whatEndsWithALineIsNotHeldBack() {
        KeyMask mask = new KeyMask(new ApiKey("sk-ant-1"));
        assertThat(mask.next("data: sk-ant\n".getBytes(StandardCharsets.US_ASCII), 13))
                .hasSize(13);
        assertThat(mask.next("data: sk-ant".getBytes(StandardCharsets.US_ASCII), 12))
                .hasSize(6);
        assertThat(mask.rest()).hasSize(6);
    }
}
