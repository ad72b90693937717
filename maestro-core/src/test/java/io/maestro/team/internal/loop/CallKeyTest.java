package io.maestro.team.internal.loop;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.llm.LlmContent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which calls are the same. */
class CallKeyTest {
    private static CallKey key(String input) {
        return CallKey.of(new LlmContent.ToolUse("id", "shell", input));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '´',
            value = {
                "{\"a\":1,\"b\":2}|{ \"b\" : 2, \"a\" : 1 }",
                "{\"a\":1}|{\"a\":1.0}",
                "{\"a\":100}|{\"a\":1e2}",
                "{\"a\":\"A\"}|{\"a\":\"\\u0041\"}",
                "{}|´´",
                "{\"a\":{\"x\":[1,{}],\"y\":null}}|{\"a\":{\"y\":null,\"x\":[1, {}]}}",
                "no JSON|no JSON"
            })
    void equalAsJsonIsTheSame(String one, String other) {
        assertThat(key(one)).isEqualTo(key(other));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '´',
            value = {
                "{\"a\":1}|{\"a\":2}",
                "{\"a\":1}|{\"a\":\"1\"}",
                "{\"a\":[1,2]}|{\"a\":[2,1]}",
                "{\"a\":null}|{}",
                "{\"a\":{}}|{\"a\":[]}",
                "{\"a\":\"b\"}|{\"a\":\"b \"}",
                "{\"a,b\":1}|{\"a\":1,\"b\":1}",
                "{} {}|{}",
                "no JSON|no  JSON"
            })
    void anythingElseIsAnother(String one, String other) {
        assertThat(key(one)).isNotEqualTo(key(other));
    }

    @Test
    void anotherToolIsAnotherCall() {
        assertThat(key("{}")).isNotEqualTo(CallKey.of(new LlmContent.ToolUse("id", "test", "{}")));
    }

    @Test
    void itIsShownInOneShortLine() {
        assertThat(key("{\"cmd\":\"make\"}")).hasToString("shell {\"cmd\":\"make\"}");
        assertThat(key("a\n\n b").toString()).isEqualTo("shell a b");
        assertThat(key("x".repeat(100_000)).toString()).hasSize(160).endsWith("x…");
        assertThat(CallKey.line("x".repeat(8) + "😀" + "y".repeat(9), 10)).isEqualTo("x".repeat(8) + "…");
        assertThat(CallKey.line("x" + " ".repeat(1_000) + "y", 10)).isEqualTo("x…");
    }
}
