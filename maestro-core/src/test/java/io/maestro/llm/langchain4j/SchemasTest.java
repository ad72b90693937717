package io.maestro.llm.langchain4j;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.langchain4j.internal.JsonSchemaElementUtils;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import io.maestro.tools.InputSchema;
import io.maestro.tools.Property;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares what LangChain4j makes of it again, which is what goes to a vendor. */
class SchemasTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static Map<String, Object> parsed(String json) {
        try {
            return JSON.readValue(json, new TypeReference<Map<String, Object>>() {});
        } catch (JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }

    private static Map<String, Object> sent(JsonObjectSchema schema) {
        return parsed(JSON.valueToTree(JsonSchemaElementUtils.toMap(schema)).toString());
    }

    /** In single quotes, for legibility. */
    private static Map<String, Object> sentProperty(String property) {
        Map<String, Object> schema =
                parsed(("{'type':'object','properties':{'p':" + property + "}}").replace('\'', '"'));
        Map<String, Object> properties =
                JSON.convertValue(sent(Schemas.parameters(schema)).get("properties"), new TypeReference<>() {});
        return JSON.convertValue(properties.get("p"), new TypeReference<>() {});
    }

    /** LangChain4j has all definitions in one place, whatever they are called. */
    @Test
    void leadsEachReferenceToItsDefinition() {
        Map<String, Object> sent = sent(Schemas.parameters(parsed("""
                {'type':'object','properties':{
                  'map':{'type':'object','additionalProperties':{'$ref':'#/definitions/a'}},
                  'deep':{'$ref':'#/definitions/b/properties/y'},
                  'old':{'$ref':'#/definitions/a'},'new':{'$ref':'#/$defs/a'}},
                 '$defs':{'a':{'type':'string'}},
                 'definitions':{'a':{'type':'integer'},
                   'b':{'type':'object','properties':{'y':{'type':'boolean'}}}}}""".replace('\'', '"'))));
        JsonNode root = JSON.valueToTree(sent);
        Map<String, String> types = Map.of(
                "/properties/map/additionalProperties", "integer",
                "/properties/deep", "boolean",
                "/properties/old", "integer",
                "/properties/new", "string");
        types.forEach((at, type) -> {
            String reference = root.at(at).path("$ref").asText();
            assertThat(root.at(reference.substring(1)).path("type").asText())
                    .as("%s: %s in %s", at, reference, root)
                    .isEqualTo(type);
        });
    }

    @Test
    void doesNotRefuseWhatPatternsTake() {
        Map<String, Object> sent = sent(Schemas.parameters(parsed("""
                {'type':'object','properties':{'a':{'type':'string'}},
                 'patternProperties':{'^x-':{'type':'string'}},'additionalProperties':false}""".replace('\'', '"'))));
        assertThat(sent).doesNotContainEntry("additionalProperties", false);
        assertThat(String.valueOf(sent.get("description"))).contains("^x-", "additionalProperties: false");
    }

    @Test
    void keepsObjectsArraysEnumsDescriptionsAndWhatIsRequiredAtAnyDepth() {
        String schema = """
                {"type":"object","description":"All","required":["edits"],"additionalProperties":false,"properties":{
                  "edits":{"type":"array","description":"What to change","items":{
                    "type":"object","required":["path","kind"],"additionalProperties":true,"properties":{
                      "path":{"type":"string","description":"Relative"},
                      "kind":{"type":"string","enum":["add","remove"],"description":"How"},
                      "lines":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},
                      "weight":{"type":"number"},
                      "deep":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"]}}}}}}
                """;
        Map<String, Object> expected = parsed(schema);

        Map<String, Object> actual = sent(Schemas.parameters(parsed(schema)));

        assertThat(normalized(actual)).isEqualTo(normalized(expected));
    }

