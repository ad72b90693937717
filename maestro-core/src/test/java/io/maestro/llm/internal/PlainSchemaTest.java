package io.maestro.llm.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.schema.internal.InputValidator;
import io.maestro.testing.RandomSchemas;
import io.maestro.testing.RandomValues;
import io.maestro.tools.InputSchema;
import io.maestro.tools.ToolDefinition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainSchemaTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<Map<String, Object>> TREE = new TypeReference<>() {};

    /** A vendor that sees one of these at the root refuses the request, whatever else is in it. */
    private static final Set<String> REFUSED = Set.of("anyOf", "oneOf", "allOf", "enum", "not");

    private final InputValidator validator = new InputValidator();

    private static InputSchema schema(String json) throws Exception {
        return InputSchema.ofMap(JSON.readValue(json.replace('\'', '"'), TREE));
    }

    private static LlmRequest request(InputSchema input) {
        ToolDefinition tool =
                ToolDefinition.builder("tool").description("d").input(input).build();
        return new LlmRequest(
                new LlmRequest.Origin("coder-001", "042", "CODING"),
                "",
                List.of(LlmMessage.user("go")),
                List.of(tool),
                100,
                OptionalDouble.empty());
    }

    /** As each vendor is told of it. */
    private static List<JsonNode> sent(InputSchema input) {
        return List.of(
                new MessagesProtocol(PromptCaching.OFF)
                        .question("model", request(input), false)
                        .body()
                        .at("/tools/0/input_schema"),
                new ResponsesProtocol(true, false)
                        .question("model", request(input), false)
                        .body()
                        .at("/tools/0/parameters"),
                new ResponsesProtocol(false, false)
                        .question("model", request(input), false)
                        .body()
                        .at("/tools/0/parameters"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'properties':{'a':{'type':'string'},'b':{'type':'string'}},'anyOf':[{'required':['a']},{'required':['b']}]",
                "'oneOf':[{'properties':{'a':{'type':'string'}},'required':['a'],'additionalProperties':false},"
                        + "{'properties':{'b':{'type':'integer'}},'required':['b'],'additionalProperties':false}]",
                "'oneOf':[{'type':'object','properties':{'a':{'const':'x'},'b':{}}},{'type':'null'},true,false]",
                "'allOf':[{'$ref':'#/$defs/a'},{'properties':{'b':{'type':'string'}}}],'$defs':{'a':{'type':'object',"
                        + "'properties':{'a':{'type':'integer'}},'anyOf':[{'required':['a']},{'maxProperties':1}]}}",
                "'$ref':'#/$defs/a','$defs':{'a':{'type':'object','properties':{'a':{'type':'integer'},'b':{}}}}",
                "'properties':{'a':{},'b':{}},'not':{'required':['a','b']}",
                "'properties':{'a':{},'b':{}},'enum':[{'a':1},{'b':2}]",
                "'properties':{'a':{},'b':{}},'const':{'a':1}",
                "'properties':{'a':{'$ref':'#/anyOf/0/properties/b'}},'anyOf':[{'properties':{'b':{'type':'string'}}}]",
                "'anyOf':[{'$anchor':'x','properties':{'a':{},'b':{'$ref':'#x'}}}]",
                "'allOf':[{'properties':{'a':{'$ref':'#'},'b':{}}}]",
                "'properties':{'a':{'$ref':'#/any%4Ff/0/properties/b'}},'anyOf':[{'properties':{'b':{'type':'string'}}}]",
                "'properties':{'a':{'$ref':'#/not'},'b':{}},'not':{'maxLength':3}",
                "'properties':{'a':{'$ref':'#/unevaluatedProperties'},'b':{}},'anyOf':[{}],"
                        + "'unevaluatedProperties':{'type':'string'}",
                "'properties':{'a':{'$ref':'#/additionalProperties/items'},'b':{},'ü':{}},'anyOf':[{}],"
                        + "'additionalProperties':{'type':'array','items':{'type':'string'}}",
            })
    void tellsEachVendorOfAPlainObject(String body) throws Exception {
        InputSchema input = schema("{'type':'object','description':'What it takes.'," + body + "}");
        validator.check(input);
        for (JsonNode sent : sent(input)) {
            assertThat(sent.path("type").asText()).isEqualTo("object");
            assertThat(sent.properties())
                    .as("%s", sent)
                    .noneMatch(keyword -> REFUSED.contains(keyword.getKey())
                            || keyword.getKey().equals("$ref"));
            assertThat(sent.path("description").asText())
                    .startsWith("What it takes.")
                    .contains("must also fit this JSON Schema: {\"");
            assertThat(sent.toString()).as("a model reads of them").contains("\"a", "\"b");
            assertThatCode(() -> validator.check(InputSchema.ofMap(JSON.convertValue(sent, TREE))))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void saysAsMuchAsAPlainObjectCan() throws Exception {
        assertThat(PlainSchema.of(schema("""
                {'type':'object','oneOf':[
                  {'properties':{'do':{'const':'make'},'name':{'type':'string'}},'required':['do','name'],
                   'additionalProperties':false},
                  {'properties':{'do':{'const':'drop'},'id':{'type':'integer'}},'required':['do','id'],
                   'additionalProperties':false}]}""")))
                .containsEntry(
                        "properties",
                        Map.of(
                                "do", Map.of("anyOf", List.of(Map.of("const", "make"), Map.of("const", "drop"))),
                                "name", Map.of("type", "string"),
                                "id", Map.of("type", "integer")))
                .containsEntry("required", List.of("do"))
                .containsEntry("additionalProperties", false);
    }

    @Test
    void tellsThatThereAreNoOtherProperties() throws Exception {
        for (JsonNode sent : sent(schema("""
                {'type':'object','anyOf':[{'properties':{'a':{'type':'string'}}}],'unevaluatedProperties':false}"""))) {
            assertThat(sent.path("description").asText()).contains("\"unevaluatedProperties\":false");
        }
    }

    /** However many parts there are, and however they stand in each other. */
    @Test
    void becomesNeitherDeepNorMuchLonger() throws Exception {
        List<Object> parts = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            parts.add(Map.of("properties", Map.of("x", Map.of("minLength", i))));
        }
        Map<String, Object> nested = Map.of("properties", Map.of("x", Map.of("const", "q")));
        for (int i = 0; i < 15; i++) {
            Map<String, Object> other = Map.of("properties", Map.of("x", Map.of("const", i)));
            nested = Map.of("anyOf", List.of(Map.of(), other, nested), "type", "object");
        }
        Map<String, Object> some = new LinkedHashMap<>();
        Map<String, Object> others = new LinkedHashMap<>();
        for (int i = 0; i < 300; i++) {
            some.put("p" + i, Map.of("type", "string"));
            others.put("p" + i, Map.of("minLength", i));
        }
        Map<String, Object> round = Map.of(
                "type",
                "object",
                "allOf",
                List.of(Map.of("$ref", "#/$defs/a")),
                "$defs",
                Map.of("a", inEachOther(some, "#/$defs/b"), "b", inEachOther(others, "#/$defs/a")));
        for (Map<String, Object> schema : List.of(Map.of("type", "object", "allOf", parts), nested, round)) {
            InputSchema input = InputSchema.ofMap(schema);
            validator.check(input);
            for (JsonNode sent : sent(input)) {
                assertThat(sent.toString().length())
                        .isLessThan(4 * JSON.writeValueAsString(schema).length());
            }
        }
    }

    private static Map<String, Object> inEachOther(Map<String, Object> properties, String other) {
        return Map.of("properties", properties, "allOf", List.of(Map.of("$ref", other), Map.of("$ref", other)));
    }

    @Test
    void leavesAPlainOneAsItIs() throws Exception {
        InputSchema plain =
                schema("{'type':'object','properties':{'a':{'anyOf':[{'type':'string'}]}},'if':{},'then':{}}");
        assertThat(PlainSchema.withPlainNames(plain)).isSameAs(plain.asMap());
    }

    @Test
    void tellsAnthropicOfOtherNamesInTheDescription() throws Exception {
        InputSchema input = schema("""
                {'type':'object','additionalProperties':false,'required':['filter[id]'],
                 'properties':{'filter[id]':{'type':'string'},'a':{'type':'string'},'größe':{'type':'integer'}}}""");
        JsonNode sent = sent(input).get(0);
        assertThat(sent.path("properties").properties()).hasSize(1);
        assertThat(sent.has("additionalProperties")).isFalse();
        assertThat(sent.path("description").asText())
                .contains("\"filter[id]\":{\"type\":\"string\"}", "größe", "\"additionalProperties\":false");
        assertThat(sent(input).get(1).path("properties").properties()).hasSize(3);
    }

    @Test
    void saysInNewWordsWhatOlderDraftsSay() throws Exception {
        InputSchema input = schema("""
                {'$schema':'http://json-schema.org/draft-04/schema#','type':'object','properties':{
                  'a':{'minimum':1,'exclusiveMinimum':true},'b':{'maximum':1,'exclusiveMaximum':false},
                  'items':{'items':[{'type':'string'}],'additionalItems':false},
                  'c':{'enum':[{'items':[1]}]}}}""");
        validator.check(input);
        InputSchema plain = InputSchema.ofMap(PlainSchema.withPlainNames(input));
        validator.check(plain);
        assertThat(plain.asMap()).isEqualTo(schema("""
                {'type':'object','properties':{
                  'a':{'exclusiveMinimum':1},'b':{'maximum':1},
                  'items':{'prefixItems':[{'type':'string'}],'items':false},
                  'c':{'enum':[{'items':[1]}]}}}""").asMap());
    }

    /** What an older draft does not know, or does not look at beside a reference, is no rule of the newest one either. */
    @Test
    void enforcesNothingThatTheDraftDoesNot() throws Exception {
        String later = "'dependentRequired':{'x':['y']},'dependentSchemas':{'x':false},'unevaluatedProperties':false,"
                + "'contains':false,'const':1,'propertyNames':{'const':'y'},'if':true,'then':false,'prefixItems':[false]";
        String beside =
                "'$ref':'#/definitions/a','maxLength':1,'properties':{'x':{'not':{}}},'required':['z'],'type':'array',"
                        + "'additionalProperties':false";
        for (String draft : List.of("draft-04/schema#", "draft-06/schema#", "draft-07/schema#")) {
            for (String keywords : List.of(
                    "'properties':{'x':{" + later + "}}",
                    "'properties':{'x':{" + beside + "}}",
                    "'anyOf':[{" + beside + "}]",
                    "'properties':{'x':{'items':[],'dependencies':{'items':['x']}}}",
                    beside.replace("'type':'array',", ""))) {
                InputSchema own = schema("{'$schema':'http://json-schema.org/" + draft + "','type':'object'," + keywords
                        + ",'definitions':{'a':{'minLength':2}}}");
                InputSchema plain = InputSchema.ofMap(PlainSchema.withPlainNames(own));
                validator.check(own);
                for (Object x : List.of("text", List.of(1), Map.of("x", 1))) {
                    Map<String, Object> value = Map.of("x", x);
                    assertThat(fits(plain, value) || !fits(own, value))
                            .as("%s as %s of %s", value, plain, own)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void refersToNothingThatIsNotThere() throws Exception {
        InputSchema lost = schema("""
                {'type':'object','properties':{'x':{'type':'string'}},'$defs':{'a':{'$ref':'#/definitions/b'}}}""");
        for (JsonNode sent : sent(lost)) {
            assertThat(sent.findValues("$ref")).isEmpty();
        }
        InputSchema own = schema("""
                {'$schema':'http://json-schema.org/draft-07/schema#','type':'object','$ref':'#/definitions/a',
                 'allOf':[{'type':'string'}],
                 'definitions':{'a':{'type':'object','properties':{'b':{'$ref':'#/allOf/0'}}}}}""");
        for (JsonNode sent : sent(own)) {
            assertThat(sent.findValues("$ref")).isEmpty();
            assertThat(sent.path("description").asText()).contains("#/allOf/0");
        }
    }

    @Test
    void leavesNamesInDependenciesAsTheyAre() throws Exception {
        InputSchema own = schema("""
                {'$schema':'https://json-schema.org/draft/2019-09/schema','type':'object',
                 'dependentRequired':{'items':['x'],'exclusiveMinimum':['x']}}""");
        assertThat(PlainSchema.of(own))
                .containsEntry("dependentRequired", own.asMap().get("dependentRequired"));
    }

    /** Nobody checks the rules of older drafts. */
    @Test
    void readsATypeThatIsNull() throws Exception {
        InputSchema input = schema("""
                {'$schema':'http://json-schema.org/draft-07/schema#','type':'object',
                 'anyOf':[{'type':null,'properties':{'a':{'type':'string'}}},false]}""");
        validator.check(input);
        assertThat(PlainSchema.of(input)).containsEntry("properties", Map.of("a", Map.of("type", "string")));
    }

    /** Random alternatives: what fits the tool's own schema fits the plain one. */
    @Test
    void takesWhateverTheToolTakes() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int fitting = 0;
        for (int i = 0; i < 300; i++) {
            Map<String, Object> one = new RandomSchemas(random).schema();
            Map<String, Object> other = new RandomSchemas(random).schema();
            Map<String, Object> root = combined(random, one, other);
            InputSchema own = InputSchema.ofMap(root);
            InputSchema plain = InputSchema.ofMap(PlainSchema.of(own));
            InputSchema named = InputSchema.ofMap(PlainSchema.withPlainNames(own));
            String as = "seed " + seed + ", " + JSON.writeValueAsString(root) + " became "
                    + JSON.writeValueAsString(plain.asMap());
            assertThatCode(() -> validator.check(plain)).as(as).doesNotThrowAnyException();
            assertThat(plain.asMap()).as(as).doesNotContainKeys(REFUSED.toArray(String[]::new));
            for (Map<String, Object> value : values(random, one, other)) {
                if (fits(own, value)) {
                    fitting++;
                    assertThat(fits(plain, value)).as("%s, %s", as, value).isTrue();
                    assertThat(fits(named, value)).as("%s, %s", as, value).isTrue();
                }
            }
        }
        assertThat(fitting).as("seed %s", seed).isGreaterThan(200);
    }

    private boolean fits(InputSchema schema, Map<String, Object> value) throws Exception {
        return validator
                .faults(schema, JSON.writeValueAsString(value), value, text -> text)
                .isEmpty();
    }

    private static Map<String, Object> combined(Random random, Map<String, Object> one, Map<String, Object> other) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("type", "object");
        Map<String, Object> definitions = JSON.convertValue(one.remove("$defs"), TREE);
        other.remove("$defs");
        definitions.put("other", other);
        root.put("$defs", definitions);
        Object second = random.nextBoolean() ? other : Map.of("$ref", "#/$defs/other");
        List<Object> parts = new ArrayList<>(List.of(one, second));
        if (random.nextInt(4) == 0) {
            parts.add(random.nextBoolean() ? Map.of("type", "string") : Map.of("oneOf", List.of(other, one)));
        }
        root.put(List.of("anyOf", "oneOf", "allOf").get(random.nextInt(3)), parts);
        if (random.nextInt(3) == 0) {
            root.put("properties", one.get("properties"));
            root.put("additionalProperties", random.nextBoolean());
        }
        if (random.nextInt(4) == 0) {
            root.put("not", Map.of("required", List.of("limit", "path")));
        }
        return root;
    }

    private static List<Map<String, Object>> values(Random random, Map<String, Object> one, Map<String, Object> other) {
        List<Map<String, Object>> values = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            for (Map<String, Object> schema : List.of(one, other)) {
                values.add(new LinkedHashMap<>(new RandomValues(random, withDefinitions(schema)).fitting()));
            }
            Map<String, Object> both = new LinkedHashMap<>(values.get(values.size() - 1));
            both.putAll(values.get(values.size() - 2));
            values.add(both);
        }
        values.add(Map.of());
        return values;
    }

    private static Map<String, Object> withDefinitions(Map<String, Object> schema) {
        Map<String, Object> root = new LinkedHashMap<>(schema);
        root.put("$defs", new RandomSchemas(new Random(1)).schema().get("$defs"));
        return root;
    }
}
