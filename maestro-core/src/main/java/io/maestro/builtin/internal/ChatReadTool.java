package io.maestro.builtin.internal;

import io.maestro.chat.internal.ChatLog;
import io.maestro.chat.internal.ChatText;
import io.maestro.record.AuditLog;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** {@code chat_read}: looks back at what was written in the chat, by oneself, too. */
final class ChatReadTool implements ToolFactory {
    private static final int DEFAULT = 20;
    private static final int MOST = 50;

    /** Fewer than a runtime would cut in the middle. */
    private static final int MOST_CHARACTERS = 48_000;

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("chat_read")
                .description(
                        "Shows the newest messages of the team's chat, for looking back: what is new comes to you by"
                                + " itself")
                .input(schema -> schema.optional(
                        "last",
                        Property.integer("How many messages, from 1 to 50; default 20")
                                .between(1, MOST)))
                .readOnly()
                .offeredTo(
                        ToolAudience.CODER_PLANNING,
                        ToolAudience.CODER_CODING,
                        ToolAudience.ARCHITECT,
                        ToolAudience.ARCHITECT_SCOPING,
                        ToolAudience.ARCHITECT_EDITING)
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        ChatLog log = ChatPostTool.room(context).log();
        return call -> {
            List<AuditLog.ChatPost> posts =
                    log.last((int) call.arguments().optionalInteger("last").orElse(DEFAULT));
            return ToolResult.ok(posts.isEmpty() ? "nobody has written to the chat yet" : newest(posts));
        };
    }

    /** The newest that fit, oldest first. */
    private static String newest(List<AuditLog.ChatPost> posts) {
        Deque<String> texts = new ArrayDeque<>();
        int characters = 0;
        for (int i = posts.size() - 1; i >= 0; i--) {
            String text = ChatText.of(posts.get(i));
            characters += text.length() + 1;
            if (characters > MOST_CHARACTERS) {
                texts.addFirst("(" + (i + 1) + " older ones are left out, as all together are too long)");
                break;
            }
            texts.addFirst(text);
        }
        return String.join("\n", texts);
    }
}
