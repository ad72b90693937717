package io.maestro.llm;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.agent.Limits;
import io.maestro.budget.internal.Account;
import io.maestro.budget.internal.CostControl;
import io.maestro.budget.internal.PaidRequest;
import io.maestro.llm.LlmContent.Text;
import io.maestro.llm.LoopbackApi.Answer;
import io.maestro.record.AuditLog;
import io.maestro.record.CostScope;
import io.maestro.record.internal.Store;
import io.maestro.testing.Full;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the record says of costs, beside a bill that a stub of each vendor keeps by itself. */
@Timeout(300)
class BillTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Dollars for a million of: input, output, read from a cache, written to one, and to one for an hour. */
    private static final String[] CLAUDE = {"3", "15", "0.30", "3.75", "6"};

    private static final String[] GPT = {"1.25", "10", "0.125", "1.5625", "1.5625"};
    private static final int MOST_OUTPUT = 1000;

    @TempDir
    Path directory;

    private Store store;
    private Account account;

    @BeforeEach
    void open() {
        store = Store.sqlite(directory.resolve("record.db"), text -> text);
        PriceTable prices = PriceTable.builder()
                .model("claude-test", Price.of(CLAUDE[0], CLAUDE[1], CLAUDE[2], CLAUDE[3]))
                .model(
                        "gpt-test",
                        new Price(
                                new BigDecimal(GPT[0]),
                                new BigDecimal(GPT[1]),
                                new BigDecimal(GPT[2]),
                                new BigDecimal(GPT[3]),
                                new BigDecimal(GPT[4])))
                .build();
        Limits limits = Limits.builder()
                .costCap(CostScope.STORY, BigDecimal.valueOf(1_000_000))
                .build();
        account = new CostControl(store.spending(), "s1", limits, prices::cost).story("042", null);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aFewRequestsCostWhatTheVendorBills() {
        costWhatTheVendorBills(100);
    }

    @Test
    @Full("2,000 requests over HTTP")
    void manyRequestsCostWhatTheVendorBills() {
        costWhatTheVendorBills(2_000);
    }

    private void costWhatTheVendorBills(int requests) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Answer> answers = new ArrayList<>();
        List<Exchange> exchanges = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            Exchange exchange = random.nextBoolean() ? new Messages(random) : new Responses(random);
            exchanges.add(exchange);
            answers.add(exchange.answer());
        }
        BigDecimal bill = BigDecimal.ZERO;
        try (LoopbackApi api = new LoopbackApi(answers.toArray(Answer[]::new))) {
            for (Exchange exchange : exchanges) {
                BigDecimal before = spent();
                ask(exchange.client(api), exchange.text);
                bill = bill.add(exchange.bill);
                // The record has billionths of a dollar, rounded up.
                assertThat(spent().subtract(before))
                        .as("seed %s: %s", seed, exchange.sent)
                        .isEqualByComparingTo(exchange.bill.setScale(9, RoundingMode.UP));
            }
        }
        assertThat(cents(spent())).as("seed %s", seed).isEqualTo(cents(bill));
        System.out.println("seed " + seed + ": " + requests + " requests, " + cents(bill) + " dollars");
    }

    private static BigDecimal cents(BigDecimal dollars) {
        return dollars.setScale(2, RoundingMode.HALF_UP);
    }

    private BigDecimal spent() {
        return store.spending().spent(CostScope.STORY, "042");
    }

    private LlmResponse ask(LlmClient client, String text) {
        LlmRequest request = Asked.request(LlmMessage.user(text));
        PaidRequest paid = account.reserve(request, 1, client.model());
        LlmResponse response = paid.send(client, request, LlmStreamListener.NONE);
        Usage usage = response.usage();
        paid.record(
                store,
                new AuditLog.Message(
                        "s1",
                        "042",
                        1,
                        "coder-001",
                        "CODING",
                        0,
                        "assistant",
                        "[]",
                        response.model(),
                        null,
                        usage.inputTokens(),
                        usage.outputTokens(),
                        usage.cacheReadTokens(),
                        usage.cacheWriteTokens(),
                        Instant.now()),
                usage);
        assertThat(response.content()).containsExactly(new Text("hello"));
        return response;
    }

    /** One request, and what the vendor takes for it. */
    private abstract static class Exchange {
        final Random random;
        final boolean stream;
        final String text;
        String sent = "";
        BigDecimal bill = BigDecimal.ZERO;

        Exchange(Random random) {
            this.random = random;
            this.stream = random.nextBoolean();
            this.text = "a".repeat(1 + random.nextInt(5_000));
        }

        abstract Answer answer();

        abstract LlmClient client(LoopbackApi api);

        int some(int most) {
            return random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(most);
        }

        void charge(String[] prices, long... tokens) {
            for (int i = 0; i < tokens.length; i++) {
                bill = bill.add(new BigDecimal(prices[i])
                        .multiply(BigDecimal.valueOf(tokens[i]))
                        .divide(BigDecimal.valueOf(1_000_000)));
            }
        }

        /** A token for each two bytes, 40 for the frame of a message, 1,000 for what a service itself says; the dearest way. */
        void chargeTheMost(String[] prices) {
            long input = 1_000 + (40 + text.length()) / 2;
            String dearest = prices[4];
            charge(new String[] {dearest, prices[1]}, input, MOST_OUTPUT);
        }

        /** No count, or none that can be true. */
        void spoil(ObjectNode usage, String name) {
            switch (random.nextInt(7)) {
                case 0 -> usage.put(name, -1 - random.nextInt(1_000_000));
                case 1 -> usage.put(name, "many");
                case 2 -> usage.put(name, 0.5);
                case 3 -> usage.put(name, new BigInteger("1" + "0".repeat(30)));
                case 4 -> usage.put(name, Long.MIN_VALUE);
                case 5 -> usage.putArray(name);
                default -> usage.put(name, true);
            }
        }

        Answer answer(String json, String events) {
            sent = stream ? events : json;
            return stream
                    ? new Answer(
                            200, Map.of("content-type", "text/event-stream"), events.getBytes(StandardCharsets.UTF_8))
                    : Answer.json(200, json);
        }
    }

    /** Of Anthropic's API. */
    private static final class Messages extends Exchange {
        private final boolean hour;

        Messages(Random random) {
            super(random);
            this.hour = random.nextBoolean();
        }

        @Override
        LlmClient client(LoopbackApi api) {
            return Asked.client(api.url(), new FakeClock(0))
                    .connection(c -> c.streaming(stream))
                    .promptCachingForAnHour(hour)
                    .build();
        }

        @Override
        Answer answer() {
            int input = some(100_000);
            int output = some(10_000);
            int read = some(100_000);
            int minutes = some(100_000);
            int anHour = some(100_000);
            ObjectNode usage = JSON.createObjectNode();
            usage.put("input_tokens", input).put("output_tokens", output).put("service_tier", "standard");
            usage.putObject("output_tokens_details").put("thinking_tokens", output / 2);
            usage.putObject("server_tool_use").put("web_search_requests", 0);
            if (read == 0) {
                usage.putNull("cache_read_input_tokens");
            } else {
                usage.put("cache_read_input_tokens", read);
            }
            switch (random.nextInt(4)) {
                case 0 -> { // an old server, which has one sum
                    usage.put("cache_creation_input_tokens", minutes + anHour);
                    anHour = hour ? minutes + anHour : 0;
                    minutes =
                            hour ? 0 : usage.path("cache_creation_input_tokens").asInt();
                }
                case 1 -> times(usage, minutes, anHour);
                default -> {
                    usage.put("cache_creation_input_tokens", minutes + anHour);
                    times(usage, minutes, anHour);
                }
            }
            if (random.nextInt(5) > 0) {
                charge(CLAUDE, input, output, read, minutes, anHour);
            } else {
                chargeTheMost(CLAUDE);
                lose(usage);
            }
            return answer(whole(usage), events(usage));
        }

        private static void times(ObjectNode usage, int minutes, int anHour) {
            usage.putObject("cache_creation")
                    .put("ephemeral_5m_input_tokens", minutes)
                    .put("ephemeral_1h_input_tokens", anHour);
        }

        private void lose(ObjectNode usage) {
            switch (random.nextInt(6)) {
                case 0 -> usage.removeAll();
                case 1 -> usage.remove("input_tokens");
                case 2 -> usage.remove("output_tokens");
                case 3 -> spoil(usage, "cache_read_input_tokens");
                case 4 -> spoil(usage, "cache_creation");
                default -> spoil(usage, random.nextBoolean() ? "input_tokens" : "output_tokens");
            }
        }

        private String whole(ObjectNode usage) {
            ObjectNode message = JSON.createObjectNode().put("type", "message").put("model", "claude-test");
            message.put("stop_reason", "end_turn");
            message.putArray("content").addObject().put("type", "text").put("text", "hello");
            if (!usage.isEmpty()) {
                message.set("usage", usage);
            } else if (random.nextBoolean()) {
                message.putNull("usage");
            }
            return message.toString();
        }

        /** What was read stands at the beginning, and at the end once more or not. */
        private String events(ObjectNode usage) {
            ObjectNode start = JSON.createObjectNode().put("type", "message").put("model", "claude-test");
            start.putArray("content");
            ObjectNode first = usage.deepCopy();
            ObjectNode last = random.nextBoolean() ? usage.deepCopy() : JSON.createObjectNode();
            if (usage.has("output_tokens")) {
                first.put("output_tokens", 1);
                last.set("output_tokens", usage.get("output_tokens"));
            }
            if (!usage.isEmpty()) {
                start.set("usage", first);
            }
            ObjectNode begin = JSON.createObjectNode().put("type", "message_start");
            begin.set("message", start);
            ObjectNode end = JSON.createObjectNode().put("type", "message_delta");
            end.putObject("delta").put("stop_reason", "end_turn");
            if (!last.isEmpty()) {
                end.set("usage", last);
            }
            ObjectNode block =
                    JSON.createObjectNode().put("type", "content_block_start").put("index", 0);
            block.putObject("content_block").put("type", "text").put("text", "hello");
            ObjectNode less = end.deepCopy();
            if (last.path("output_tokens").asInt() > 0) {
                less.withObjectProperty("usage")
                        .put("output_tokens", last.path("output_tokens").asInt() / 2);
            }
            boolean before = random.nextBoolean();
            return Wire.event(begin)
                    + Wire.event(block)
                    + Wire.event(before ? less : end)
                    + Wire.event(before ? end : less)
                    + Wire.event(JSON.createObjectNode().put("type", "message_stop"));
        }
    }

    /** Of OpenAI's. */
    private static final class Responses extends Exchange {
        Responses(Random random) {
            super(random);
        }

        @Override
        LlmClient client(LoopbackApi api) {
            return Asked.openAi(api.url(), new FakeClock(0))
                    .connection(c -> c.streaming(stream))
                    .build();
        }

        @Override
        Answer answer() {
            int plain = some(100_000);
            int output = some(10_000);
            int cached = some(100_000);
            int written = some(100_000);
            ObjectNode usage = JSON.createObjectNode();
            usage.put("input_tokens", plain + cached + written).put("output_tokens", output);
            ObjectNode details = usage.putObject("input_tokens_details").put("cached_tokens", cached);
            if (written > 0) {
                details.put("cache_write_tokens", written);
            }
            boolean contradicts = random.nextInt(4) == 0;
            usage.put("output_tokens", contradicts ? output / 3 : output);
            usage.putObject("output_tokens_details")
                    .put("reasoning_tokens", contradicts && random.nextBoolean() ? output : output / 2);
            usage.put("total_tokens", plain + cached + written + output);
            if (random.nextInt(5) > 0) {
                charge(GPT, plain, output, cached, written);
            } else {
                chargeTheMost(GPT);
                lose(usage, details);
            }
            ObjectNode response =
                    JSON.createObjectNode().put("object", "response").put("model", "gpt-test");
            response.put("status", "completed").put("service_tier", "default");
            ObjectNode item = response.putArray("output").addObject().put("type", "message");
            item.putArray("content").addObject().put("type", "output_text").put("text", "hello");
            if (!usage.isEmpty()) {
                response.set("usage", usage);
            } else if (random.nextBoolean()) {
                response.putNull("usage");
            }
            ObjectNode end = JSON.createObjectNode().put("type", "response.completed");
            end.set("response", response);
            return answer(response.toString(), Wire.event(end));
        }

        private void lose(ObjectNode usage, ObjectNode details) {
            switch (random.nextInt(6)) {
                case 0 -> usage.removeAll();
                case 1 -> usage.remove("input_tokens");
                case 2 -> usage.remove("output_tokens");
                case 3 -> spoil(usage, "input_tokens_details");
                case 4 ->
                    details.put("cached_tokens", usage.path("input_tokens").asInt() + 1);
                default -> spoil(details, "cache_write_tokens");
            }
        }
    }
}
