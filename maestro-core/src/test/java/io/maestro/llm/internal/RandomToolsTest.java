package io.maestro.llm.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.schema.internal.InputReader;
import io.maestro.schema.internal.InputValidator;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import io.maestro.testing.RandomSchemas;
import io.maestro.testing.RandomValues;
import io.maestro.tools.InputSchema;
import io.maestro.tools.ToolDefinition;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random tools, as each vendor is told of them and as a model calls them: what fits is what arrives, and what does not fit is
 * refused, by the vendor's schema wherever that can say it, by our own validation always.
 */
@Tag("campaign")
class RandomToolsTest {
    /** Strict mode cannot say them; of patterns it takes the plain ones. */
    private static final Set<String> ONLY_TOLD = Set.of("minLength", "maxLength", "uniqueItems", "pattern");

    /** Nothing else may be in a strict schema. */
    private static final Set<String> STRICT = Set.of(
            "type",
            "properties",
            "required",
            "additionalProperties",
            "description",
            "enum",
            "anyOf",
            "items",
            "$ref",
            "$defs",
            "pattern",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minItems",
            "maxItems");

    private static final int MOST_BROKEN = 4;

    private final InputValidator validator = new InputValidator();
    private int strict;

    @Test
    void whatFitsArrivesAndWhatDoesNotIsRefused() throws Exception {
        call(Campaign.number(200));
    }

    @Test
    @Full("the short tier has 200 tools")
    void whatFitsArrivesAndWhatDoesNotIsRefusedWithMoreTools() throws Exception {
        call(800);
    }

    private void call(int number) throws Exception {
        for (long seed : Campaign.seeds("tools", number).toArray()) {
            Random random = new Random(seed);
            Map<String, Object> schema = new RandomSchemas(random).schema();
            ToolDefinition tool = ToolDefinition.builder("tool")
                    .description("d")
                    .input(InputSchema.ofMap(schema))
                    .build();
            RandomValues values = new RandomValues(random, schema);
            Map<String, Object> fitting = values.fitting();
            List<RandomValues.Broken> broken = values.broken(fitting);
            Collections.shuffle(broken, random);
            List<RandomValues.Broken> some = broken.subList(0, Math.min(MOST_BROKEN, broken.size()));
            String as = "-Dseed=" + seed + ": " + VendorJson.tree(schema) + ", ";
            assertThatCode(() -> validator.check(tool.input())).as(as).doesNotThrowAnyException();
            overMessages(as, tool, fitting, some);
            overResponses(as, tool, values, fitting, some);
        }
        System.out.println(strict + " of " + number + " are strict");
        assertThat(strict).isBetween(number / 2, number * 9 / 10);
    }

    private void overMessages(
            String as, ToolDefinition tool, Map<String, Object> fitting, List<RandomValues.Broken> broken)
            throws Exception {
        Protocol.WrittenRequest question =
                new MessagesProtocol(PromptCaching.OFF).question("model", request(tool), false);
        JsonNode sent = question.body().at("/tools/0/input_schema");
        assertThat(sent).as(as).isEqualTo(VendorJson.tree(PlainSchema.withPlainNames(tool.input())));
        requireArrives(as, tool, called(question, VendorJson.tree(fitting)), VendorJson.tree(fitting));
        for (RandomValues.Broken one : broken) {
            String read = called(question, VendorJson.tree(one.value()));
            assertThat(faults(tool, read)).as("%s%s", as, one).isNotEmpty();
        }
    }

    private void overResponses(
            String as,
            ToolDefinition tool,
            RandomValues values,
            Map<String, Object> fitting,
            List<RandomValues.Broken> broken)
            throws Exception {
        Protocol.WrittenRequest question = new ResponsesProtocol(true, false).question("model", request(tool), false);
        JsonNode function = question.body().at("/tools/0");
        boolean isStrict = function.path("strict").asBoolean();
        strict += isStrict ? 1 : 0;
        Schema vendors = schema(function.path("parameters"));
        String sent = as + function.path("parameters") + ", ";
        requireTaken(sent, function.path("parameters"), isStrict);
        // What is nullable cannot be left out in strict mode.
        JsonNode meant = isStrict ? written(values, tool.input().asMap(), fitting, false) : VendorJson.tree(fitting);
        JsonNode written = isStrict ? written(values, tool.input().asMap(), fitting, true) : meant;
        assertThat(faults(vendors, written)).as("%s%s", sent, written).isEmpty();
        requireArrives(sent, tool, called(question, VendorJson.tree(written.toString())), meant);
        for (RandomValues.Broken one : broken) {
            JsonNode wrong =
                    isStrict ? written(values, tool.input().asMap(), one.value(), true) : VendorJson.tree(one.value());
            String read = called(question, VendorJson.tree(wrong.toString()));
            assertThat(faults(tool, read)).as("%s%s", sent, one).isNotEmpty();
            if (!isStrict || !ONLY_TOLD.contains(one.rule())) {
                assertThat(faults(vendors, wrong))
                        .as("%s%s, %s", sent, one, wrong)
                        .isNotEmpty();
            }
        }
    }

