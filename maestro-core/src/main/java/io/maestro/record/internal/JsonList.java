package io.maestro.record.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.record.StoreException;
import java.util.List;

/** A list of texts in one column. */
final class JsonList {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};

    private JsonList() {}

    static String write(List<String> texts) {
        try {
            // Before they are escaped: the ids in a list must stay the same as the ids in their own columns.
            return JSON.writeValueAsString(texts.stream().map(StorableText::of).toList());
        } catch (JsonProcessingException e) {
            throw new StoreException("a list of texts cannot be written as JSON", e);
        }
    }

    static List<String> read(String json) {
        try {
            return JSON.readValue(json, TEXTS);
        } catch (JsonProcessingException e) {
            throw new StoreException("the record holds what is no JSON array of texts: " + json, e);
        }
    }
}
