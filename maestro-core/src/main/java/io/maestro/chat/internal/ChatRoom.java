package io.maestro.chat.internal;

import io.maestro.chat.Chat;
import io.maestro.chat.ChatException;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.internal.Scanned;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one way into the chat, for agents and host: no text gets past it that was not scanned for secrets. Safe for use by
 * several threads.
 */
public final class ChatRoom {
    /** How far {@link #postOnce} looks back. */
    private static final int REMEMBERED = 20;

    private final Store store;
    private final ChatLog log;
    private final Redactor redactor;
    private final MaestroListener listener;
    private final String sessionId;

    /**
     * Creates a room.
     *
     * @param store where messages are kept
     * @param redactor takes secrets out
     * @param listener is told of each message once it is kept; must not throw
     * @param sessionId the session that writes
     */
    public ChatRoom(Store store, Redactor redactor, MaestroListener listener, String sessionId) {
        this.store = store;
        this.log = new ChatLog(store);
        this.redactor = redactor;
        this.listener = listener;
        this.sessionId = sessionId;
    }

    /** What was written so far. */
    public ChatLog log() {
        return log;
    }

    /**
     * Writes a message.
     *
     * @param author who; only looked at for secrets
     * @param storyId the story that it is written for, or null
     * @param text 1 to 8,000 characters when secrets are taken out, not blank
     * @return the message as it was stored, with its number
     * @throws ChatException when the text is blank, too long, or cannot be scanned, or the author looks like a secret
     */
    public AuditLog.ChatPost post(String author, @Nullable String storyId, String text) {
        if (!Scanned.text(redactor, author).equals(Optional.of(author))) {
            throw new ChatException("the author's name looks like a secret and the message was not posted");
        }
        return write(author, storyId, checked(text));
    }

    /**
     * Writes a message of an agent, unless the last that it wrote for the story says the same: an agent that goes on after
     * a crash may repeat the call whose answer was lost.
     *
     * @param author who; not looked at
     * @param storyId the story that it is written for, or null
     * @param text 1 to 8,000 characters when secrets are taken out, not blank
     * @return the message as it was stored, now or before
     * @throws ChatException when the text is blank, too long, or cannot be scanned
     */
    public AuditLog.ChatPost postOnce(String author, @Nullable String storyId, String text) {
        String clean = checked(text);
        List<AuditLog.ChatPost> last = log.last(REMEMBERED);
        for (int i = last.size() - 1; i >= 0; i--) {
            AuditLog.ChatPost post = last.get(i);
            if (post.author().equals(author) && Objects.equals(post.storyId(), storyId)) {
                if (post.text().equals(clean)) {
                    return post;
                }
                break;
            }
        }
        return write(author, storyId, clean);
    }

    private AuditLog.ChatPost write(String author, @Nullable String storyId, String clean) {
        Instant now = Instant.now();
        long number = store.post(new AuditLog.ChatPost(0, sessionId, storyId, author, clean, now));
        listener.onEvent(new MaestroEvent.ChatPosted(storyId == null ? "" : storyId, author, number, clean, now));
        return new AuditLog.ChatPost(number, sessionId, storyId, author, clean, now);
    }

    private String checked(String text) {
        if (text.isBlank()) {
            throw new ChatException("the message is blank and was not posted; write what the others should know");
        }
        String clean = Scanned.text(redactor, text)
                .orElseThrow(() -> new ChatException(
                        "the message could not be scanned for secrets and was not posted; write it in other words"));
        if (clean.length() > Chat.MOST_CHARACTERS) {
            throw new ChatException("the message has " + clean.length() + " characters and was not posted; "
                    + Chat.MOST_CHARACTERS + " are allowed: say it shorter, or name the file where it stands");
        }
        return clean;
    }
}
