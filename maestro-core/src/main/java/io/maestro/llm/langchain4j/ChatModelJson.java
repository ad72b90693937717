package io.maestro.llm.langchain4j;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Map;

/** JSON as text. */
final class ChatModelJson {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private ChatModelJson() {}

    static boolean isObject(String text) {
        try {
            return MAPPER.readTree(text).isObject();
        } catch (JsonProcessingException e) {
            return false;
        }
    }

    static String text(Object mapsAndLists) {
        return MAPPER.valueToTree(mapsAndLists).toString();
    }

    /** Empty when the text is no object. */
    static Map<String, Object> map(String text) {
        try {
            return MAPPER.readValue(text, new TypeReference<Map<String, Object>>() {});
        } catch (JsonProcessingException e) {
            return Map.of();
        }
    }
}