    /** LangChain4j writes "required" where nothing is, and leaves out what is said of other properties. */
    private static Object normalized(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> copy = new LinkedHashMap<>();
            map.forEach((key, part) -> {
                if (!key.equals("additionalProperties") && !part.equals(List.of())) {
                    copy.put(key, normalized(part));
                }
            });
            return copy;
        }
        return value instanceof List<?> list
                ? list.stream().map(SchemasTest::normalized).toList()
                : value;
    }

    @Test
    void takesWhatAToolDeclares() {
        InputSchema input = InputSchema.of(schema -> schema.requiredString("key", "Ticket key")
                .optional("count", Property.integer("How many").between(1, 9)));

        Map<String, Object> actual = sent(Schemas.parameters(input.asMap()));

        assertThat(actual.get("required")).isEqualTo(List.of("key"));
        assertThat(Schemas.parameters(input.asMap()).additionalProperties()).isFalse();
        assertThat(actual.get("properties")).isEqualTo(parsed("""
                        {"key":{"type":"string","description":"Ticket key (minLength: 1)"},
                         "count":{"type":"integer","description":"How many (minimum: 1, maximum: 9)"}}
                        """));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'type':'array','items':{'type':'string'},'minItems':1,'maxItems':3} | (minItems: 1, maxItems: 3)",
                "{'type':'string','description':'A day','pattern':'[0-9]+','format':'date'} | A day (pattern: \"[0-9]+\", format: \"date\")",
                "{'type':'boolean','description':'Whether','default':false} | Whether (default: false)",
                "{'type':'number','exclusiveMinimum':0.5} | (exclusiveMinimum: 0.5)",
            })
    void saysInTheDescriptionWhatThereIsNoKeywordFor(String property, String description) {
        assertThat(sentProperty(property)).containsEntry("description", description);
    }

    @Test
    void knowsAlternativesNullsAndConstants() {
        assertThat(sentProperty("{'description':'Either','anyOf':[{'type':'string'},{'type':'integer'}]}"))
                .isEqualTo(parsed(
                        "{\"description\":\"Either\",\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}"));
        assertThat(sentProperty("{'type':['string','null'],'description':'Maybe','maxLength':9}"))
                .isEqualTo(parsed("{\"description\":\"Maybe (maxLength: 9)\","
                        + "\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}"));
        assertThat(sentProperty("{'const':'x'}")).containsEntry("enum", List.of("x"));
        assertThat(sentProperty("{'oneOf':[{'type':'string'}]}")).containsKey("anyOf");
    }

    @Test
    void keepsReferencesToDefinitions() {
        Map<String, Object> actual = sent(Schemas.parameters(parsed("""
                {"type":"object","properties":{"tree":{"$ref":"#/$defs/node"}},"$defs":{
                  "node":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}}
                """)));

        assertThat(actual.toString())
                .contains("$defs={node=")
                .contains("tree={$ref=#/$defs/node}")
                .contains("items={$ref=#/$defs/node}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'type':'integer','enum':[1,2]}",
                "{'enum':['a',null]}",
                "{'allOf':[{'type':'string'},{'maxLength':3}]}",
                "{'type':'object','additionalProperties':{'type':'string'}}",
                "{'type':'object','patternProperties':{'^x':{'type':'string'}}}",
                "{'type':'array'}",
                "{'type':'array','prefixItems':[{'type':'string'}]}",
                "{'not':{'type':'string'}}",
                "{'$ref':'#/properties/other'}",
                "{'$ref':'#/$defs/a','minLength':1,'type':'string','if':{}}",
            })
    void whatItCannotExpressStaysAsItIs(String property) {
        assertThat(sentProperty(property)).isEqualTo(parsed(property.replace('\'', '"')));
    }

    @Test
    void anythingStaysAnything() {
        assertThat(sentProperty("{}")).isEmpty();
        assertThat(sentProperty("true")).isEmpty();
        assertThat(sentProperty("{'description':'Whatever'}")).isEqualTo(Map.of("description", "Whatever"));
    }

    @Test
    void losesNothingAtTheTop() {
        JsonObjectSchema schema = Schemas.parameters(parsed("""
                {"type":"object","description":"One of two","properties":{"a":{"type":"string"},"b":{"type":"string"}},
                 "oneOf":[{"required":["a"]},{"required":["b"]}],"additionalProperties":{"type":"string"}}
                """));

        assertThat(schema.description())
                .startsWith("One of two (")
                .contains("oneOf: [{\"required\":[\"a\"]},{\"required\":[\"b\"]}]")
                .contains("additionalProperties: {\"type\":\"string\"}");
    }
}
