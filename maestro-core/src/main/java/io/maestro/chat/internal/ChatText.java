package io.maestro.chat.internal;

import io.maestro.record.AuditLog;
import java.util.regex.Pattern;

/** How a message looks to a model. */
public final class ChatText {
    private static final Pattern LINE_END = Pattern.compile("\\R");

    private ChatText() {}

    /**
     * A message as text. Its own lines are indented: none of them can look like the head of another message.
     *
     * @param post the message
     * @return for example {@code [chat #17 from architect-001, story 042]} and the indented text below it
     */
    public static String of(AuditLog.ChatPost post) {
        return "[chat #" + post.number() + " from " + post.author()
                + (post.storyId() == null ? "" : ", story " + post.storyId()) + "]\n  "
                + LINE_END.matcher(post.text()).replaceAll("\n  ");
    }
}
