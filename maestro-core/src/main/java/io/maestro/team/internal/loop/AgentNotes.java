package io.maestro.team.internal.loop;

import io.maestro.agent.internal.Todos;
import java.util.Optional;

/** The team's chat and the coders' todo lists, for conversations. Safe for use by several threads. */
public final class AgentNotes {
    private final ChatInbox inbox;
    private final Todos todos;

    /** Both come from the record. */
    public AgentNotes(ChatInbox inbox, Todos todos) {
        this.inbox = inbox;
        this.todos = todos;
    }

    /** The number of the newest message of the chat. */
    public long newest() {
        return inbox.newest();
    }

    /** A turn whose model reads the chat from a message on, and keeps its todos. */
    public LoopInput withChatAndTodos(LoopInput input, long since) {
        ModelConversation conversation = input.conversation();
        return withChat(input, since).todos(() -> todos(conversation.origin().storyId(), conversation.attempt()));
    }

    /** A turn whose model reads the chat from a message on. */
    public LoopInput withChat(LoopInput input, long since) {
        return input.news(() -> unread(input.conversation(), since));
    }

    private Optional<String> unread(ModelConversation conversation, long since) {
        return unread(
                        conversation.origin().agentId(),
                        conversation.origin().storyId(),
                        Math.max(since, conversation.chatShown()))
                .block();
    }

    /** What an agent has not read yet of the chat. */
    public ChatInbox.News unread(String agentId, String storyId, long after) {
        return inbox.unread(agentId, storyId, after);
    }

    /** What is to do; empty when nothing was noted. */
    public String todos(String storyId, int attempt) {
        return todos.asText(storyId, attempt);
    }
}
