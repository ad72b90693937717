package io.maestro.llm.internal;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.tools.InputSchema;
import io.maestro.tools.Property;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class StrictSchemaTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The schema of one property, required or not, and what becomes of it. */
    static Stream<Arguments> properties() {
        return Stream.of(
                required("{'type':'string'}", "{'type':'string'}"),
                optional("{'type':'string'}", "{'type':['string','null']}"),
                optional("{'type':['string','integer']}", "{'type':['string','integer','null']}"),
                optional("{'type':['string','null']}", "{'type':['string','null']}"),
                optional("{'type':'boolean','description':'d'}", "{'type':['boolean','null'],'description':'d'}"),
                // Kept, told, dropped.
                required(
                        "{'type':'integer','minimum':1,'maximum':9,'exclusiveMinimum':0,'multipleOf':2}",
                        "{'type':'integer','minimum':1,'maximum':9,'exclusiveMinimum':0,'multipleOf':2}"),
                required(
                        "{'type':'string','description':'d','minLength':1,'default':'x'}",
                        "{'type':'string','description':'d (minLength: 1, default: x)'}"),
                required("{'type':'string','maxLength':3}", "{'type':'string','description':'(maxLength: 3)'}"),
                required(
                        "{'type':'string','title':'T','$comment':'c','deprecated':true,'x-order':1}",
                        "{'type':'string'}"),
                required("{'type':'string','format':'date'}", "{'type':'string','format':'date'}"),
                required("{'type':'string','format':'uri'}", "{'type':'string','description':'(format: uri)'}"),
                required("{'type':'string','pattern':'^[a-z(]+$'}", "{'type':'string','pattern':'^[a-z(]+$'}"),
                required("{'type':'string','pattern':'(?=x)y'}", "{'type':'string','description':'(pattern: (?=x)y)'}"),
                required(
                        "{'type':'string','pattern':'(a)\\\\1'}",
                        "{'type':'string','description':'(pattern: (a)\\\\1)'}"),
                // Choices.
                required("{'type':'string','enum':['a','b']}", "{'type':'string','enum':['a','b']}"),
                required("{'enum':['a','b']}", "{'enum':['a','b'],'type':'string'}"),
                required("{'const':7}", "{'enum':[7],'type':'integer'}"),
                optional(
                        "{'type':'string','enum':['a','b'],'description':'d'}",
                        "{'anyOf':[{'type':'string','enum':['a','b']},{'type':'null'}],'description':'d'}"),
                // Arrays.
                required(
                        "{'type':'array','minItems':1,'uniqueItems':true,'items':{'type':'string'}}",
                        "{'type':'array','minItems':1,'items':{'type':'string'},'description':'(uniqueItems: true)'}"),
                optional(
                        "{'type':'array','items':{'type':'string'}}",
                        "{'anyOf':[{'type':'array','items':{'type':'string'}},{'type':'null'}]}"),
                // Objects.
                required(
                        "{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'number'}},'required':['b']}",
                        "{'type':'object','properties':{'a':{'type':['string','null']},'b':{'type':'number'}},"
                                + "'required':['a','b'],'additionalProperties':false}"),
                optional(
                        "{'type':'object','properties':{'a':{'type':'string'}},'required':['a'],'description':'d'}",
                        "{'anyOf':[{'type':'object','properties':{'a':{'type':'string'}},'required':['a'],"
                                + "'additionalProperties':false},{'type':'null'}],'description':'d'}"),
                required(
                        "{'type':'object','properties':{},'additionalProperties':false}",
                        "{'type':'object','properties':{},'required':[],'additionalProperties':false}"),
                // Alternatives.
                required(
                        "{'oneOf':[{'type':'string'},{'type':'integer','minimum':1}],'description':'d'}",
                        "{'anyOf':[{'type':'string'},{'type':'integer','minimum':1}],'description':'d'}"),
                optional(
                        "{'anyOf':[{'type':'string'},{'type':'integer'}]}",
                        "{'anyOf':[{'type':'string'},{'type':'integer'},{'type':'null'}]}"),
                optional(
                        "{'anyOf':[{'type':'string'},{'type':'null'}]}",
                        "{'anyOf':[{'type':'string'},{'type':'null'}]}"),
                // References.
                required("{'$ref':'#/$defs/name'}", "{'$ref':'#/$defs/name'}"),
                optional("{'$ref':'#/$defs/name'}", "{'anyOf':[{'$ref':'#/$defs/name'},{'type':'null'}]}"),
                required("{'allOf':[{'$ref':'#/$defs/name'}]}", "{'$ref':'#/$defs/name'}"),
                required(
                        "{'allOf':[{'$ref':'#/$defs/name'}],'description':'d','default':'x'}",
                        "{'type':'string','description':'d (default: x)'}"),
                required("{'$ref':'#/$defs/name','title':'T'}", "{'$ref':'#/$defs/name'}"),
                required("{'$ref':'#/$defs/name','description':'d'}", "{'type':'string','description':'d'}"),
                required("{'$ref':'#'}", "{'$ref':'#'}"));
    }

    @ParameterizedTest
    @MethodSource("properties")
    void convertsEachKindOfProperty(boolean required, String schema, String strict) throws Exception {
        ObjectNode root = json("{'type':'object','properties':{},'required':[],'$defs':{'name':{'type':'string'}}}");
        ((ObjectNode) root.path("properties")).set("p", json(schema));
        if (required) {
            root.withArray("required").add("p");
        }
        JsonNode before = root.deepCopy();

        ObjectNode converted = StrictSchema.of(root).orElseThrow();

        assertThat(converted.at("/properties/p")).isEqualTo(json(strict));
        assertThat(converted.path("required")).isEqualTo(json("{'r':['p']}").path("r"));
        assertThat(converted.path("additionalProperties").asBoolean(true)).isFalse();
        assertThat(converted.at("/$defs/name")).isEqualTo(json("{'type':'string'}"));
        assertThat(root).isEqualTo(before);
    }

    /** What says more than strict mode can. */
    static Stream<String> notStrict() {
        return Stream.of(
                "{}",
                "{'description':'anything'}",
                "{'type':'object'}",
                "{'type':'object','properties':{}}",
                "{'type':'object','additionalProperties':{'type':'string'}}",
                "{'type':'object','properties':{'a':{'type':'string'}},'additionalProperties':true}",
                "{'type':'object','properties':{'a':{'type':'string'}},'required':['b']}",
                "{'type':'object','properties':{'a':{'type':'string'}},'patternProperties':{'x':{'type':'string'}}}",
                "{'type':'object','properties':{'a':{'type':'string'}},'dependentRequired':{'a':['b']}}",
                "{'type':'object','properties':{'a':{'type':'string'}},'anyOf':[{'required':['a']}]}",
                "{'type':'array'}",
                "{'type':'array','items':{}}",
                "{'type':'array','items':{'type':'string'},'prefixItems':[{'type':'string'}]}",
                "{'type':'array','items':{'type':'string'},'contains':{'const':'x'}}",
                "{'enum':['a',1]}",
                "{'not':{'type':'string'}}",
                "{'type':'string','if':{'const':'x'},'then':{'const':'x'}}",
                "{'allOf':[{'type':'string'},{'minLength':1}]}",
                "{'$ref':'other.json'}",
                "{'$ref':'#/nowhere'}",
                // Into what the strict form says in another way.
                "{'$ref':'#/properties/p'}",
                "{'$ref':'#/$defs/pair/items'}",
                "{'$ref':'#/$defs/pair/items/oneOf/0'}",
                "{'$ref':'#/$defs/pair/default'}",
                "{'anyOf':[{'type':'string'},{'type':'integer'}],'properties':{'a':{'type':'string'}}}",
                "{'anyOf':[{'type':'string'}],'required':['a']}",
                "{'$ref':'#/$defs/name','minLength':3}",
                "{'$ref':'#/$defs/name','allOf':[{'type':'string'}]}",
                "{'allOf':[true]}",
                "{'type':'string','unheardOf':1}");
    }

    @ParameterizedTest
    @MethodSource("notStrict")
    void leavesAloneWhatCannotBeStrict(String schema) throws Exception {
        ObjectNode root = json("{'type':'object','properties':{},'$defs':{'name':{'type':'string'},'pair':"
                + "{'type':'array','items':{'oneOf':[{'type':'string'}]},'default':{'type':'string'}}}}");
        ((ObjectNode) root.path("properties")).set("p", json(schema));

        assertThat(StrictSchema.of(root)).isEmpty();
    }

    @Test
    void leavesARootAloneThatTakesAnythingOrIsNoObject() throws Exception {
        for (String root : List.of("{'type':'object'}", "{'type':'object','properties':{}}", "{'type':'string'}")) {
            assertThat(StrictSchema.of(json(root))).as(root).isEmpty();
        }
        assertThat(StrictSchema.of(tree(InputSchema.empty().asMap()))).isPresent();
    }

    @Test
    void leavesAloneWhatIsTooLarge() throws Exception {
        StringBuilder deep = new StringBuilder("{'type':'string'}");
        for (int i = 0; i < 10; i++) {
            deep.insert(0, "{'type':'object','additionalProperties':false,'required':['a'],'properties':{'a':")
                    .append("}}");
        }
        assertThat(StrictSchema.of(json(deep.toString()))).isEmpty();
        String values = IntStream.range(0, 1001).mapToObj(i -> "'v" + i + "'").collect(Collectors.joining(","));
        assertThat(StrictSchema.of(json("{'type':'object','properties':{'a':{'enum':[" + values + "]}}}")))
                .isEmpty();
        String names = IntStream.range(0, 5001)
                .mapToObj(i -> "'p" + i + "':{'type':'string'}")
                .collect(Collectors.joining(","));
        assertThat(StrictSchema.of(json("{'type':'object','properties':{" + names + "}}")))
                .isEmpty();
        for (int many : List.of(250, 251)) {
            String some = IntStream.range(100, 100 + many)
                    .mapToObj(i -> "'" + "x".repeat(60) + i + "'")
                    .collect(Collectors.joining(","));
            assertThat(StrictSchema.of(json("{'type':'object','properties':{'a':{'enum':[" + some + "]}}}"))
                            .isPresent())
                    .isEqualTo(many == 250);
        }
        assertThat(StrictSchema.of(
                        json("{'type':'object','properties':{'a':{'enum':['" + "x".repeat(120_000) + "']}}}")))
                .isEmpty();
    }

    @Test
    void keepsASchemaThatRefersToItself() throws Exception {
        ObjectNode root = json("{'type':'object','required':['next'],'properties':{"
                + "'value':{'type':'string'},'next':{'$ref':'#','description':'the next one'}}}");

        ObjectNode strict = StrictSchema.of(root).orElseThrow();

        assertThat(strict.at("/properties/next/description").asText()).isEqualTo("the next one");
        assertThat(strict.at("/properties/next/properties/next")).isEqualTo(json("{'$ref':'#'}"));
    }

    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void looksOnceAtAlternativesThatReferToThemselves() throws Exception {
        ObjectNode root = json("{'type':'object','properties':{'x':{'anyOf':[{'$ref':'#'},{'$ref':'#'}]},"
                + "'y':{'$ref':'#/$defs/a'}},'$defs':{'a':{'anyOf':[{'type':'string'},{'$ref':'#/$defs/a'},"
                + "{'$ref':'#/$defs/b'}]},'b':{'anyOf':[{'$ref':'#/$defs/a'},{'$ref':'#/$defs/b'}]}}}");
        assertThat(StrictSchema.of(root)).isPresent();
        assertThat(OptionalNulls.removedFrom("{'x':{'x':null,'y':null},'y':null}".replace('\'', '"'), root))
                .isEqualTo("{\"x\":{}}");
        for (String value : List.of("{}", "[]", "1", "{\"y\":{}}")) {
            String written = "{\"y\":" + value + "}";
            assertThat(OptionalNulls.removedFrom(written, root)).isEqualTo(written);
        }
    }

    @Test
    void takesALongPattern() throws Exception {
        String pattern = "(a\\\\.[b])".repeat(10_000);
        ObjectNode root = json("{'type':'object','properties':{'p':{'type':'string','pattern':'" + pattern + "'}}}");
        assertThat(StrictSchema.of(root).orElseThrow().at("/properties/p/pattern"))
                .isEqualTo(root.at("/properties/p/pattern"));
    }

    /** The schema that the Responses API refused elsewhere: "array schema missing items". */
    @Test
    void convertsAnArrayOfObjectsWithArraysInThem() throws Exception {
        JsonNode submitStories = tree(Map.of(
                "type",
                "object",
                "properties",
                Map.of(
                        "requirements",
                        Map.of(
                                "type",
                                "array",
                                "description",
                                "Array of requirement objects",
                                "items",
                                Map.of(
                                        "type",
                                        "object",
                                        "properties",
                                        Map.of(
                                                "title",
                                                Map.of("type", "string", "description", "Requirement title"),
                                                "acceptance_criteria",
                                                Map.of(
                                                        "type",
                                                        "array",
                                                        "description",
                                                        "Array of testable criteria",
                                                        "items",
                                                        Map.of("type", "string")))))),
                "required",
                List.of("requirements")));

        ObjectNode strict = StrictSchema.of(submitStories).orElseThrow();

        JsonNode item = strict.at("/properties/requirements/items");
        assertThat(strict.at("/properties/requirements/type").asText()).isEqualTo("array");
        assertThat(item.path("additionalProperties").asBoolean(true)).isFalse();
        assertThat(item.path("required"))
                .extracting(JsonNode::asText)
                .containsExactlyInAnyOrder("title", "acceptance_criteria");
        assertThat(item.at("/properties/title/type"))
                .isEqualTo(json("{'t':['string','null']}").path("t"));
        assertThat(item.at("/properties/acceptance_criteria"))
                .isEqualTo(json("{'description':'Array of testable criteria','anyOf':["
                        + "{'type':'array','items':{'type':'string'}},{'type':'null'}]}"));
    }

    @Test
    void convertsWhatTheBuilderOfSchemasMakes() throws Exception {
        InputSchema schema = InputSchema.of(s -> s.requiredString("path", "Path")
                .optionalInteger("limit", "Lines, 100 unless given")
                .optional("kind", Property.oneOf("Kind", "file", "dir")));

        assertThat(StrictSchema.of(tree(schema.asMap())).orElseThrow())
                .isEqualTo(json("{'type':'object','properties':{"
                        + "'path':{'type':'string','description':'Path (minLength: 1)'},"
                        + "'limit':{'type':['integer','null'],'description':'Lines, 100 unless given'},"
                        + "'kind':{'anyOf':[{'type':'string','enum':['file','dir']},{'type':'null'}],"
                        + "'description':'Kind'}},"
                        + "'required':['path','limit','kind'],'additionalProperties':false}"));
    }

    private static Arguments required(String schema, String strict) {
        return Arguments.of(true, schema, strict);
    }

    private static Arguments optional(String schema, String strict) {
        return Arguments.of(false, schema, strict);
    }

    private static JsonNode tree(Object maps) {
        return JSON.valueToTree(maps);
    }

    private static ObjectNode json(String singleQuoted) throws Exception {
        return (ObjectNode) JSON.readTree(singleQuoted.replace('\'', '"'));
    }
}
