package io.maestro.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of directories in texts. */
public final class Directories {
    private Directories() {}

    /**
     * Puts another directory in the place of some, in all texts of a JSON value, where they are named as a whole: not {@code /srv/a}
     * in {@code /srv/ab} or {@code /other/srv/a}.
     *
     * @param json is not changed
     * @param from absolute paths
     * @param to an absolute path
     */
    public static JsonNode moved(JsonNode json, Collection<String> from, String to) {
        // The longest first: one may be in another.
        List<Pattern> names = from.stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .map(name -> Pattern.compile("(?<![\\w./-])" + Pattern.quote(name) + "(?![\\w-]|\\.\\w)"))
                .toList();
        return moved(json, names, Matcher.quoteReplacement(to));
    }

    private static JsonNode moved(JsonNode json, List<Pattern> names, String to) {
        if (json.isTextual()) {
            String text = json.textValue();
            for (Pattern name : names) {
                text = name.matcher(text).replaceAll(to);
            }
            return TextNode.valueOf(text);
        }
        if (json instanceof ArrayNode array) {
            ArrayNode moved = array.arrayNode(array.size());
            array.forEach(item -> moved.add(moved(item, names, to)));
            return moved;
        }
        if (json instanceof ObjectNode object) {
            ObjectNode moved = object.objectNode();
            object.properties().forEach(field -> moved.set(field.getKey(), moved(field.getValue(), names, to)));
            return moved;
        }
        return json;
    }
}
