package io.maestro.team.internal.coder;

import io.maestro.git.StaleBranch;
import io.maestro.record.AuditLog.StoryRecord;
import io.maestro.story.CoderState;
import io.maestro.team.internal.story.StoryProgress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds branches of stories that are over. Only what stories of this record have pushed counts, not what is called like it: another
 * record may have a story of the same id in the same repository.
 */
public final class StaleBranches {
    private StaleBranches() {}

    /**
     * Finds them.
     *
     * @param branches those of stories in the real repository, each with its tip
     * @param stories all of the record
     */
    public static List<StaleBranch> of(Map<String, String> branches, Collection<StoryRecord> stories) {
        List<StaleBranch> stale = new ArrayList<>();
        branches.forEach((name, tip) -> owner(name, stories)
                .filter(story -> stories.stream().allMatch(one -> isOver(one) || !name.equals(one.branch())))
                .ifPresent(
                        story -> stale.add(new StaleBranch(name, tip, story.id(), story.state() == CoderState.DONE))));
        return List.copyOf(stale);
    }

    /** Stories 7 and 7-2 may both have pushed story-7-2, one after the other: then it is that of the later one. */
    private static Optional<StoryRecord> owner(String name, Collection<StoryRecord> stories) {
        return stories.stream()
                .filter(story -> StoryProgress.fromJson(story.data())
                        .published()
                        .pushedBranches()
                        .contains(name))
                .max(Comparator.comparing(StoryRecord::updatedAt));
    }

    private static boolean isOver(StoryRecord story) {
        return story.state() == CoderState.DONE || story.state() == CoderState.ERROR;
    }
}
