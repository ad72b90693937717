package io.maestro.runtime.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.internal.Texts;
import io.maestro.runtime.ToolRuntime;
import io.maestro.secrets.CleanText;
import io.maestro.secrets.Redactor;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes secrets out of answers and bounds them. Secrets first: one that is cut in two would no longer be recognised. What
 * can't be scanned does not pass. Safe for use by several threads.
 */
public final class Cleaner {
    private static final int DEEPEST = 100;
    private static final String WITHHELD = "[withheld: it could not be scanned for secrets]";

    private final JsonMapper mapper = new JsonMapper();
    private final Redactor redactor;

    /**
     * Creates a cleaner.
     *
     * @param redactor finds secrets
     */
    public Cleaner(Redactor redactor) {
        this.redactor = redactor;
    }

    /**
     * Cleans a text that is no answer, such as parameters.
     *
     * @param text any text
     * @return the text without secrets, or a note that it is withheld
     */
    public String text(String text) {
        try {
            return redact(text).toString();
        } catch (UnscannableException e) {
            return WITHHELD;
        }
    }

    /**
     * Cleans an answer.
     *
     * @param answer as the tool gave it
     * @param limit how many characters of its text, and of its data as JSON, are kept
     * @return the same answer when there was nothing to do; an error when it can't be given
     */
    public ToolRuntime.Answer answer(ToolResult answer, int limit) {
        try {
            CleanText whole = redact(answer.text());
            String text = Texts.headAndTail(whole.toString(), limit);
            if (answer.data().isEmpty() && answer.signal().isEmpty() && text.equals(answer.text())) {
                return new ToolRuntime.Answer(answer, whole);
            }
            Map<String, Object> data = tree(answer.data());
            int size = data.isEmpty() ? 0 : json(data).length();
            if (size > limit) {
                data = Map.of();
                text += "\n[structured data of " + size + " characters left out: at most " + limit + " are kept]";
            }
            // Once more, if it was cut: what is left may look like another secret.
            CleanText kept = text.equals(whole.toString()) ? whole : redact(text);
            ToolResult.Builder clean = ToolResult.builder(kept.toString());
            data.forEach(clean::data);
            if (answer.signal().isPresent()) {
                ToolSignal signal = answer.signal().get();
                clean.signal(new ToolSignal(signal.name(), tree(signal.data())));
            }
            return new ToolRuntime.Answer(finish(clean, answer, answer.isError()), kept);
        } catch (UnscannableException e) {
            return failed(answer, "The tool ran, but its answer is withheld: it could not be scanned for secrets.");
        } catch (NotJson e) {
            return failed(answer, "The tool ran, but its answer can't be given: " + e.getMessage() + ".");
        }
    }

    private ToolRuntime.Answer failed(ToolResult answer, String reason) {
        return new ToolRuntime.Answer(finish(ToolResult.builder(reason), answer, true), CleanText.of(redactor, reason));
    }

    private static ToolResult finish(ToolResult.Builder clean, ToolResult answer, boolean error) {
        answer.exitCode().ifPresent(clean::exitCode);
        return error ? clean.error().build() : clean.build();
    }

    /**
     * An answer as JSON, for the record.
     *
     * @param answer a clean answer
     * @return an object with {@code text} and, where there are any, {@code data} and {@code signal}
     */
    public String json(ToolResult answer) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("text", answer.text());
        if (!answer.data().isEmpty()) {
            map.put("data", answer.data());
        }
        answer.signal().ifPresent(signal -> map.put("signal", Map.of("name", signal.name(), "data", signal.data())));
        try {
            return json(map);
        } catch (NotJson e) {
            throw new IllegalStateException(e); // it was checked when the answer was cleaned
        }
    }

    /** Scans each string by itself and the whole as JSON: some secrets are known only by the name that they stand under. */
    private Map<String, Object> tree(Map<String, Object> source) throws UnscannableException, NotJson {
        if (source.isEmpty()) {
            return source;
        }
        Map<String, Object> clean = map(source, 1);
        String json = json(clean);
        String redacted = redact(json).toString();
        return redacted.equals(json) ? clean : parse(redacted);
    }

    private Map<String, Object> map(Map<?, ?> source, int depth) throws UnscannableException, NotJson {
        Map<String, Object> copy = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : source.entrySet()) {
            copy.put(redact((String) entry.getKey()).toString(), value(entry.getValue(), depth));
        }
        return copy;
    }

    @SuppressWarnings(
            "NullAway") // JSON null is null, inside maps and lists; ToolResult takes no other types than JSON has
    private Object value(@Nullable Object value, int depth) throws UnscannableException, NotJson {
        if (depth > DEEPEST) {
            throw new NotJson("its data is nested more than " + DEEPEST + " levels deep");
        }
        if (value instanceof String text) {
            return redact(text).toString();
        }
        if (value instanceof Map<?, ?> map) {
            return map(map, depth + 1);
        }
        if (value instanceof List<?> list) {
            List<Object> copy = new ArrayList<>(list.size());
            for (Object item : list) {
                copy.add(value(item, depth + 1));
            }
            return copy;
        }
        return value;
    }

    private String json(Map<String, Object> tree) throws NotJson {
        try {
            return mapper.writeValueAsString(tree);
        } catch (JsonProcessingException e) {
            throw new NotJson("its data can't be written as JSON");
        }
    }

    @SuppressWarnings("unchecked") // Jackson makes maps with string keys
    private Map<String, Object> parse(String json) throws UnscannableException {
        try {
            return mapper.readValue(json, Map.class);
        } catch (JsonProcessingException e) {
            throw new UnscannableException();
        }
    }

    private CleanText redact(String text) throws UnscannableException {
        CleanText clean = CleanText.of(redactor, text);
        if (!clean.isScanned()) {
            throw new UnscannableException();
        }
        return clean;
    }

    private static final class UnscannableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnscannableException() {
            super("it could not be scanned");
        }
    }

    private static final class NotJson extends Exception {
        private static final long serialVersionUID = 1L;

        NotJson(String message) {
            super(message);
        }
    }
}
