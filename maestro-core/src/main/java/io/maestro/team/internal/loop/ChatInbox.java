package io.maestro.team.internal.loop;

import io.maestro.chat.internal.ChatLog;
import io.maestro.chat.internal.ChatText;
import io.maestro.llm.LlmContent;
import io.maestro.record.AuditLog;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Gives an agent what its model has not read yet of the chat, as one block of text for its conversation. Safe for use by several
 * threads.
 *
 * <p>What was read is not stored but derived, so that it cannot disagree with what a conversation holds:
 *
 * <ul>
 *   <li>A reader is a conversation: an agent's, about one story, in one state. The architect reads for each story, and a
 *       coder that begins to code is told what it was told while it planned, since the new conversation does not hold it.
 *   <li>A reader starts at {@link #newest()} of the time when a coder took the story, which the caller keeps with the story:
 *       it reads what is said while the story is worked on, not the chat of years.
 *   <li>Where the model is asked next, and never between its calls of tools and their results, the caller asks for what is
 *       {@link #unread} after the greater one of that start and the highest number that the conversation was shown, and
 *       adds the block as a text of its own to the user's side.
 *   <li>The highest number follows from the texts on the user's side ({@link #highestIn}): of all that were ever added,
 *       those that a compaction has left out included, and likewise when the conversation is rebuilt from the record.
 *       Where the process died before the block was recorded, the next one gives it; none is given twice.
 * </ul>
 */
public final class ChatInbox {
    /** Every block begins with it, and nothing else that Maestro writes into a conversation does. */
    static final String FIRST_LINE = "New messages in the team's chat; answer with chat_post only where it helps:";

    private static final int MOST_MESSAGES = 20;

    /** Of the messages' texts; the longest message is well below it. */
    private static final int MOST_CHARACTERS = 16_000;

    private static final int PAGE = 200;

    /** Texts are indented (see {@link ChatText}), so that only a head stands at the beginning of a line. */
    private static final Pattern HEAD = Pattern.compile("^\\[chat #(\\d{1,18}) from ", Pattern.MULTILINE);

    private final ChatLog log;

    public ChatInbox(ChatLog log) {
        this.log = log;
    }

    /**
     * What is new for a reader.
     *
     * @param block to be added to its conversation; empty when there is nothing
     * @param upTo from where to go on the next time; beyond the highest number of the block where messages of the reader's
     *     own follow it
     */
    public record News(Optional<String> block, long upTo) {}

    /** Where a reader starts that has read nothing; 0 when nobody has written yet. */
    long newest() {
        return log.newest();
    }

    /**
     * What a reader has not read: oldest first, at most 20 messages with 16,000 characters, but one at least; how many are
     * left for the next time is said at the end. What it has written itself for this story is not in it.
     *
     * @param storyId the story that it works on, or null
     * @param after the number that came with the last news, the highest that was shown, or the reader's start
     */
    News unread(String agentId, @Nullable String storyId, long after) {
        StringJoiner block = new StringJoiner("\n", FIRST_LINE + "\n", "").setEmptyValue("");
        long read = after;
        long upTo = after;
        int shown = 0;
        int characters = 0;
        int left = 0;
        List<AuditLog.ChatPost> page;
        do {
            page = log.read(read, PAGE);
            for (AuditLog.ChatPost post : page) {
                read = post.number();
                boolean own = post.author().equals(agentId) && Objects.equals(post.storyId(), storyId);
                int length = own ? 0 : post.text().length();
                boolean full = left > 0
                        || !own && shown > 0 && (shown == MOST_MESSAGES || characters + length > MOST_CHARACTERS);
                if (full) {
                    left += own ? 0 : 1;
                    continue;
                }
                upTo = read;
                if (!own) {
                    block.add(ChatText.of(post));
                    shown++;
                    characters += length;
                }
            }
        } while (page.size() == PAGE && left == 0);
        if (left > 0) {
            block.add("(" + (page.size() == PAGE ? "at least " : "") + left + " more: they follow the next time)");
        }
        return new News(shown == 0 ? Optional.empty() : Optional.of(block.toString()), upTo);
    }

    /** Whether a part of a conversation is a block of this class, and no prompt. */
    static boolean isNews(LlmContent content) {
        return content instanceof LlmContent.Text text && text.text().startsWith(FIRST_LINE + "\n");
    }

    /**
     * The highest number of a message that was shown. Only whole blocks of this class count: what a tool answers, and what
     * a prompt or a message of the chat quotes, may hold lines that look like theirs, but does not begin a text of
     * Maestro's own.
     *
     * @param userSide parts of a conversation that Maestro has added, and not a model
     * @return 0 when there is none
     */
    static long highestIn(Iterable<LlmContent> userSide) {
        long highest = 0;
        for (LlmContent content : userSide) {
            if (isNews(content)) {
                Matcher heads = HEAD.matcher(((LlmContent.Text) content).text());
                while (heads.find()) {
                    highest = Math.max(highest, Long.parseLong(heads.group(1)));
                }
            }
        }
        return highest;
    }
}
