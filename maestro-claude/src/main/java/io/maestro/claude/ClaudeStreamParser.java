package io.maestro.claude;

import io.maestro.claude.internal.stream.EventReader;
import io.maestro.claude.internal.stream.LineSplitter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Reads what the CLI prints with {@code --output-format stream-json}, in whatever pieces it comes. Nothing that the CLI can print
 * lets it fail: what is not understood, is no JSON, is too long or has more than 50,000 names, values and brackets becomes a {@link
 * ClaudeEvent.Other}. Keeps at most one line; names and ids are cut at 128 characters.
 * Not safe for use by several threads.
 *
 * <pre>{@code
 * ClaudeStreamParser parser = new ClaudeStreamParser(this::onEvent);
 * for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
 *     parser.feed(buffer, 0, read);
 * }
 * parser.end();
 * }</pre>
 */
public final class ClaudeStreamParser {
    /** The longest line when nothing is set, in bytes: 4 MiB, for the image or the pages that a tool of the CLI has read. */
    public static final int DEFAULT_LINE_LIMIT = 4 << 20;

    /** More calls than any model has made at once; a bound for what is kept. */
    private static final int MOST_IN_FLIGHT = 100;

    /** What of a call is kept until its result. */
    private static final int LONGEST_INPUT = 8 * 1024;

    private final Consumer<? super ClaudeEvent> events;
    private final LineSplitter splitter;
    private final Map<String, ClaudeEvent.ToolUse> inFlight = new LinkedHashMap<>();

    /**
     * Makes a parser with the default limit of a line.
     *
     * @param events takes each event, in their order, on the thread that feeds the parser
     */
    public ClaudeStreamParser(Consumer<? super ClaudeEvent> events) {
        this(events, DEFAULT_LINE_LIMIT);
    }

    /**
     * Makes a parser.
     *
     * @param events takes each event, in their order, on the thread that feeds the parser
     * @param lineLimit the longest line in bytes, at least 1; a longer one is skipped and becomes an {@link ClaudeEvent.Other}
     */
    public ClaudeStreamParser(Consumer<? super ClaudeEvent> events, int lineLimit) {
        if (lineLimit < 1) {
            throw new IllegalArgumentException("the limit of a line must be at least 1 byte, is " + lineLimit);
        }
        this.events = Objects.requireNonNull(events, "events");
        EventReader reader = new EventReader(lineLimit);
        this.splitter = new LineSplitter(lineLimit, new LineSplitter.Lines() {
            @Override
            public void line(byte[] buffer, int from, int to) {
                for (ClaudeEvent event : reader.read(buffer, from, to)) {
                    emit(event);
                }
            }

            @Override
            public void overlong(long length) {
                // It may have been the result of any of them.
                inFlight.clear();
                emit(new ClaudeEvent.Other(
                        EventReader.OVERLONG + " of " + length + " bytes, skipped; the limit is " + lineLimit));
            }
        });
    }

    /**
     * Takes the next bytes.
     *
     * @param bytes all of them
     */
    public void feed(byte[] bytes) {
        feed(bytes, 0, bytes.length);
    }

    /**
     * Takes the next bytes; they are not needed any more when this returns.
     *
     * @param bytes the buffer
     * @param offset where they begin
     * @param length how many they are
     */
    public void feed(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        splitter.feed(bytes, offset, offset + length);
    }

    /** Takes note of the end of the output. A last line without an end is read as far as it is whole. */
    public void end() {
        splitter.end();
    }

    /**
     * The calls of tools that have no result yet, those of sub-agents as well; none after the result of a turn, or after a line
     * that was too long. At most the newest 100; of arguments that are longer than 8 KiB there is only an empty object.
     *
     * @return a copy, oldest first
     */
    public List<ClaudeEvent.ToolUse> inFlight() {
        return List.copyOf(inFlight.values());
    }

    private void emit(ClaudeEvent event) {
        if (event instanceof ClaudeEvent.ToolUse use) {
            if (inFlight.size() == MOST_IN_FLIGHT) {
                inFlight.remove(inFlight.keySet().iterator().next());
            }
            boolean isShort = use.input().length() <= LONGEST_INPUT;
            inFlight.put(use.id(), isShort ? use : new ClaudeEvent.ToolUse(use.id(), use.name(), "{}", use.parent()));
        } else if (event instanceof ClaudeEvent.ToolResult result) {
            inFlight.remove(result.toolUseId());
        } else if (event instanceof ClaudeEvent.Result) {
            inFlight.clear();
        }
        events.accept(event);
    }

    /**
     * Reads an output that is whole.
     *
     * @param output all of it
     * @return its events
     */
    public static List<ClaudeEvent> parse(byte[] output) {
        List<ClaudeEvent> events = new ArrayList<>();
        ClaudeStreamParser parser = new ClaudeStreamParser(events::add);
        parser.feed(output);
        parser.end();
        return events;
    }
}
