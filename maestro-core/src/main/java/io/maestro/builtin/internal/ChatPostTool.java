package io.maestro.builtin.internal;

import io.maestro.chat.ChatException;
import io.maestro.chat.internal.ChatRoom;
import io.maestro.record.AuditLog;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;

/**
 * {@code chat_post}: tells the other agents and the host something. It leaves the workspace alone, so it is offered while
 * planning; but it is not read-only, as a call that is made twice is read twice.
 */
final class ChatPostTool implements ToolFactory {
    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("chat_post")
                .description(
                        "Writes a message to the team's chat, which all agents and the people around them read; for"
                                + " what others should know. Nobody has to answer it")
                .input(schema -> schema.required(
                        "text",
                        Property.string("The message: up to 8,000 characters, no secrets")
                                .minLength(1)))
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
        ChatRoom room = room(context);
        return call -> {
            try {
                AuditLog.ChatPost post = room.postOnce(
                        context.agentId(),
                        context.storyId().orElse(null),
                        call.arguments().string("text"));
                return ToolResult.ok("It is message #" + post.number() + " of the chat.");
            } catch (ChatException e) {
                return ToolResult.error(e.getMessage());
            }
        };
    }

    static ChatRoom room(ToolContext context) {
        return context.service(ChatRoom.class).orElseThrow(() -> new ToolException("there is no chat here", null));
    }
}
