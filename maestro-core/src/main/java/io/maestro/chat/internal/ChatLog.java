package io.maestro.chat.internal;

import io.maestro.record.AuditLog;
import java.util.List;

/** Reads the chat. Safe for use by several threads. */
public final class ChatLog {
    private final AuditLog record;

    /**
     * Reads from a record.
     *
     * @param record may be written to by other processes, too
     */
    public ChatLog(AuditLog record) {
        this.record = record;
    }

    /**
     * Reads on from a message.
     *
     * @param after the number of the last message that is known already; 0 for none
     * @param most how many at most; at least 1
     * @return oldest first
     */
    public List<AuditLog.ChatPost> read(long after, int most) {
        if (after < 0) {
            throw new IllegalArgumentException("the number of a message is 0 or more, is " + after);
        }
        return record.chat(after, positive(most));
    }

    /**
     * Reads the newest messages.
     *
     * @param most how many at most; at least 1
     * @return oldest first
     */
    public List<AuditLog.ChatPost> last(int most) {
        long newest = newest();
        // Numbers may have gaps, so that as many numbers may be fewer messages.
        for (long numbers = positive(most); ; numbers *= 2) {
            long after = Math.max(0, newest - numbers);
            List<AuditLog.ChatPost> found = record.chat(after, (int) Math.min(numbers, Integer.MAX_VALUE));
            if (found.size() >= most || after == 0) {
                return List.copyOf(found.subList(Math.max(0, found.size() - most), found.size()));
            }
        }
    }

    /**
     * The number of the newest message.
     *
     * @return 0 when there is none
     */
    public long newest() {
        return record.newestPost();
    }

    private static int positive(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("at least 1 message can be read, not " + most);
        }
        return most;
    }
}
