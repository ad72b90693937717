package io.maestro.team.internal.dispatch;

import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What stories that have not begun depend on, according to the record. */
final class Dependencies {
    private final AuditLog record;

    Dependencies(AuditLog record) {
        this.record = record;
    }

    /** How a story that has not begun depends on itself, by others that have not begun, if it does. */
    Optional<String> circle(AuditLog.StoryRecord story) {
        return circle(story.id(), List.of(story.id()), story.dependsOn(), new HashSet<>());
    }

    private Optional<String> circle(String start, List<String> way, List<String> dependencies, Set<String> seen) {
        for (String next : dependencies) {
            List<String> longer = new ArrayList<>(way);
            longer.add(next);
            if (next.equals(start)) {
                return Optional.of(String.join(" -> ", longer));
            }
            Optional<AuditLog.StoryRecord> row = seen.add(next)
                    ? record.story(next).filter(known -> known.state() == CoderState.WAITING)
                    : Optional.empty();
            Optional<String> found = row.flatMap(known -> circle(start, longer, known.dependsOn(), seen));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** The state of a story that another one depends on; empty when nobody has submitted it. */
    Optional<CoderState> state(String storyId) {
        return record.story(storyId).map(AuditLog.StoryRecord::state);
    }
}
