package io.maestro.team.internal.coder;

import io.maestro.agent.CoderState;
import io.maestro.audit.Store.StoryRecord;
import io.maestro.git.StaleBranch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Finds branches of stories that are over. Only stories of this record count: another Maestro with another record may work in
 * the same repository, and its branches look the same.
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
                .filter(story -> isOver(story) || !name.equals(story.branch()))
                .filter(story -> stories.stream().allMatch(one -> isOver(one) || !name.equals(one.branch())))
                .ifPresent(
                        story -> stale.add(new StaleBranch(name, tip, story.id(), story.state() == CoderState.DONE))));
        return List.copyOf(stale);
    }

    /** Of stories 7 and 7-2 both may have had the branch story-7-2: then it is the one with the longer id that counts. */
    private static Optional<StoryRecord> owner(String name, Collection<StoryRecord> stories) {
        return stories.stream()
                .filter(story -> Pattern.matches("maestro/story-" + Pattern.quote(story.id()) + "(-\\d{1,3})?", name))
                .max(Comparator.comparingInt(story -> story.id().length()));
    }

    private static boolean isOver(StoryRecord story) {
        return story.state() == CoderState.DONE || story.state() == CoderState.ERROR;
    }
}
