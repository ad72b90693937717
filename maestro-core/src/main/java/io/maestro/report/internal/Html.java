package io.maestro.report.internal;

import io.maestro.internal.HiddenCharacters;
import java.io.IOException;
import java.io.Writer;

/**
 * Writes HTML. Markup comes from this program alone; all that comes from elsewhere is written by {@link #text} or as a value of an
 * attribute, where no character of it is markup.
 */
final class Html {
    private final Writer out;

    Html(Writer out) {
        this.out = out;
    }

    /** Markup of this program. */
    Html raw(String markup) throws IOException {
        out.write(markup);
        return this;
    }

    /** Text from anywhere. */
    Html text(String text) throws IOException {
        out.write(escaped(text));
        return this;
    }

    /** An element with a text from anywhere; what is after the first blank of the tag are attributes. */
    Html element(String tag, String text) throws IOException {
        int end = tag.indexOf(' ');
        return raw("<" + tag + ">").text(text).raw("</" + (end < 0 ? tag : tag.substring(0, end)) + ">");
    }

    /** An attribute with a value from anywhere. */
    static String attribute(String name, String value) {
        return " " + name + "=\"" + escaped(value) + "\"";
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                case '`' -> escaped.append("&#96;");
                case '\n', '\t' -> escaped.appendCodePoint(c);
                default -> HiddenCharacters.append(escaped, c);
            }
        });
        return escaped.toString();
    }
}
