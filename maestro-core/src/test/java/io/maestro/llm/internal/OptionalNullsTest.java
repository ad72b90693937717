package io.maestro.llm.internal;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionalNullsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SCHEMA = """
            {"type":"object","required":["must","mayBeNull"],
             "properties":{
               "must":{"type":"string"},
               "mayBeNull":{"type":["string","null"]},
               "free":{"type":"integer"},
               "freeAndNull":{"anyOf":[{"type":"integer"},{"type":"null"}]},
               "nullChoice":{"enum":["a",null]},
               "inner":{"type":"object","properties":{"x":{"type":"string"},"node":{"$ref":"#/$defs/node"}}},
               "list":{"type":"array","items":{"$ref":"#/$defs/node"}},
               "either":{"anyOf":[
                  {"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"string"}},"required":["kind"]},
                  {"type":"object","properties":{"kind":{"const":"b"},"x":{"type":["string","null"]}}},
                  {"type":"object","properties":{"y":{"type":"string"}}},
                  {"type":"object","properties":{"mark":{"const":7},"z":{"type":"integer"}},"required":["z"]},
                  {"type":"array","items":{"$ref":"#/$defs/node"}}]}},
             "$defs":{"node":{"type":"object","properties":{
                "value":{"type":"string"},"next":{"$ref":"#/$defs/node"}}}}}""";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "{\"must\":\"x\",\"free\":null} | {\"must\":\"x\"}",
                "{\"must\":null,\"mayBeNull\":null,\"free\":null} | {\"must\":null,\"mayBeNull\":null}",
                "{\"freeAndNull\":null,\"nullChoice\":null,\"free\":null} | {\"freeAndNull\":null,\"nullChoice\":null}",
                "{\"undeclared\":null,\"free\":null} | {\"undeclared\":null}",
                "{\"inner\":null,\"list\":null} | {}",
                "{\"inner\":{\"x\":null,\"node\":{\"value\":null,\"next\":{\"value\":\"v\",\"next\":null}}}}"
                        + " | {\"inner\":{\"node\":{\"next\":{\"value\":\"v\"}}}}",
                "{\"list\":[{\"value\":null,\"next\":null},null]} | {\"list\":[{},null]}",
                "{\"either\":{\"kind\":\"a\",\"x\":null}} | {\"either\":{\"kind\":\"a\"}}",
                "{\"free\":null,\"either\":{\"kind\":\"b\",\"x\":null}} | {\"either\":{\"kind\":\"b\",\"x\":null}}",
                "{\"either\":{\"y\":null}} | {\"either\":{}}",
                "{\"either\":{\"mark\":null,\"z\":1}} | {\"either\":{\"z\":1}}",
                "{\"either\":[{\"value\":null,\"next\":null}]} | {\"either\":[{}]}"
            })
    void removesTheNullsThatStandForNothing(String written, String read) throws Exception {
        assertThat(OptionalNulls.removedFrom(written, JSON.readTree(SCHEMA))).isEqualTo(read);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "not JSON", "null", "[null]", "{ \"must\" : 1.10, \"mayBeNull\":null }", "{\"free\":", "{}"})
    void leavesTheRestAsItWasWritten(String written) throws Exception {
        assertThat(OptionalNulls.removedFrom(written, JSON.readTree(SCHEMA))).isEqualTo(written);
    }

    /**
     * Whatever the schema and whatever fits it: written as strict mode wants it, it fits the strict schema; read again, it is
     * the same and fits the tool's own.
     */
    @Test
    void givesBackWhatWasMeantByRandomArguments() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            ObjectNode schema = object(random, 3);
            JsonNode meant = value(random, schema);
            JsonNode written = withNulls(meant, schema);
            String as = "seed " + seed + ", " + schema + ", " + meant;

            ObjectNode strict = StrictSchema.of(schema).orElseThrow(() -> new AssertionError(as));
            String read = OptionalNulls.removedFrom(written.toString(), schema);

            assertThat(faults(schema, meant)).as(as).isEmpty();
            assertThat(faults(strict, written)).as("%s, %s", as, strict).isEmpty();
            assertThat(JSON.readTree(read)).as(as).isEqualTo(meant);
        }
    }

    private static List<?> faults(JsonNode schema, JsonNode value) {
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(schema.toString(), InputFormat.JSON)
                .validate(value.toString(), InputFormat.JSON);
    }

    private static ObjectNode object(Random random, int levels) {
        ObjectNode schema = JSON.createObjectNode().put("type", "object").put("additionalProperties", false);
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = schema.putArray("required");
        for (int i = random.nextInt(4); i >= 0; i--) {
            properties.set("p" + i, schema(random, levels - 1));
            if (random.nextBoolean()) {
                required.add("p" + i);
            }
        }
        return schema;
    }

    private static ObjectNode schema(Random random, int levels) {
        ObjectNode schema = JSON.createObjectNode();
        switch (random.nextInt(levels > 0 ? 6 : 4)) {
            case 0 -> schema.put("type", "string").put("minLength", 1);
            case 1 -> schema.put("type", "integer").put("minimum", 0);
            case 2 -> schema.put("type", "string").putArray("enum").add("a").add("b");
            case 3 -> schema.putArray("type").add("boolean").add("null");
            case 4 -> schema.put("type", "array").set("items", schema(random, levels - 1));
            default -> schema.setAll(object(random, levels));
        }
        return schema;
    }

    private static JsonNode value(Random random, JsonNode schema) {
        return switch (schema.path("type").asText()) {
            case "string" -> JSON.getNodeFactory().textNode(random.nextBoolean() ? "a" : "b");
            case "integer" -> JSON.getNodeFactory().numberNode(random.nextInt(9));
            case "array" -> {
                ArrayNode array = JSON.createArrayNode();
                for (int i = random.nextInt(3); i > 0; i--) {
                    array.add(value(random, schema.path("items")));
                }
                yield array;
            }
            case "object" -> {
                ObjectNode object = JSON.createObjectNode();
                schema.path("properties").properties().forEach(property -> {
                    // Left out and null cannot be told apart where both are allowed: null it is.
                    boolean given = property.getValue().path("type").isArray() || random.nextBoolean();
                    if (given || isRequired(schema, property.getKey())) {
                        object.set(property.getKey(), value(random, property.getValue()));
                    }
                });
                yield object;
            }
            default ->
                random.nextBoolean()
                        ? JSON.getNodeFactory().nullNode()
                        : JSON.getNodeFactory().booleanNode(true);
        };
    }

    /** A null for each property that was left out, unless null would mean something else. */
    private static JsonNode withNulls(JsonNode value, JsonNode schema) {
        if (value.isArray()) {
            ArrayNode array = JSON.createArrayNode();
            value.forEach(item -> array.add(withNulls(item, schema.path("items"))));
            return array;
        }
        if (!value.isObject()) {
            return value;
        }
        ObjectNode object = JSON.createObjectNode();
        schema.path("properties").properties().forEach(property -> {
            JsonNode given = value.path(property.getKey());
            if (!given.isMissingNode()) {
                object.set(property.getKey(), withNulls(given, property.getValue()));
            } else {
                object.putNull(property.getKey());
            }
        });
        return object;
    }

    private static boolean isRequired(JsonNode schema, String name) {
        for (JsonNode required : schema.path("required")) {
            if (required.asText().equals(name)) {
                return true;
            }
        }
        return false;
    }
}