    private void requireArrives(String as, ToolDefinition tool, String read, JsonNode meant) throws Exception {
        assertThat(VendorJson.parse(read)).as("%s%s", as, meant).contains(json(meant));
        assertThat(faults(tool, read)).as("%s%s", as, meant).isEmpty();
    }

    private List<String> faults(ToolDefinition tool, String input) throws InputReader.BadInput {
        return validator.faults(tool, input, new InputReader().read(input), text -> text);
    }

    private static List<?> faults(Schema schema, JsonNode value) {
        return schema.validate(value.toString(), InputFormat.JSON);
    }

    private static Schema schema(JsonNode schema) {
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(schema.toString(), InputFormat.JSON);
    }

    private static JsonNode json(JsonNode tree) {
        return VendorJson.parse(tree.toString()).orElseThrow();
    }

    private static LlmRequest request(ToolDefinition tool) {
        return new LlmRequest(
                new LlmRequest.Origin("coder-001", "042", "CODING"),
                "",
                List.of(LlmMessage.user("go")),
                List.of(tool),
                100,
                OptionalDouble.empty());
    }

    /** The input of a call, as it is read of an answer of either vendor. */
    private static String called(Protocol.WrittenRequest question, JsonNode input) throws Exception {
        ObjectNode answer = VendorJson.object().put("status", "completed");
        answer.putArray("content")
                .addObject()
                .put("type", "tool_use")
                .put("id", "1")
                .put("name", "tool")
                .set("input", input);
        ObjectNode call = answer.putArray("output").addObject().put("type", "function_call");
        call.put("call_id", "1").put("name", "tool").set("arguments", input);
        return ((LlmContent.ToolUse) question.read(answer).content().get(0)).input();
    }

    /** The rules that OpenAI has for each schema. */
    private static void requireTaken(String as, JsonNode schema, boolean isStrict) {
        if (schema.path("type").toString().contains("\"array\"")) {
            assertThat(schema.has("items")).as(as).isTrue();
        }
        if (isStrict) {
            schema.fieldNames()
                    .forEachRemaining(name -> assertThat(STRICT).as(as).contains(name));
        }
        if (isStrict && schema.has("properties")) {
            assertThat(schema.path("additionalProperties").asBoolean(true))
                    .as(as)
                    .isFalse();
            assertThat(schema.path("required"))
                    .as(as)
                    .extracting(JsonNode::asText)
                    .containsExactlyElementsOf(schema.path("properties")::fieldNames);
        }
        for (String named : List.of("properties", "$defs", "anyOf", "oneOf")) {
            schema.path(named).forEach(part -> requireTaken(as, part, isStrict));
        }
        if (schema.has("items")) {
            requireTaken(as, schema.path("items"), isStrict);
        }
    }

    /**
     * A value as a model writes it in strict mode: with each property.
     *
     * @param all whether it has also those that are left out afterwards
     */
    private static JsonNode written(RandomValues values, Object schema, @Nullable Object value, boolean all) {
        Map<String, Object> chosen = values.chosen(schema, value);
        Object items = chosen.get("items");
        if (value instanceof List<?> list && items != null) {
            ArrayNode array = VendorJson.array();
            list.forEach(item -> array.add(written(values, items, item, all)));
            return array;
        }
        if (!(value instanceof Map<?, ?> object) || !(chosen.get("properties") instanceof Map<?, ?> properties)) {
            return VendorJson.tree(value);
        }
        ObjectNode written = VendorJson.object();
        properties.forEach((name, property) -> {
            boolean optional = !RandomValues.required(chosen).contains(name);
            if (object.containsKey(name)) {
                written.set((String) name, written(values, property, object.get(name), all));
            } else if (optional && (all || values.takesNull(property))) {
                written.putNull((String) name);
            }
        });
        object.forEach((name, one) -> {
            if (!properties.containsKey(name)) {
                written.set((String) name, VendorJson.tree(one));
            }
        });
        return written;
    }
}
