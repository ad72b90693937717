package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.ClaudeEvent.Other;
import io.maestro.claude.ClaudeEvent.Result;
import io.maestro.claude.ClaudeEvent.Said;
import io.maestro.claude.ClaudeEvent.ToolResult;
import io.maestro.claude.ClaudeEvent.ToolUse;
import io.maestro.claude.testing.Transcripts;
import io.maestro.claude.testing.TreeEvents;
import io.maestro.llm.Usage;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClaudeStreamParserTest {
    static Stream<String> transcripts() {
        return Transcripts.NAMES.stream();
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void aTranscriptGivesWhatTreesGive(String name) {
        List<ClaudeEvent> expected = Transcripts.lines(name).stream()
                .flatMap(line -> TreeEvents.of(line).stream())
                .map(TreeEvents::normal)
                .toList();

        assertThat(normal(ClaudeStreamParser.parse(Transcripts.output(name)))).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void aTranscriptMayComeInAnyPieces(String name) {
        byte[] output = Transcripts.output(name);
        List<ClaudeEvent> whole = ClaudeStreamParser.parse(output);
        long seed = System.nanoTime();
        System.out.println(name + ": seed " + seed);
        Random random = new Random(seed);

        for (int most : new int[] {1, 2, 7, 300, 20_000}) {
            assertThat(inPieces(output, random, most))
                    .as("pieces of at most %d bytes", most)
                    .isEqualTo(whole);
        }
    }

    @Test
    void charactersMayBeCutAnywhere() {
        byte[] output =
                ("{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"model\":\"x\",\"content\":[{\"type\":\"text\","
                                + "\"text\":\"ä € 😀 \\ud83d\\ude00\"}]},\"parent_tool_use_id\":null}\n")
                        .getBytes(StandardCharsets.UTF_8);
        for (int cut = 0; cut <= output.length; cut++) {
            List<ClaudeEvent> events = new ArrayList<>();
            ClaudeStreamParser parser = new ClaudeStreamParser(events::add);
            parser.feed(output, 0, cut);
            parser.feed(output, cut, output.length - cut);
            parser.end();

            assertThat(events)
                    .as("cut at %d", cut)
                    .containsExactly(new Said(
                            "m", "x", "{\"type\":\"text\",\"text\":\"ä € 😀 \\ud83d\\ude00\"}", Optional.empty()));
        }
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void aCutEndLosesAtMostTheLastLine(String name) {
        byte[] output = Transcripts.output(name);
        List<ClaudeEvent> whole = ClaudeStreamParser.parse(output);
        long seed = System.nanoTime();
        System.out.println(name + ": seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 50 && output.length > 0; i++) {
            int cut = random.nextInt(output.length);
            List<ClaudeEvent> events = ClaudeStreamParser.parse(Arrays.copyOf(output, cut));
            if (!events.isEmpty() && events.get(events.size() - 1).equals(new Other("unreadable line"))) {
                events = events.subList(0, events.size() - 1);
            }

            int atLeast = ClaudeStreamParser.parse(Arrays.copyOf(output, lastEnd(output, cut)))
                    .size();
            assertThat(events)
                    .as("cut at %d", cut)
                    .hasSizeGreaterThanOrEqualTo(atLeast)
                    .isEqualTo(whole.subList(0, events.size()));
        }
    }

    @Test
    void aLastLineWithoutItsEndIsReadWhenItIsWhole() {
        assertThat(ClaudeStreamParser.parse(bytes("{\"type\":\"new_thing\"}"))).containsExactly(new Other("new_thing"));
        assertThat(ClaudeStreamParser.parse(bytes("{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":fal")))
                .containsExactly(new Other("unreadable line"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage",
                "}",
                "{}}",
                "[1,2]}",
                "{\"type\":\"assistant\"} x}",
                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\"]}}",
                "{\"type\":\"assistant\",\"message\":{\"content\":[1}}",
                "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":[}}]}}",
                "{\"type\":\"result\",\"usage\":}",
                "{\"type\":\"system\",\"subtype\":\"init\",}",
                "{\"type\":\"control_request\",\"request\":{}",
                "{\u0000}",
                "\u0000{}",
                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"text\":\"raw \u0001 control\"}]}}"
            })
    void garbageIsSkipped(String garbage) {
        assertThat(ClaudeStreamParser.parse(bytes(garbage + "\n{\"type\":\"stream_event\"}\n")))
                .last()
                .isEqualTo(new Other("stream_event"));
        assertThat(ClaudeStreamParser.parse(bytes(garbage + "\n"))).allMatch(Other.class::isInstance);
    }

    @Test
    void randomBytesDoNoHarm() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        byte[] good = Transcripts.output("31_subagent");
        for (int i = 0; i < 300; i++) {
            byte[] output = good.clone();
            for (int j = random.nextInt(40); j >= 0; j--) {
                output[random.nextInt(output.length)] = (byte) random.nextInt(256);
            }
            List<ClaudeEvent> events = new ArrayList<>(ClaudeStreamParser.parse(output));

            assertThat(events).isNotEmpty();
        }
    }

    @Test
    void deepNestingDoesNoHarm() {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);
        for (String line : List.of(
                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"input\":{\"a\":" + deep
                        + "}}]}}",
                "{\"type\":\"result\",\"usage\":" + deep + "}",
                "{\"x\":" + deep + ",\"type\":\"user\"}")) {
            assertThat(ClaudeStreamParser.parse(bytes(line))).containsExactly(new Other("unreadable line"));
        }
    }

    @Test
    void unknownTypesAreSkippedByName() {
        assertThat(ClaudeStreamParser.parse(bytes("""
                        {"type":"brand_new","subtype":"sort","x":{}}
                        {"type":"brand_new"}

                        {"uuid":"1","subtype":"late","type":"system"}
                        {"type":"system"}
                        {"no":"type"}
                        {"type":7}
                        {"type":"%s"}
                        """.formatted("long".repeat(1000)))))
                .startsWith(
                        new Other("brand_new/sort"),
                        new Other("brand_new"),
                        new Other("system/late"),
                        new Other("system"),
                        new Other("object without a type"),
                        new Other("object without a type"))
                .hasSize(7)
                .last()
                .extracting(event -> ((Other) event).type().length())
                .isEqualTo(101);
    }

    @Test
    void keysMayComeInAnyOrder() {
        assertThat(ClaudeStreamParser.parse(bytes("""
                        {"parent_tool_use_id":"p","message":{"content":[{"input":{"a":[1]},"name":"n","id":"i","type":"tool_use"}],"model":"m","id":"x"},"type":"assistant"}
                        {"message":{"content":[{"content":[{"text":"a","type":"text"},{"type":"image","source":{}},{"type":"text","text":"b"}],"is_error":true,"type":"tool_result","tool_use_id":"i"}]},"type":"user"}
                        """)))
                .containsExactly(
                        new Said(
                                "x",
                                "m",
                                "{\"input\":{\"a\":[1]},\"name\":\"n\",\"id\":\"i\",\"type\":\"tool_use\"}",
                                Optional.of("p")),
                        new ToolUse("i", "n", "{\"a\":[1]}", Optional.of("p")),
                        new ToolResult("i", "a\n[image]\nb", true, Optional.empty()));
    }

    @Test
    void anOverlongLineIsSkippedAndTheNextIsRead() {
        String next = "{\"type\":\"next\"}\n";
        for (int piece : new int[] {1, 10, 64, 65, 5000}) {
            for (int length : new int[] {64, 65, 66, 5000}) {
                List<ClaudeEvent> events = new ArrayList<>();
                ClaudeStreamParser parser = new ClaudeStreamParser(events::add, 64);
                byte[] all = bytes("x".repeat(length) + "\n" + next);
                for (int at = 0; at < all.length; at += piece) {
                    parser.feed(all, at, Math.min(piece, all.length - at));
                }
                parser.end();

                String first = length > 64
                        ? "overlong line of " + length + " bytes, skipped; the limit is 64"
                        : "unreadable line";
                assertThat(events)
                        .as("%d bytes in pieces of %d", length, piece)
                        .containsExactly(new Other(first), new Other("next"));
            }
        }
    }

    @Test
    void anEndlessLineTakesNoMemory() {
        List<ClaudeEvent> events = new ArrayList<>();
        ClaudeStreamParser parser = new ClaudeStreamParser(events::add, 1 << 20);
        byte[] piece = new byte[1 << 20];
        Arrays.fill(piece, (byte) 'x');
        // More than an array can hold.
        for (int i = 0; i < 2500; i++) {
            parser.feed(piece);
        }
        parser.end();

        assertThat(events)
                .containsExactly(
                        new Other("overlong line of " + (2500L << 20) + " bytes, skipped; the limit is " + (1 << 20)));
    }

    @Test
    void aResultThatDoesNotSayThatItIsGoodIsAnError() {
        assertThat(ClaudeStreamParser.parse(
                        bytes("{\"type\":\"result\",\"subtype\":\"success\",\"total_cost_usd\":1e999999999,"
                                + "\"usage\":{\"input_tokens\":-5}}")))
                .containsExactly(new Result("success", true, "", 0, BigDecimal.ZERO, Usage.NONE, Map.of(), 0, "", ""));
    }

    @Test
    void allFourCountsOfTokensAreRead() {
        assertThat(ClaudeStreamParser.parse(bytes(
                        "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"r\",\"num_turns\":3,"
                                + "\"total_cost_usd\":0.25,\"session_id\":\"s\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2,"
                                + "\"cache_read_input_tokens\":3,\"cache_creation_input_tokens\":4}}")))
                .containsExactly(new Result(
                        "success", false, "r", 3, new BigDecimal("0.25"), new Usage(1, 2, 3, 4), Map.of(), 0, "", "s"));
    }

    @Test
    void aCallIsInFlightUntilItsResult() {
        List<String> lines = Transcripts.lines("31_subagent");
        ClaudeStreamParser parser = new ClaudeStreamParser(event -> {});
        List<List<String>> names = new ArrayList<>();
        for (String line : lines) {
            parser.feed(bytes(line + "\n"));
            List<String> now = parser.inFlight().stream().map(ToolUse::name).toList();
            if (names.isEmpty() || !names.get(names.size() - 1).equals(now)) {
                names.add(now);
            }
        }

        assertThat(names)
                .containsExactly(List.of(), List.of("Agent"), List.of("Agent", "Bash"), List.of("Agent"), List.of());
    }

    @Test
    void nothingIsInFlightAfterTheResult() {
        ClaudeStreamParser parser = new ClaudeStreamParser(event -> {});
        parser.feed(Transcripts.output("36_sigterm_in_tool"));
        assertThat(parser.inFlight()).extracting(ToolUse::name).containsExactly("Bash");
        for (int i = 0; i < 3000; i++) {
            parser.feed(bytes("{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"" + i
                    + "\"}]}}\n"));
        }
        assertThat(parser.inFlight())
                .hasSize(100)
                .last()
                .extracting(ToolUse::id)
                .isEqualTo("2999");

        parser.feed(bytes("{\"type\":\"result\"}\n"));

        assertThat(parser.inFlight()).isEmpty();
    }

    @Test
    void theLimitIsChecked() {
        assertThatThrownBy(() -> new ClaudeStreamParser(event -> {}, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ClaudeStreamParser(event -> {}).feed(new byte[3], 2, 2))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void whatTheConsumerThrowsIsNotSwallowed() {
        ClaudeStreamParser parser = new ClaudeStreamParser(event -> {
            throw new IllegalStateException("planted");
        });
        assertThatThrownBy(() -> parser.feed(bytes("{\"type\":\"x\"}\n"))).hasMessage("planted");
    }

    private static List<ClaudeEvent> inPieces(byte[] output, Random random, int most) {
        List<ClaudeEvent> events = new ArrayList<>();
        ClaudeStreamParser parser = new ClaudeStreamParser(events::add);
        int at = 0;
        while (at < output.length) {
            int length = Math.min(output.length - at, 1 + random.nextInt(most));
            // A buffer that is used again, as a reader of a stream does.
            byte[] buffer = new byte[length + 9];
            System.arraycopy(output, at, buffer, 9, length);
            parser.feed(buffer, 9, length);
            Arrays.fill(buffer, (byte) '?');
            at += length;
        }
        parser.end();
        return events;
    }

    private static int lastEnd(byte[] output, int cut) {
        int end = cut;
        while (end > 0 && output[end - 1] != '\n') {
            end--;
        }
        return end;
    }

    private static List<ClaudeEvent> normal(List<ClaudeEvent> events) {
        return events.stream().map(TreeEvents::normal).toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
