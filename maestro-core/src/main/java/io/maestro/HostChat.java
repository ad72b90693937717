package io.maestro;

import io.maestro.chat.Chat;
import io.maestro.chat.ChatException;
import io.maestro.chat.internal.ChatRoom;
import io.maestro.record.AuditLog;
import java.util.List;
import java.util.regex.Pattern;

/** The chat as a host uses it: it may write in any name but an agent's. */
final class HostChat implements Chat {
    private static final Pattern AUTHOR = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");

    /** In whatever case: people and models do not tell {@code Coder-001} from {@code coder-001}. */
    private static final Pattern AGENT = Pattern.compile("(?i)(coder|architect)-[0-9]+|dispatcher");

    private final ChatRoom room;

    HostChat(ChatRoom room) {
        this.room = room;
    }

    @Override
    public AuditLog.ChatPost post(String author, String text) {
        if (!AUTHOR.matcher(author).matches()) {
            // Not the name: it may be a text that was given in the wrong place.
            throw new ChatException(
                    "the author's name cannot be used and the message was not posted; use 1 to 64 letters,"
                            + " digits, '_', '.' and '-', the first a letter or a digit");
        }
        if (AGENT.matcher(author).matches()) {
            throw new ChatException(
                    "'" + author + "' is the name of an agent and the message was not posted; a host does"
                            + " not write in the name of an agent");
        }
        return room.post(author, null, text);
    }

    @Override
    public List<AuditLog.ChatPost> read(long after, int most) {
        return room.log().read(after, most);
    }

    @Override
    public List<AuditLog.ChatPost> last(int most) {
        return room.log().last(most);
    }
}
