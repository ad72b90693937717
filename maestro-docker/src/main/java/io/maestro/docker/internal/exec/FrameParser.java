package io.maestro.docker.internal.exec;

import io.maestro.exec.internal.BoundedOutput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Takes one stream of a shell apart: what a command printed, and the frames around it, which begin with words that the
 * command cannot know. What comes between two commands belongs to none and is dropped.
 *
 * <p>The word for the end is chosen when the command has ended. Before it comes a hint, by which that is known; a hint that
 * more output follows was none. All methods but {@link #readAll} are called with the channel's lock held.
 */
final class FrameParser {
    private static final int CHUNK = 1 << 16;

    /** Of a line in a frame, and of what is kept of stray output for messages. */
    private static final int LONGEST_LINE = 1 << 13;

    private static final byte[] NOTHING = new byte[0];

    private final boolean withLines;
    private final @Nullable String hintWord;
    private final FramesListener listener;

    private @Nullable String startWord;
    private @Nullable String endWord;
    private @Nullable BoundedOutput output;
    /** Which frame's line is being read; null outside of one. */
    private @Nullable String lineOf;

    /** A hint that may be the command's own output, if more of it follows. */
    private byte[] heldHint = NOTHING;

    private byte[] carry = NOTHING;
    private final BoundedOutput stray = new BoundedOutput(LONGEST_LINE);
    private boolean strayed;

    /**
     * For one stream.
     *
     * @param hintWord begins a frame that is no part of a command; null when there is none on this stream
     * @param withLines whether a line follows each word
     * @param listener is told of frames
     */
    FrameParser(@Nullable String hintWord, boolean withLines, FramesListener listener) {
        this.hintWord = hintWord;
        this.withLines = withLines;
        this.listener = listener;
    }

    /** Expects a command: its output comes after this word. */
    void begin(String word, BoundedOutput target) {
        startWord = word;
        endWord = null;
        output = target;
        heldHint = NOTHING;
    }

    /** The command's output ends before this word. */
    void endWith(String word) {
        endWord = word;
    }

    /** What came outside of commands, as far as it is kept. */
    String stray() {
        return stray.snapshot().text().strip();
    }

    /** Whether something came outside of commands since the last call. */
    boolean takeStrayed() {
        boolean was = strayed;
        strayed = false;
        return was;
    }

    /** The stream has ended: what looked like the beginning of a frame was none. The last hint stays one. */
    void finish() {
        if (lineOf == null) {
            emit(carry, 0, carry.length);
        }
        carry = NOTHING;
    }

    /** Whether a hint is the last thing that came: then it is more than that, once the stream has ended. */
    boolean endsWithHint() {
        return heldHint.length > 0;
    }

    /** Reads the stream to its end. */
    void readAll(InputStream in) {
        byte[] chunk = new byte[CHUNK];
        try {
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                listener.received(this, chunk, n);
            }
        } catch (IOException e) {
            // Closed under us, which is its end.
        }
        listener.ended(this);
    }

    /** Takes the next bytes. */
    void accept(byte[] chunk, int length) {
        byte[] bytes = chunk;
        int end = length;
        if (carry.length > 0) {
            bytes = Arrays.copyOf(carry, carry.length + length);
            System.arraycopy(chunk, 0, bytes, carry.length, length);
            end = bytes.length;
            carry = NOTHING;
        }
        int from = 0;
        while (from < end) {
            int next = lineOf == null ? word(bytes, from, end) : line(bytes, from, end, lineOf);
            if (next < 0) {
                carry = Arrays.copyOfRange(bytes, -next - 1, end);
                return;
            }
            from = next;
        }
    }

    /** Passes output on up to the next frame; returns where to go on, or -1 - where to wait for more bytes. */
    private int word(byte[] bytes, int from, int end) {
        int begin = from;
        while (begin < end && bytes[begin] != ProcessMarker.BEGIN) {
            begin++;
        }
        emit(bytes, from, begin - from);
        if (begin == end) {
            return end;
        }
        int wordEnd = begin + 1 + ProcessMarker.LENGTH;
        if (wordEnd > end) {
            return -begin - 1;
        }
        String word = new String(bytes, begin + 1, ProcessMarker.LENGTH, StandardCharsets.ISO_8859_1);
        if (!word.equals(startWord) && !word.equals(endWord) && !word.equals(hintWord)) {
            emit(bytes, begin, 1);
            return begin + 1;
        }
        if (withLines) {
            lineOf = word;
        } else {
            frame(word, "");
        }
        return wordEnd;
    }

    private int line(byte[] bytes, int from, int end, String word) {
        int stop = from;
        while (stop < end && bytes[stop] != '\n') {
            stop++;
        }
        if (stop == end && end - from < LONGEST_LINE) {
            return -from - 1;
        }
        lineOf = null;
        frame(word, new String(bytes, from, stop - from, StandardCharsets.ISO_8859_1));
        return Math.min(end, stop + 1);
    }

    private void frame(String word, String line) {
        if (word.equals(startWord)) {
            startWord = null;
            listener.started(line);
        } else if (word.equals(endWord)) {
            endWord = null;
            heldHint = NOTHING;
            output = null;
            listener.finished(this, line);
        } else {
            releaseHint();
            if (output != null && startWord == null) {
                heldHint = ((char) ProcessMarker.BEGIN + word + line + "\n").getBytes(StandardCharsets.ISO_8859_1);
            }
            listener.hinted(line);
        }
    }

    private void releaseHint() {
        if (heldHint.length > 0 && output != null) {
            output.write(heldHint, heldHint.length);
        }
        heldHint = NOTHING;
    }

    private void emit(byte[] bytes, int offset, int length) {
        if (length == 0) {
            return;
        }
        if (output == null || startWord != null) {
            stray.write(bytes, offset, length);
            strayed = true;
        } else {
            releaseHint();
            output.write(bytes, offset, length);
        }
    }
}
