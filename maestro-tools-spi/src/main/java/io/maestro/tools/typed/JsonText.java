package io.maestro.tools.typed;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes trees of JSON types. */
final class JsonText {
    private final StringBuilder text = new StringBuilder();

    private JsonText() {}

    /**
     * The text of a tree.
     *
     * @param tree maps, lists, strings, finite numbers, booleans and null
     */
    static String of(@Nullable Object tree) {
        JsonText json = new JsonText();
        json.write(tree);
        return json.text.toString();
    }

    private void write(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            String comma = "";
            text.append('{');
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                text.append(comma);
                string(String.valueOf(entry.getKey()));
                text.append(':');
                write(entry.getValue());
                comma = ",";
            }
            text.append('}');
        } else if (value instanceof List<?> list) {
            String comma = "";
            text.append('[');
            for (Object item : list) {
                text.append(comma);
                write(item);
                comma = ",";
            }
            text.append(']');
        } else if (value instanceof String string) {
            string(string);
        } else {
            text.append(value);
        }
    }

    private void string(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c == '\n') {
                text.append("\\n");
            } else if (c < ' ' || Character.isSurrogate(c) && !paired(value, i)) {
                String hex = Integer.toHexString(c);
                text.append("\\u").append("0".repeat(4 - hex.length())).append(hex);
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }

    private static boolean paired(String value, int at) {
        return Character.isHighSurrogate(value.charAt(at))
                ? at + 1 < value.length() && Character.isLowSurrogate(value.charAt(at + 1))
                : at > 0 && Character.isHighSurrogate(value.charAt(at - 1));
    }
}
