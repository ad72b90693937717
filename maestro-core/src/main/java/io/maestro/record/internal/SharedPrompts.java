package io.maestro.record.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.record.StoreException;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps system prompts once. Each conversation begins with one of some kilobytes, of which little more than names differs from
 * those before: a row of {@code messages} then holds what differs, and a row of {@code prompts} all that is around it.
 */
final class SharedPrompts {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Contents are arrays, so that nothing else begins with it. */
    private static final String BEGINNING = "{\"prompt\":";

    /** Shorter ones are kept as they are. */
    private static final int LONG = 1_000;

    private SharedPrompts() {}

    /**
     * A prompt without what it shares.
     *
     * @param prompt which one, by its number in the record
     * @param from how many characters of that come before the text
     * @param to from which of its characters on it comes after the text
     * @param text what stands between
     */
    private record PromptPart(long prompt, int from, int to, String text) {}

    /** What a prompt may share with others. */
    private record Base(long seq, String content) {}

    /** What is to be kept of the content of a system message. */
    static String shorten(Statements database, String state, String given) throws SQLException {
        String content = StorableText.of(given);
        if (content.length() < LONG) {
            return content;
        }
        List<Base> bases = database.query(
                "SELECT seq, content FROM prompts WHERE state = ? ORDER BY seq DESC LIMIT 1",
                row -> new Base(row.getLong(1), row.getString(2)),
                state);
        for (Base base : bases) {
            PromptPart part = part(base, content);
            if (part.text().length() < content.length() / 2) {
                return write(part);
            }
        }
        database.update("INSERT INTO prompts (state, content) VALUES (?, ?)", state, content);
        // By its content, as another process may have written one at the same time.
        return database.query(
                        "SELECT seq FROM prompts WHERE state = ? AND content = ? ORDER BY seq LIMIT 1",
                        row -> write(new PromptPart(row.getLong(1), content.length(), content.length(), "")),
                        state,
                        content)
                .get(0);
    }

    private static PromptPart part(Base base, String content) {
        String other = base.content();
        int most = Math.min(other.length(), content.length());
        int from = 0;
        while (from < most && other.charAt(from) == content.charAt(from)) {
            from++;
        }
        int end = 0;
        while (end < most - from
                && other.charAt(other.length() - 1 - end) == content.charAt(content.length() - 1 - end)) {
            end++;
        }
        // No pair of surrogates is cut in two: no database could hold the halves.
        if (from > 0 && Character.isHighSurrogate(content.charAt(from - 1))) {
            from--;
        }
        if (end > 0 && Character.isLowSurrogate(content.charAt(content.length() - end))) {
            end--;
        }
        return new PromptPart(base.seq(), from, other.length() - end, content.substring(from, content.length() - end));
    }

    private static String write(PromptPart part) {
        try {
            return JSON.writeValueAsString(part);
        } catch (JsonProcessingException e) {
            throw new StoreException("a part of a prompt cannot be written as JSON", e);
        }
    }

    /** Reads what was kept, for one read of the record. */
    static final class PromptReader {
        private final Statements database;
        private final Map<Long, String> prompts = new HashMap<>();

        PromptReader(Statements database) {
            this.database = database;
        }

        String content(String kept) throws SQLException {
            if (!kept.startsWith(BEGINNING)) {
                return kept;
            }
            try {
                PromptPart part = JSON.readValue(kept, PromptPart.class);
                String prompt = prompts.get(part.prompt());
                if (prompt == null) {
                    prompt = database.query(
                                    "SELECT content FROM prompts WHERE seq = ?", row -> row.getString(1), part.prompt())
                            .get(0);
                    prompts.put(part.prompt(), prompt);
                }
                return prompt.substring(0, part.from()) + part.text() + prompt.substring(part.to());
            } catch (JsonProcessingException e) {
                throw new StoreException("the record holds what is no part of a prompt: " + kept, e);
            }
        }
    }
}
