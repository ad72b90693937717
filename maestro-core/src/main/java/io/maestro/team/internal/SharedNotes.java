package io.maestro.team.internal;

import io.maestro.builtin.internal.Todos;
import java.util.Optional;

/**
 * What agents know beside their conversations: the team's chat, and what a coder has noted to do. Safe for use by several
 * threads.
 */
final class SharedNotes {
    private final ChatInbox inbox;
    private final Todos todos;

    SharedNotes(ChatInbox inbox, Todos todos) {
        this.inbox = inbox;
        this.todos = todos;
    }

    /** A coder takes a story: it reads what is written from now on. */
    void begin(StoryRun run) {
        run.progress.chatSince = newest();
    }

    /** The number of the newest message of the chat. */
    long newest() {
        return inbox.newest();
    }

    /** A visit whose model reads the chat and keeps its todos. */
    Visit join(Visit visit, StoryRun run) {
        return readingAlong(visit, run.progress.chatSince).todos(() -> todos(run));
    }

    /** A visit whose model reads the chat. */
    Visit readingAlong(Visit visit, long since) {
        return visit.news(() -> unread(visit.conversation(), since));
    }

    private Optional<String> unread(Conversation conversation, long since) {
        return inbox.unread(
                        conversation.origin().agentId(),
                        conversation.origin().storyId(),
                        Math.max(since, conversation.chatShown()))
                .block();
    }

    /** What a program has not read yet of the chat. */
    ChatInbox.News unread(StoryRun run, long after) {
        return inbox.unread(run.agentId, run.story.id(), Math.max(after, run.progress.chatSince));
    }

    /** What is to do; empty when nothing was noted. */
    String todos(StoryRun run) {
        return todos.asText(run.story.id(), run.attempt);
    }
}
