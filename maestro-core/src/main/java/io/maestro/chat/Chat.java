package io.maestro.chat;

import io.maestro.record.AuditLog;
import java.util.List;

/**
 * The one chat of a project, as its host uses it. Agents write to it by a tool; what they or the host have written, every
 * agent at work reads before its model's next turn, once, and its own messages not at all. Nobody has to answer. Messages
 * are kept in the record, and are never changed.
 *
 * <p>Secrets are taken out of a message before it is stored, shown or sent; one that cannot be scanned is not posted. Safe
 * for use by several threads; usable until the Maestro is closed. Every method throws {@link io.maestro.record.StoreException}
 * when the record cannot be written or read.
 */
public interface Chat {
    /** The author of what the host writes, unless it says another. */
    String HOST = "host";

    /** How many characters a message has at most, when secrets are taken out. */
    int MOST_CHARACTERS = 8_000;

    /**
     * Writes as the host.
     *
     * @param text 1 to 8,000 characters, not blank
     * @return the message as it was stored, with its number
     * @throws ChatException when the message is blank, too long, or cannot be scanned for secrets; it is not posted then
     */
    default AuditLog.ChatPost post(String text) {
        return post(HOST, text);
    }

    /**
     * Writes in somebody's name, such as that of a person who sits at the host.
     *
     * @param author 1 to 64 letters, digits, {@code _}, {@code .} and {@code -}, the first a letter or a digit; no agent's
     *     name ({@code coder-001}, {@code architect-001}, {@code dispatcher})
     * @param text 1 to 8,000 characters, not blank
     * @return the message as it was stored, with its number
     * @throws ChatException when the author is none of these, or the message is blank, too long, or cannot be scanned for
     *     secrets; it is not posted then
     */
    AuditLog.ChatPost post(String author, String text);

    /**
     * Reads on from a message. A later message has a greater number, but not always the next one.
     *
     * @param after the number of the last message that is known already; 0 for none
     * @param most how many at most; at least 1
     * @return oldest first; empty when there is nothing new
     */
    List<AuditLog.ChatPost> read(long after, int most);

    /**
     * Reads the newest messages.
     *
     * @param most how many at most; at least 1
     * @return oldest first
     */
    List<AuditLog.ChatPost> last(int most);
}
