package io.maestro.claude.internal.stream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Parts of a line as they stand there, cut out where a parser has seen them. */
final class Raw {
    private static final long MOST = 1L << 52;

    /** The API's and the CLI's own ids have 30 to 40 characters. */
    private static final int LONGEST_WORD = 128;

    private Raw() {}

    /** Goes into the object that the line must be. */
    static void enter(JsonParser parser) throws IOException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new IOException("no object");
        }
    }

    /** Where in the buffer the object or array begins whose first token the parser has just read. */
    static int start(JsonParser parser, int from) {
        return from + (int) parser.currentLocation().getByteOffset() - 1;
    }

    /** From there to the end of the object or array whose last token the parser has just read. */
    static String slice(JsonParser parser, byte[] buffer, int from, int start) {
        int end = from + (int) parser.currentLocation().getByteOffset();
        return new String(buffer, start, end - start, StandardCharsets.UTF_8);
    }

    /** The value that the parser stands at if it is a string, otherwise nothing; what is in it is skipped. */
    static String text(JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
            return parser.getText();
        }
        parser.skipChildren();
        return "";
    }

    /** The same of a name or an id, of which no more is kept than one has. */
    static String word(JsonParser parser) throws IOException {
        return cut(text(parser));
    }

    /** What is kept of a name or an id. */
    static String cut(String text) {
        return text.length() <= LONGEST_WORD ? text : text.substring(0, LONGEST_WORD);
    }

    /** The names of the array that the parser stands at, so many at most; none if it is no array. */
    static List<String> words(JsonParser parser, int most) throws IOException {
        List<String> words = new ArrayList<>();
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                String word = word(parser);
                if (words.size() < most) {
                    words.add(word);
                }
            }
        } else {
            parser.skipChildren();
        }
        return words;
    }

    /** The strings of the array that the parser stands at; none if it is no array. */
    static List<String> texts(JsonParser parser) throws IOException {
        List<String> texts = new ArrayList<>();
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                texts.add(text(parser));
            }
        } else {
            parser.skipChildren();
        }
        return texts;
    }

    static boolean isNumber(JsonParser parser) {
        JsonToken token = parser.currentToken();
        return token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT;
    }

    /** The number that the parser stands at as a whole one, from 0 to one of which hundreds can be added; 0 if it is no number. */
    static long count(JsonParser parser) throws IOException {
        if (isNumber(parser)) {
            return Math.max(0, Math.min(MOST, (long) parser.getDoubleValue()));
        }
        parser.skipChildren();
        return 0;
    }
}
