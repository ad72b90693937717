package io.maestro.schema.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.tools.InputSchema;
import io.maestro.tools.Property;
import io.maestro.tools.ToolDefinition;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InputValidatorTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "^(([a-z])+.)+[A-Z]([a-z])+$",
                "^(a+)+$",
                "(a*)*\\1c",
                "^(a|aa)+$",
                "^(.*a){30}P",
                "^(?:(a*)*)*\\1d$"
            })
    @Timeout(60)
    void anExpressionThatTakesTooLongFindsNothing(String regex) {
        for (String keyword : List.of("pattern", "patternProperties")) {
            Object rule = keyword.equals("pattern") ? regex : Map.of(regex, false);
            InputSchema schema = InputSchema.ofMap(Map.of(
                    "type", "object", "properties", Map.of("x", Map.of(keyword, rule)), "additionalProperties", false));
            for (String text : List.of("a".repeat(60) + "!", "a".repeat(40_000) + "!")) {
                Object value = keyword.equals("pattern") ? text : Map.of(text, 1);
                String input = keyword.equals("pattern") ? "\"" + text + "\"" : "{\"" + text + "\":1}";
                assertThat(new InputValidator()
                                .faults(schema, "{\"x\":" + input + "}", Map.of("x", value), quoted -> quoted))
                        .hasSize(keyword.equals("pattern") ? 1 : 0);
            }
        }
    }

    @Test
    void aPlainExpressionIsSearchedToTheEndOfALongText() {
        InputSchema schema = InputSchema.ofMap(
                Map.of("type", "object", "properties", Map.of("x", Map.of("pattern", "^[a-z]+( [a-z]+)*!$"))));
        String text = "some words ".repeat(200).strip() + "!";
        for (String end : List.of("", "\n")) {
            String input = "{\"x\":\"" + text + end.replace("\n", "\\n") + "\"}";
            assertThat(new InputValidator().faults(schema, input, Map.of("x", text + end), quoted -> quoted))
                    .hasSize(end.length());
        }
    }

    private static final InputSchema SCHEMA = InputSchema.of(schema -> schema.requiredString("command", "")
            .optional("timeout", Property.integer("").between(1, 600))
            .optional("urgency", Property.oneOf("", "low", "medium", "high"))
            .optional("level", Property.number("").with("exclusiveMinimum", 0).with("exclusiveMaximum", 1))
            .optional("even", Property.integer("").with("multipleOf", 2))
            .optional("code", Property.string("").maxLength(4).with("pattern", "^[a-z]+$"))
            .optional("pin", Property.string("").minLength(4))
            .optional("fixed", Property.string("").with("const", "v1"))
            .optional("force", Property.bool(""))
            .optional("maybe", Property.string("").with("type", List.of("string", "null")))
            .optional("either", any("anyOf"))
            .optional("oneOf", any("oneOf"))
            .optional(
                    "tags", Property.array("", Property.string("")).maxItems(2).with("uniqueItems", true))
            .optional(
                    "requirements",
                    Property.array(
                                    "",
                                    Property.object(
                                            "",
                                            item -> item.requiredString("title", "")
                                                    .optional("criteria", Property.array("", Property.string("")))))
                            .minItems(1))
            .optional(
                    "options",
                    Property.object("", o -> o.allowAdditionalProperties())
                            .with("minProperties", 1)
                            .with("maxProperties", 2)
                            .with("dependentRequired", Map.of("a", List.of("b")))));

    private final InputValidator validator = new InputValidator();

    private static Property any(String keyword) {
        Property property = Property.string("").with(keyword, List.of(Map.of("maxLength", 2), Map.of("pattern", "^x")));
        return property;
    }

    private static ToolDefinition tool(InputSchema schema) {
        return ToolDefinition.builder("test").description("d").input(schema).build();
    }

    private static ToolDefinition tool(Map<String, Object> properties) {
        return tool(InputSchema.ofMap(Map.of("type", "object", "properties", properties)));
    }

    private List<String> faults(ToolDefinition tool, String input) throws InputReader.BadInput {
        return validator.faults(tool, input, new InputReader().read(input), text -> text);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    {}                                  | $.command: is missing but required
                    {"command":""}                      | $.command: must not be empty
                    {"command":5}                       | $.command: must be a string, is 5 (number)
                    {"command":null}                    | $.command: must be a string, is null
                    {"command":["a"]}                   | $.command: must be a string, is an array of 1 item
                    {"command":{"a":1,"b":2}}           | $.command: must be a string, is an object with 2 properties
                    {"command":"a","timeout":"abc"}     | $.timeout: must be an integer, is "abc" (string)
                    {"command":"a","timeout":1.5}       | $.timeout: must be an integer, is 1.5 (number)
                    {"command":"a","timeout":true}      | $.timeout: must be an integer, is true (boolean)
                    {"command":"a","timeout":0}         | $.timeout: must be at least 1, is 0
                    {"command":"a","timeout":601}       | $.timeout: must be at most 600, is 601
                    {"command":"a","urgency":"urgent"}  | $.urgency: must be one of low, medium, high; is "urgent"
                    {"command":"a","level":0}           | $.level: must be more than 0, is 0
                    {"command":"a","level":1}           | $.level: must be less than 1, is 1
                    {"command":"a","even":3}            | $.even: must be a multiple of 2, is 3
                    {"command":"a","code":"A1"}         | $.code: must match the pattern ^[a-z]+$, is "A1"
                    {"command":"a","code":"abcde"}      | $.code: must have at most 4 characters, has 5
                    {"command":"a","pin":"abc"}         | $.pin: must have at least 4 characters, has 3
                    {"command":"a","fixed":"v2"}        | $.fixed: must be "v1", is "v2"
                    {"command":"a","force":"yes"}       | $.force: must be a boolean, is "yes" (string)
                    {"command":"a","maybe":1}           | $.maybe: must be a string or null, is 1 (number)
                    {"command":"a","tags":["a","b","c"]}| $.tags: must have at most 2 items, has 3
                    {"command":"a","tags":["a","a"]}    | $.tags: must not hold the same item twice
                    {"command":"a","tags":"a"}          | $.tags: must be an array, is "a" (string)
                    {"command":"a","requirements":[]}   | $.requirements: must have at least 1 items, has 0
                    {"command":"a","requirements":[{"title":"t"},{"title":"t"},{}]} | $.requirements[2].title: is missing but required
                    {"command":"a","requirements":[{"title":"t","criteria":["a",2]}]} | $.requirements[0].criteria[1]: must be a string, is 2 (number)
                    {"command":"a","requirements":[{"title":"t","titel":"a"}]} | $.requirements[0].titel: unknown property; did you mean "title"?
                    {"command":"a","comand":"b"}        | $.comand: unknown property; did you mean "command"?
                    {"command":"a","Force":true}        | $.Force: unknown property; did you mean "force"?
                    {"command":"a","options":{}}        | $.options: must have at least 1 properties, has 0
                    {"command":"a","options":{"x":1,"y":2,"z":3}} | $.options: must have at most 2 properties, has 3
                    """)
    void hasWordsForEachFault(String input, String fault) throws Exception {
        assertThat(faults(tool(SCHEMA), input)).containsExactly(fault);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"command\":\"a\"}",
                "{\"command\":\"a\",\"timeout\":600}",
                "{\"command\":\"a\",\"timeout\":2.0}",
                "{\"command\":\"a\",\"maybe\":null,\"urgency\":\"low\",\"force\":false}",
                "{\"command\":\"a\",\"either\":\"ab\",\"options\":{\"q\":1}}",
                "{\"command\":\"\\ud83d\\ude00\",\"requirements\":[{\"title\":\"t\",\"criteria\":[]}]}"
            })
    void acceptsWhatIsValid(String input) throws Exception {
        assertThat(faults(tool(SCHEMA), input)).isEmpty();
    }

    @Test
    void faultsOfAlternativesSayWhichOneTheyBelongTo() throws Exception {
        assertThat(faults(tool(SCHEMA), "{\"command\":\"a\",\"either\":\"abc\"}"))
                .containsExactly(
                        "$.either: (alternative 1) must have at most 2 characters, has 3",
                        "$.either: (alternative 2) must match the pattern ^x, is \"abc\"");
        assertThat(faults(tool(SCHEMA), "{\"command\":\"a\",\"oneOf\":\"x\"}"))
                .singleElement()
                .asString()
                .startsWith("$.oneOf: must be valid to one and only one schema");
    }

    @Test
    void namesWhatIsKnownWhenNothingIsNear() throws Exception {
        ToolDefinition tool =
                tool(InputSchema.of(s -> s.optionalString("path", "").optionalString("mode", "")));

        assertThat(faults(tool, "{\"zzzzzz\":1}")).containsExactly("$.zzzzzz: unknown property; known are path, mode");
        assertThat(faults(tool(InputSchema.empty()), "{\"a\":1}"))
                .containsExactly("$.a: unknown property; none are allowed here");
        assertThat(faults(tool, "{\"a b\":1}")).singleElement().asString().startsWith("$['a b']: unknown property");
    }

    @Test
    void echoesNoLongValueAndNoLongName() throws Exception {
        String text = "x".repeat(50_000);

        assertThat(faults(tool(SCHEMA), "{\"command\":\"a\",\"urgency\":\"" + text + "\"}"))
                .containsExactly("$.urgency: must be one of low, medium, high; is \"" + "x".repeat(80) + "…\"");
        assertThat(faults(tool(SCHEMA), "{\"command\":\"a\",\"" + text + "\":1}"))
                .singleElement()
                .satisfies(fault -> assertThat(fault).hasSizeLessThan(700));
        assertThat(faults(tool(SCHEMA), "{\"command\":\"a\",\"urgency\":\"a\\n- $.b: \\u0007\"}"))
                .containsExactly("$.urgency: must be one of low, medium, high; is \"a - $.b: \\u0007\"");
    }

    @Test
    void showsAtMostTwentyFaults() throws Exception {
        String items = "1,".repeat(29) + "1";
        List<String> faults = faults(
                tool(Map.of("list", Property.array("", Property.string("")).asMap())), "{\"list\":[" + items + "]}");

        assertThat(faults)
                .hasSize(21)
                .endsWith("… and 10 more")
                .startsWith("$.list[0]: must be a string, is 1 (number)");
    }

    @Test
    void stopsAtTheFirstFaultOfALongInput() throws Exception {
        String items = "1,".repeat(400_000) + "1";
        List<String> faults = faults(
                tool(Map.of("list", Property.array("", Property.string("")).asMap())), "{\"list\":[" + items + "]}");

        assertThat(faults).containsExactly("$.list[0]: must be a string, is 1 (number)");
    }

    @Test
    void followsReferencesWithinTheSchema() throws Exception {
        ToolDefinition tool = tool(InputSchema.ofMap(Map.of(
                "type", "object",
                "properties", Map.of("shared", Map.of("$ref", "#/$defs/short")),
                "$defs", Map.of("short", Map.of("type", "string", "maxLength", 2)))));

        assertThat(faults(tool, "{\"shared\":\"abc\"}"))
                .containsExactly("$.shared: must have at most 2 characters, has 3");
    }

    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void saysOfWhatTakesTooLongThatItCannotBeChecked() throws Exception {
        Map<String, Object> again = Map.of("$ref", "#/$defs/a");
        Map<String, Object> any = Map.of("anyOf", Collections.nCopies(16, again));
        ToolDefinition tool = tool(InputSchema.ofMap(Map.of(
                "type", "object",
                "properties", Map.of("x", again),
                "$defs", Map.of("a", Map.of("type", "object", "properties", Map.of("x", any))))));

        assertThat(faults(tool, "{\"x\":".repeat(3) + "{}" + "}".repeat(3))).isEmpty();
        assertThat(faults(tool, "{\"x\":".repeat(10) + "1" + "}".repeat(10)))
                .singleElement()
                .asString()
                .startsWith("$: cannot be checked");
        Map<String, Object> itself = Map.of("anyOf", List.of(again, Map.of("type", "object")));
        assertThat(faults(
                        tool(InputSchema.ofMap(Map.of(
                                "type", "object", "properties", Map.of("x", again), "$defs", Map.of("a", itself)))),
                        "{\"x\":1}"))
                .singleElement()
                .asString()
                .startsWith("$: cannot be checked");
    }

    @Test
    @Timeout(30)
    void loadsNothingFromOutside() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(1);
            String url = "http://127.0.0.1:" + server.getLocalPort() + "/x";
            for (String reference : List.of(url, "file:///etc/passwd", "classpath:logback.xml")) {
                ToolDefinition tool = tool(Map.of("a", Map.of("$ref", reference)));
                assertThatThrownBy(() -> faults(tool, "{\"a\":1}"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("input schema can't be used");
            }
            assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
        }
    }

    /** Patterns are ECMAScript's, which has other special characters than Java. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "^[^[\\]]+$ a1 a[1",
                "^[a-z[]$ [ A",
                "^[&&a]+$ a&a b",
                "^{.*}$ {x} x",
                "^a{x$ a{x ax",
                "^a{2,3}$ aa a",
                "^a{,2}$ a{,2} aa",
                "^\\{[^]\\}$ {x} {}",
                "^(x|[])$ x y",
                "^\\u{61}\\u0062\\u{1F600}$ ab😀 aa",
                "^\\p{L}+\\P{L}{1,2}$ ä1 1",
                "^\\[{]\\\\$ [{]\\ x",
            })
    void readsThePatternsOfTheWeb(String pattern, String good, String bad) throws Exception {
        ToolDefinition tool = tool(Map.of("a", Map.of("type", "string", "pattern", pattern)));
        ObjectMapper json = new ObjectMapper();
        assertThat(faults(tool, json.writeValueAsString(Map.of("a", good)))).isEmpty();
        assertThat(faults(tool, json.writeValueAsString(Map.of("a", bad)))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "[z-a]", "(?<a_b>x)", "*", "\\"})
    void aPatternThatIsNoneIsNamed(String pattern) {
        requireRefused(Map.of("properties", Map.of("a", Map.of("pattern", pattern))), pattern);
        requireRefused(Map.of("patternProperties", Map.of(pattern, Map.of())), pattern);
    }

    private static void requireRefused(Map<String, Object> keywords, String pattern) {
        Map<String, Object> schema = new LinkedHashMap<>(keywords);
        schema.put("type", "object");
        assertThatThrownBy(() -> new InputValidator().check(InputSchema.ofMap(schema)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the pattern " + pattern + " is no regular expression: ")
                .hasMessageNotContainingAny("networknt", "Exception", "java.");
    }

    @Test
    void twoToolsMayUseTheSameId() throws Exception {
        Map<String, Object> first = Map.of("$id", "urn:tool", "type", "object", "required", List.of("a"));
        Map<String, Object> second = Map.of("$id", "urn:tool", "type", "object", "required", List.of("b"));
        ToolDefinition one = ToolDefinition.builder("one")
                .description("d")
                .input(InputSchema.ofMap(first))
                .build();
        ToolDefinition two = ToolDefinition.builder("two")
                .description("d")
                .input(InputSchema.ofMap(second))
                .build();

        assertThat(faults(one, "{}")).containsExactly("$.a: is missing but required");
        assertThat(faults(two, "{}")).containsExactly("$.b: is missing but required");
    }

    @Test
    void aDefinitionOfTheSameNameIsCompiledAnew() throws Exception {
        assertThat(faults(tool(SCHEMA), "{}")).hasSize(1);
        assertThat(faults(tool(InputSchema.empty()), "{}")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e300", "1e-999999999", "123456789012345678901234567890"})
    void extremeNumbersDoNoHarm(String number) throws Exception {
        assertThat(faults(tool(SCHEMA), "{\"command\":\"a\",\"timeout\":" + number + ",\"level\":0.5,\"even\":2}"))
                .hasSize(1);
    }
}
