package io.maestro.llm.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmContent.Reasoning;
import io.maestro.llm.LlmContent.Text;
import io.maestro.llm.LlmContent.ToolReply;
import io.maestro.llm.LlmContent.ToolUse;
import io.maestro.secrets.SecretRedactor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageJsonTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void readsEachKindOfPartAsItWasWritten() {
        List<LlmContent> content = List.of(
                new Reasoning("anthropic", "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"x=\"}"),
                new Text(""),
                new Text("two\nlines \"quoted\" ä 😀 \u0000"),
                new ToolUse("t1", "shell", "{\"n\":1.10,\"deep\":{\"a\":[null,\"ä\"]}}"),
                new ToolReply("t1", "", false),
                new ToolReply("t2", "no", true));

        assertThat(MessageJson.read(MessageJson.write(content))).isEqualTo(content);
        assertThat(MessageJson.read(MessageJson.write(List.of()))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "not JSON",
                "{\"a\":",
                "[1,2]",
                "7",
                "null",
                "\"a string\"",
                "\"{}\"",
                "{} {}",
                "{ \"a\" : 1 }",
                "{\"a\":1,\"a\":2}",
                "{\"a\":1e400}",
                "{\"a\":\"\\u00e4\\/\"}",
                "{}"
            })
    void keepsTheTextOfAnInputWhateverItIs(String input) {
        List<LlmContent> content = List.of(new ToolUse("t1", "shell", input), new Reasoning("v", input));

        assertThat(MessageJson.read(MessageJson.write(content))).isEqualTo(content);
    }

    @Test
    void writesObjectsAsSuchForThoseWhoQueryTheRecord() throws Exception {
        JsonNode written = JSON.readTree(MessageJson.write(List.of(
                new ToolUse("t1", "shell", "{ \"a\": 1 }"), new Reasoning("openai", "{\"type\":\"reasoning\"}"))));

        assertThat(written.at("/0/input/a").asInt()).isEqualTo(1);
        assertThat(written.path(1))
                .isEqualTo(JSON.readTree(
                        "{\"type\":\"reasoning\",\"vendor\":\"openai\",\"block\":{\"type\":\"reasoning\"}}"));
    }

    /** Its vendor would refuse the whole conversation. */
    @Test
    void leavesOutReasoningWhoseSignatureWasTakenForASecret() {
        String token = "ghp_" + "a1B2".repeat(9);
        List<LlmContent> content = new ArrayList<>();
        for (String name : List.of("signature", "data", "encrypted_content")) {
            content.add(new Reasoning("v", "{\"type\":\"t\",\"" + name + "\":\"Eq-" + token + "-QB\"}"));
        }
        content.add(new Reasoning("v", "{\"thinking\":\"the [REDACTED:github-token] is no use\"}"));
        content.add(new Text("hello"));

        String recorded = SecretRedactor.withDefaults().redact(MessageJson.write(content));

        assertThat(recorded).doesNotContain(token);
        assertThat(MessageJson.read(recorded)).isEqualTo(content.subList(3, 5));
    }

    @Test
    void readsWhatRandomPartsWereWritten() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 500; i++) {
            List<LlmContent> content = new ArrayList<>();
            for (int n = random.nextInt(4); n >= 0; n--) {
                content.add(part(random));
            }
            assertThat(MessageJson.read(MessageJson.write(content)))
                    .as("seed %d", seed)
                    .isEqualTo(content);
        }
    }

    private static LlmContent part(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> new Text(text(random));
            case 1 -> new ToolUse(text(random), text(random), text(random));
            case 2 -> new ToolReply(text(random), text(random), random.nextBoolean());
            default -> new Reasoning(text(random), text(random));
        };
    }

    /** Often enough almost JSON. */
    private static String text(Random random) {
        String alphabet = "{}[]\":,\\ \n0a\u0001ä€tru";
        StringBuilder text = new StringBuilder();
        for (int n = random.nextInt(6); n > 0; n--) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "no JSON | no JSON array",
                "{} | no JSON array",
                "[{\"type\":\"image\"}] | type 'image', which this version does not know",
                "[7] | type ''",
                "[{\"type\":\"text\"}] | type 'text' has no text",
                "[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"n\"}] | has no input"
            })
    void saysWhatIsWrongWithARecord(String json, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MessageJson.read(json))
                .withMessageContaining(message);
    }
}
