package io.maestro.team.internal.loop;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.agent.Limits;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.Usage;
import io.maestro.llm.internal.MessageJson;
import io.maestro.record.AuditLog;
import io.maestro.testing.Campaign;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What stays of a conversation that is too long. */
class CompactionTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The line that says how many turns are left out, and numbers in it, may cost so much where room is least. */
    private static final long SLACK = 300;

    private static LlmMessage user(LlmContent... content) {
        return new LlmMessage(LlmMessage.Role.USER, List.of(content));
    }

    private static LlmMessage assistant(LlmContent... content) {
        return new LlmMessage(LlmMessage.Role.ASSISTANT, List.of(content));
    }

    private static LlmContent text(String text) {
        return new LlmContent.Text(text);
    }

    private static LlmContent use(int id, String input) {
        return new LlmContent.ToolUse("id" + id, "look", input);
    }

    private static LlmContent reply(int id, String text) {
        return new LlmContent.ToolReply("id" + id, text, false);
    }

    /** A story and so many turns, each with a call and a result of so many characters. */
    private static List<LlmMessage> conversation(int turns, int characters) {
        List<LlmMessage> messages = new ArrayList<>(List.of(user(text("The story\n\n# The approved plan\n\ndo it"))));
        for (int i = 0; i < turns; i++) {
            messages.add(assistant(text("I look."), use(i, "{\"what\":" + i + "}")));
            messages.add(user(reply(i, ("" + i % 10).repeat(characters))));
        }
        return messages;
    }

    @Test
    void whatIsShortEnoughStaysAsItIs() {
        List<LlmMessage> messages = conversation(3, 100);
        assertThat(Compaction.compact(messages, MessageSizes.of(messages), "todo"))
                .isEqualTo(messages);
        assertThat(Compaction.compact(List.of(), 0, "todo")).isEmpty();
    }

    @Test
    void theStoryTheTodosAndTheNewestTurnsStayAndOlderOnesBecomeShortThenALine() {
        List<LlmMessage> messages = conversation(100, 1_000);
        List<LlmMessage> compacted = Compaction.compact(messages, 20_000, "[ ] first\n[x] second");

        LlmMessage head = compacted.get(0);
        assertThat(head.content().get(0)).isEqualTo(messages.get(0).content().get(0));
        String note = ((LlmContent.Text) head.content().get(1)).text();
        assertThat(note)
                .startsWith("[Maestro has shortened this conversation: ")
                .contains("\n- look {\"what\":")
                .endsWith("\n[Left to do]\n[ ] first\n[x] second");
        int size = messages.size();
        assertThat(compacted.subList(compacted.size() - 16, compacted.size()))
                .isEqualTo(messages.subList(size - 16, size));
        LlmMessage older = compacted.get(2);
        assertThat(older.content().get(0))
                .isInstanceOfSatisfying(
                        LlmContent.ToolReply.class,
                        left -> assertThat(left.text()).isEqualTo("(left out: the result of look, 1000 characters)"));
        assertThat(MessageSizes.of(compacted)).isBetween(15_000L, 20_000L);
    }

    /** The next compaction goes on with the note of the one before. */
    @Test
    void thereIsOneNoteHoweverOftenAConversationIsCompacted() {
        List<LlmMessage> messages = conversation(50, 1_000);
        for (int i = 50; i < 200; i++) {
            messages = new ArrayList<>(Compaction.compact(messages, 10_000, "todo " + i));
            messages.add(assistant(use(i, "{}")));
            messages.add(user(reply(i, "x".repeat(1_000))));
        }
        assertThat(messages.get(0).content()).hasSize(2);
        String note = ((LlmContent.Text) messages.get(0).content().get(1)).text();
        assertThat(note).endsWith("\n[Left to do]\ntodo 199").doesNotContain("todo 198");
        long calls = messages.stream()
                .flatMap(message -> message.content().stream())
                .filter(LlmContent.ToolUse.class::isInstance)
                .count();
        assertThat(note).contains(": " + (200 - calls) + " older turns are left out");
        assertThat(note.length()).isLessThan(3_000);
    }

    @Test
    void aHugeResultInTheNewestTurnIsCutInTheMiddleAndTheOthersStay() {
        List<LlmMessage> messages = conversation(2, 100);
        messages.add(assistant(use(7, "{}"), use(8, "{}")));
        messages.add(user(reply(7, "small"), reply(8, "<begin>" + "x".repeat(100_000) + "<end>")));
        List<LlmMessage> compacted = Compaction.compact(messages, 10_000, "");

        List<LlmContent> newest = compacted.get(compacted.size() - 1).content();
        assertThat(newest.get(0)).isEqualTo(reply(7, "small"));
        assertThat(((LlmContent.ToolReply) newest.get(1)).text())
                .startsWith("<begin>xxx")
                .contains("… (100012 characters, the middle is left out) …")
                .endsWith("xxx<end>")
                .hasSizeBetween(6_000, 10_000);
        List<LlmMessage> least = Compaction.compact(messages, 0, "");
        assertThat(((LlmContent.ToolReply) least.get(2).content().get(1)).text())
                .hasSize(Compaction.LEAST);
    }

    @Test
    void whatWasSaidToTheModelInOlderTurnsIsNotForgotten() {
        List<LlmMessage> messages = conversation(20, 1_000);
        messages.add(assistant(text("I ask.")));
        messages.add(user(text("The architect says: use UTF-8")));
        messages.addAll(conversation(0, 0).subList(1, 1));
        for (int i = 20; i < 60; i++) {
            messages.add(assistant(use(i, "{}")));
            messages.add(user(reply(i, "x".repeat(1_000))));
        }
        assertThat(Compaction.compact(messages, 20_000, "").toString()).contains("The architect says: use UTF-8");
        assertThat(Compaction.compact(messages, 10_000, "").get(0).text())
                .contains("- you were told: The architect says: use UTF-8");
    }

    @Test
    void longArgumentsOfOlderCallsAreCutAndStayAnObject() throws Exception {
        List<LlmMessage> messages = conversation(1, 10);
        ObjectNode input = JSON.createObjectNode().put("path", "a.txt").put("content", "\"\n".repeat(5_000));
        input.putArray("list").addAll(JSON.createArrayNode().add("x".repeat(1_000)));
        messages.add(assistant(use(7, input.toString()), use(8, "no JSON " + "x".repeat(2_000))));
        messages.add(user(reply(7, "ok"), reply(8, "no")));
        messages.addAll(conversation(1, 2_000).subList(1, 3));
        List<LlmMessage> compacted = Compaction.compact(messages, 6_000, "");

        LlmContent.ToolUse first =
                (LlmContent.ToolUse) compacted.get(3).content().get(0);
        LlmContent.ToolUse second =
                (LlmContent.ToolUse) compacted.get(3).content().get(1);
        assertThat(JSON.readTree(first.input()).path("path").asText()).isEqualTo("a.txt");
        assertThat(JSON.readTree(first.input()).path("content").asText())
                .hasSizeLessThanOrEqualTo(Shortening.RESULT)
                .contains("the middle is left out");
        assertThat(JSON.readTree(second.input()).path("left_out").asText()).isEqualTo("2008 characters");
    }

    @Test
    void whatTheModelThoughtStaysWithItsNewestTurnOnly() {
        LlmContent thought = new LlmContent.Reasoning("anthropic", "{\"signature\":\"" + "s".repeat(500) + "\"}");
        List<LlmMessage> messages = new ArrayList<>(List.of(user(text("The story"))));
        for (int i = 0; i < 20; i++) {
            messages.add(assistant(thought, use(i, "{}")));
            messages.add(user(reply(i, "x".repeat(500))));
        }
        List<LlmMessage> compacted = Compaction.compact(messages, 8_000, "");
        assertThat(compacted.get(1).content()).noneMatch(LlmContent.Reasoning.class::isInstance);
        assertThat(compacted.get(compacted.size() - 2).content()).contains(thought);
    }

    @Test
    void aRowThatIsNoneIsRefused() {
        assertThatThrownBy(() -> Compaction.replay(conversation(1, 1), "something else"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("not the record of a compaction: something else");
    }

    @Test
    void aConversationThatIsRebuiltFromItsRowsIsTheSame() {
        try (LoopBench bench = new LoopBench()) {
            ModelConversation conversation = bench.conversation("The story");
            for (int i = 0; i < 60; i++) {
                conversation.addAssistant(
                        new LlmResponse(
                                "m",
                                List.of(text("I look."), use(i, "{\"what\": " + i + "}")),
                                LlmResponse.StopReason.TOOL_USE,
                                Usage.NONE),
                        new Meter(Limits.defaults()).account().unreserved("coder-001", "CODING", 1, "m"));
                conversation.addUser(List.of(reply(i, "line\n".repeat(100))), List.of());
                if (i % 20 == 19) {
                    assertThat(conversation.compact(5_000, "[ ] todo\n\n[ ] other " + i, Long.MAX_VALUE))
                            .isTrue();
                    assertThat(conversation.compact(5_000, "changed", Long.MAX_VALUE))
                            .isFalse();
                }
            }
            assertThat(rebuilt(bench.messages)).isEqualTo(conversation.messages());
            assertThat(bench.messages.stream().filter(row -> row.role().equals("compaction")))
                    .hasSize(3)
                    .allSatisfy(row -> assertThat(row.model()).isNull());
        }
    }

    private static List<LlmMessage> rebuilt(List<AuditLog.Message> rows) {
        List<LlmMessage> messages = new ArrayList<>();
        for (AuditLog.Message row : rows) {
            List<LlmContent> content = MessageJson.read(row.content());
            switch (row.role()) {
                case "user" -> messages.add(new LlmMessage(LlmMessage.Role.USER, content));
                case "assistant" -> messages.add(new LlmMessage(LlmMessage.Role.ASSISTANT, content));
                case "compaction" -> {
                    List<LlmMessage> shorter = Compaction.replay(messages, ((LlmContent.Text) content.get(0)).text());
                    messages.clear();
                    messages.addAll(shorter);
                }
                default -> assertThat(row.role()).isEqualTo("system");
            }
        }
        return messages;
    }

    /** As the request for the review of an express story is: there is nothing else that could be cut. */
    @Test
    void partsOfAFirstMessageThatIsTooLongByItselfAreLeftOut() {
        List<LlmMessage> messages = new ArrayList<>(
                List.of(user(text("The story\n" + "d".repeat(900_000) + "\nreview it"), text("short"))));
        for (long characters : new long[] {450_000, 50_000, 2_000}) {
            List<LlmMessage> compacted = Compaction.compact(messages, characters, "");
            assertThat(MessageSizes.of(compacted)).isBetween(characters * 3 / 4, characters);
            assertThat(((LlmContent.Text) compacted.get(0).content().get(0)).text())
                    .startsWith("The story\n")
                    .contains("the middle is left out")
                    .endsWith("\nreview it");
            assertThat(compacted.get(0).content().get(1)).isEqualTo(text("short"));
        }
        messages.addAll(conversation(3, 1_000).subList(1, 7));
        List<LlmMessage> compacted = Compaction.compact(messages, 20_000, "todo");
        assertThat(MessageSizes.of(compacted)).isBetween(15_000L, 20_000L);
        assertThat(MessageSizes.of(compacted.get(compacted.size() - 1))).isGreaterThan(500);
        assertThat(compacted.get(0).text()).contains("[Left to do]\ntodo");
    }

    // Any conversation

    static LongStream seeds() {
        return Campaign.seeds("conversations", Campaign.number(5));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("campaign")
    void anyConversationStaysOneThatAServiceTakes(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            List<LlmMessage> messages = random(random);
            long characters = (long) (MessageSizes.of(messages) * random.nextDouble() * 1.1);
            String todos = random.nextBoolean() ? "" : words(random, 6_000);
            List<LlmMessage> compacted = Compaction.compact(messages, characters, todos);
            String what = "seed " + seed + ", conversation " + i;

            assertWellFormed(what, compacted);
            String story = ((LlmContent.Text) messages.get(0).content().get(0)).text();
            String left = ((LlmContent.Text) compacted.get(0).content().get(0)).text();
            if (!left.contains("the middle is left out")) {
                assertThat(left).as(what).isEqualTo(story);
            } else {
                assertThat(left).as(what).startsWith(story.substring(0, 100)).hasSizeGreaterThanOrEqualTo(390);
            }
            assertThat(Compaction.compact(messages, characters, todos)).as(what).isEqualTo(compacted);
            assertThat(Compaction.compact(compacted, characters, todos))
                    .as(what)
                    .isEqualTo(compacted);
            long least = MessageSizes.of(Compaction.compact(messages, 0, todos));
            assertThat(MessageSizes.of(compacted)).as(what).isLessThanOrEqualTo(Math.max(characters, least + SLACK));
            if (MessageSizes.of(messages) > characters && messages.size() > 1) {
                assertThat(Compaction.replay(
                                messages, Compaction.row(messages, compacted, characters, todos, Long.MAX_VALUE)))
                        .as(what)
                        .isEqualTo(compacted);
                LlmMessage newest = messages.get(messages.size() - 1);
                assertThat(compacted.get(compacted.size() - 1).content())
                        .as(what)
                        .hasSameSizeAs(newest.content());
            }
        }
    }

    private static void assertWellFormed(String what, List<LlmMessage> messages) {
        Set<String> open = new HashSet<>();
        for (int i = 0; i < messages.size(); i++) {
            LlmMessage message = messages.get(i);
            assertThat(message.role())
                    .as(what)
                    .isEqualTo(i % 2 == 0 ? LlmMessage.Role.USER : LlmMessage.Role.ASSISTANT);
            Set<String> answered = new HashSet<>();
            for (LlmContent part : message.content()) {
                if (part instanceof LlmContent.ToolReply reply) {
                    assertThat(answered.add(reply.toolUseId())).as(what).isTrue();
                    assertCharactersWhole(what, reply.text());
                } else if (part instanceof LlmContent.Text text) {
                    assertCharactersWhole(what, text.text());
                }
            }
            if (message.role() == LlmMessage.Role.USER) {
                assertThat(answered).as(what).isEqualTo(open);
                open.clear();
            }
            for (LlmContent part : message.content()) {
                if (part instanceof LlmContent.ToolUse use) {
                    assertThat(open.add(use.id())).as(what).isTrue();
                }
            }
        }
        assertThat(open).as(what).isEmpty();
    }

    private static void assertCharactersWhole(String what, String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isHighSurrogate(text.charAt(i))) {
                assertThat(i + 1 < text.length() && Character.isLowSurrogate(text.charAt(++i)))
                        .as(what)
                        .isTrue();
            } else {
                assertThat(Character.isLowSurrogate(text.charAt(i))).as(what).isFalse();
            }
        }
    }

    private static List<LlmMessage> random(Random random) {
        List<LlmMessage> messages = new ArrayList<>();
        List<LlmContent> head = new ArrayList<>(List.of(text(words(random, 3_000))));
        if (random.nextInt(4) == 0) {
            head.add(text(words(random, 100)));
        }
        messages.add(new LlmMessage(LlmMessage.Role.USER, head));
        int turns = random.nextInt(30);
        for (int turn = 0; turn < turns; turn++) {
            List<LlmContent> said = new ArrayList<>();
            List<LlmContent> results = new ArrayList<>();
            if (random.nextInt(5) == 0) {
                said.add(new LlmContent.Reasoning(
                        "anthropic", "{\"thinking\":\"" + "t".repeat(random.nextInt(2_000)) + "\"}"));
            }
            if (random.nextBoolean()) {
                said.add(text(words(random, 1_500)));
            }
            int calls = random.nextInt(4);
            for (int call = 0; call < calls; call++) {
                String id = "id_" + turn + "_" + call;
                said.add(new LlmContent.ToolUse(id, random.nextInt(3) == 0 ? "shell" : "read_file", input(random)));
                results.add(new LlmContent.ToolReply(
                        id, words(random, random.nextInt(5) == 0 ? 20_000 : 800), random.nextInt(4) == 0));
            }
            if (results.isEmpty() || random.nextInt(6) == 0) {
                results.add(text(words(random, 3_000)));
            }
            messages.add(new LlmMessage(LlmMessage.Role.ASSISTANT, said.isEmpty() ? List.of(text("hm")) : said));
            messages.add(new LlmMessage(LlmMessage.Role.USER, results));
        }
        return messages;
    }

    private static String input(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> "{}";
            case 1 -> words(random, 1_000);
            case 2 -> "{\"n\":1e999999,\"m\":[" + "1.50,".repeat(random.nextInt(300)) + "0]}";
            default ->
                JSON.createObjectNode()
                        .put("path", words(random, 50))
                        .put("content", words(random, 5_000))
                        .toString();
        };
    }

    /** Text with lines, half of a note's words, and characters of two halves. */
    private static String words(Random random, int most) {
        StringBuilder text = new StringBuilder();
        int length = 1 + random.nextInt(most);
        while (text.length() < length) {
            text.append(
                    switch (random.nextInt(8)) {
                        case 0 -> "\n";
                        case 1 -> "😀😀";
                        case 2 -> "\n[Left to do]\n";
                        case 3 -> "- \"quoted\" ";
                        default -> "words and more words ";
                    });
        }
        return text.toString();
    }
}
