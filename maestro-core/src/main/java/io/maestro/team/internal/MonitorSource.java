package io.maestro.team.internal;

import io.maestro.agent.AgentStatus;
import io.maestro.agent.Limits;
import io.maestro.chat.Chat;
import io.maestro.inbox.Inbox;
import io.maestro.record.AuditLog;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What a monitor shows.
 *
 * @param log the record
 * @param inbox what waits for people
 * @param chat of agents and host
 * @param limits what a story may cost
 * @param agents who works now
 * @param diffs of merged commits
 * @param work what people may do with it
 */
public record MonitorSource(
        AuditLog log,
        Inbox inbox,
        Chat chat,
        Limits limits,
        Supplier<List<AgentStatus>> agents,
        Function<String, Optional<String>> diffs,
        StoryControls work) {
    /** What people may do with stories and specifications. */
    public interface StoryControls {
        /**
         * Ends a story or a specification, whoever works on it. The others throw a MaestroException when it is not worked on here.
         *
         * @param person who wants that
         * @return what has come of it, for the person
         */
        String cancel(String id, String person);

        /** Begins the next attempt at a story that has failed; not while an architect still decides about it. */
        void retry(String storyId);

        /** Lets a story stay where it stands, without a coder. */
        void pause(String storyId);

        /** Goes on with a story that was paused. */
        void goOn(String storyId);

        /** Gives a story the next turn of those that wait to be merged. */
        void mergeNext(String storyId);

        /** The stories that are paused. */
        Set<String> paused();
    }
}
