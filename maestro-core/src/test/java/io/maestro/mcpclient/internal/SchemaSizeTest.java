package io.maestro.mcpclient.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaSizeTest {
    private static final int CHAIN = 30;

    private static long size(String json) throws Exception {
        return SchemaSize.of(new ObjectMapper().readValue(json, new TypeReference<Map<String, Object>>() {}));
    }

    /** Definitions that each refer twice to the next. */
    private static String chain(String keyword, String before, String root, String part) {
        StringBuilder defs = new StringBuilder();
        for (int i = 0; i <= CHAIN; i++) {
            String next = "{\"" + keyword + "\":\"" + before + (i + 1) + "\"}";
            defs.append(i == 0 ? "" : ",")
                    .append("\"")
                    .append(i)
                    .append("\":{")
                    .append(part.replace("N", "" + i))
                    .append(i == CHAIN ? "\"type\":\"string\"" : "\"allOf\":[" + next + "," + next + "]")
                    .append("}");
        }
        return "{\"type\":\"object\"," + root + "\"$defs\":{" + defs + ",\"\":{" + defs + "}},\"properties\":{\"x\":{\""
                + keyword + "\":\"" + before + "0\"}}}";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$ref|#a||\"$anchor\":\"aN\",",
                "$ref|urn:a||\"$id\":\"urn:aN\",",
                "$ref|urn:x#/$defs/|\"$id\":\"urn:x\",|",
                "$ref|other.json#/$defs/||",
                "$ref|/$defs/||",
                "$ref|#/%2524defs/||",
                "$dynamicRef|#a||\"$dynamicAnchor\":\"aN\",",
                "$recursiveRef|#/$defs/||",
                "$ref|#/$defs/||\"$id\":\"urn:aN\",",
                "$ref|#/$defs/|\"$schema\":\"http://json-schema.org/draft-04/schema#\",|\"id\":\"urn:aN\","
            })
    void whatCannotBeCountedIsRefused(String given) {
        String[] parts = given.split("\\|", -1);
        assertThatThrownBy(() -> size(chain(parts[0], parts[1], parts[2], parts[3])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("its input schema");
    }

    @ParameterizedTest
    @ValueSource(strings = {"#/$defs/", "#/%24defs/", "#/$defs//"})
    void aPointerIsCountedHoweverItIsWritten(String before) throws Exception {
        assertThat(size(chain("$ref", before, "\"$id\":\"urn:x\",", ""))).isEqualTo(1_000_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"$id\":\"urn:x\",\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"properties\":{\"$id\":{\"type\":\"string\"},\"id\":{},"
                        + "\"$ref\":{\"type\":\"string\"},\"$anchor\":true}}",
                "{\"properties\":{\"x\":{\"default\":{\"id\":\"a\"},\"anyOf\":[{\"type\":\"null\"},{\"$ref\":\"#\"}]}}}",
                "{\"properties\":{\"x\":{\"$ref\":\"#/anyOf/1/a~1b%20c+d\"}},\"anyOf\":[true,{\"a/b c+d\":{}}]}",
                "{\"properties\":{\"x\":{\"pattern\":\"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$\"}}}"
            })
    void plainSchemasAreSmall(String schema) throws Exception {
        assertThat(size(schema)).isLessThan(30);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"properties\":{\"x\":{\"pattern\":\"((){1000}){1000}\"}}}",
                "{\"patternProperties\":{\"(){2000000000}\":{}}}"
            })
    void anExpressionThatRepeatsNothingForEverIsRefused(String schema) {
        assertThatThrownBy(() -> size(schema)).hasMessageContaining("regular expression");
    }
}
