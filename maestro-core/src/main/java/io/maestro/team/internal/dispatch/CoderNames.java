package io.maestro.team.internal.dispatch;

import io.maestro.record.AuditLog;
import io.maestro.team.internal.story.StoryProgress;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names of coders, which are the names of their workspaces. A workspace that holds the work on a story that has not
 * ended is kept for that story, so there may be more names than coders at work; a story that is only merged needs its
 * workspace and no coder. Guarded by the dispatcher's lock.
 */
public final class CoderNames {
    /** As many as have a number of three digits. */
    public static final int MOST = 999;

    private final AuditLog record;
    private final WorkspaceMarkers marks;
    private final int maxCoders;
    private final Set<String> atWork = new HashSet<>();

    /** Those of {@link #atWork} that only merge. */
    private final Set<String> merging = new HashSet<>();

    /** @param maxCoders how many work at once */
    public CoderNames(AuditLog record, WorkspaceMarkers marks, int maxCoders) {
        this.record = record;
        this.marks = marks;
        this.maxCoders = maxCoders;
    }

    public static String of(int number) {
        return String.format(Locale.ROOT, "coder-%03d", number);
    }

    /** Whether a directory of this name is a coder's. */
    public static boolean isOne(String name) {
        return name.matches("coder-(?!000)\\d{3}");
    }

    /** Whether one more coder may work. */
    boolean hasRoom() {
        return atWork.size() - merging.size() < maxCoders;
    }

    /**
     * Whose workspace holds the work on a story, if one does. That of an earlier attempt gives way to the next one: elsewhere it
     * would be left behind when the story is done.
     */
    Optional<String> holderOf(AuditLog.StoryRecord story) {
        String workspaceId = StoryProgress.fromJson(story.data()).checkout().workspaceId();
        List<WorkspaceMarkers.WorkspaceMarker> held = marks.all().stream()
                .filter(mark -> mark.storyId().equals(story.id()))
                .toList();
        return held.stream()
                .filter(mark -> mark.workspaceId().equals(workspaceId))
                .findFirst()
                .or(() -> held.stream().findFirst())
                .map(WorkspaceMarkers.WorkspaceMarker::agentId);
    }

    /**
     * Takes a name: that of the workspace with the story's work, or the first one that is nobody's.
     *
     * @param asCoder false for one that only merges
     */
    String take(@Nullable String preferred, boolean asCoder) {
        String name = take(preferred);
        if (!asCoder) {
            merging.add(name);
        }
        return name;
    }

    private String take(@Nullable String preferred) {
        if (preferred != null && atWork.add(preferred)) {
            return preferred;
        }
        Set<String> kept = new HashSet<>(atWork);
        for (WorkspaceMarkers.WorkspaceMarker mark : marks.all()) {
            Optional<AuditLog.StoryRecord> story = record.story(mark.storyId());
            if (story.isPresent()
                    && !story.get().state().isFinal()
                    && mark.workspaceId()
                            .equals(StoryProgress.fromJson(story.get().data())
                                    .checkout()
                                    .workspaceId())) {
                kept.add(mark.agentId());
            }
        }
        for (int number = 1; number <= MOST; number++) {
            String name = of(number);
            if (!kept.contains(name)) {
                atWork.add(name);
                return name;
            }
        }
        throw new IllegalStateException("all " + MOST + " workspaces are in use");
    }

    void giveBack(String name) {
        atWork.remove(name);
        merging.remove(name);
    }
}
