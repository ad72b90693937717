package io.maestro.team.internal.spec;

import io.maestro.record.AuditLog;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.internal.StoryDraft;
import io.maestro.team.internal.dispatch.LeaseKeeper;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.team.internal.story.StoryRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The rows of the stories of a specification. Their ids follow from the order, so that no story is ever made twice. */
final class SpecStories {
    private final Store store;
    private final LeaseKeeper leases;
    private final String sessionId;

    SpecStories(Store store, LeaseKeeper leases, String sessionId) {
        this.store = store;
        this.leases = leases;
        this.sessionId = sessionId;
    }

    /** Whether an id is that of a story of a specification, or may become one. */
    static boolean isOf(String specId, String storyId) {
        return storyId.startsWith(specId) && storyId.substring(specId.length()).matches("-\\d\\d");
    }

    private static String id(String specId, int number) {
        return String.format(Locale.ROOT, "%s-%02d", specId, number);
    }

    /** New stories, in the order in which they were submitted. */
    List<AuditLog.StoryRecord> submitted(String specId, List<StoryDraft> drafts) {
        Map<String, String> ids = new LinkedHashMap<>();
        drafts.forEach(draft -> ids.put(draft.title(), id(specId, ids.size() + 1)));
        List<AuditLog.StoryRecord> records = new ArrayList<>();
        for (StoryDraft draft : drafts) {
            Story.Builder story = Story.builder(Objects.requireNonNull(ids.get(draft.title())), draft.title())
                    .content(draft.content())
                    .type(draft.type())
                    .dependsOn(draft.dependencies().stream()
                            .map(title -> Objects.requireNonNull(ids.get(title)))
                            .toArray(String[]::new));
            records.add(StoryRows.waiting(
                    draft.express() ? story.express().build() : story.build(), null, specId, sessionId));
        }
        return records;
    }

    /** The next attempt at a story that has ended. */
    AuditLog.StoryRecord nextAttempt(AuditLog.StoryRecord before, String title, String content) {
        return StoryRows.waiting(StoryRows.story(before, title, content), before, before.specId(), sessionId);
    }

    /**
     * Writes a next attempt. Whoever worked on the last one may be another process, so that the record takes it only from one
     * that has leased the story.
     *
     * @return false when another process has the story, and so has begun a next attempt or is about to
     */
    boolean save(AuditLog.StoryRecord next) {
        String key = Leases.story(next.id());
        if (leases.acquire(List.of(key)).isEmpty()) {
            return false;
        }
        try {
            boolean first = store.story(next.id()).stream().allMatch(row -> row.attempt() < next.attempt());
            if (first) {
                store.saveStory(next);
            }
            return first;
        } finally {
            leases.giveBack(key);
        }
    }

    /**
     * The next attempts at the stories that an earlier life has cancelled without being told to, or would not begin. What it
     * has noted as an end stays one, and so does what somebody wanted to end, unless the specification begins again.
     */
    List<AuditLog.StoryRecord> requeued(SpecRun run, boolean again) {
        return store.storiesOf(run.spec.id()).stream()
                .filter(story -> story.state() == CoderState.ERROR
                        && !run.progress.ended().containsKey(story.id()))
                .filter(story -> StoryProgress.fromJson(story.data()).outcome() == StoryResult.Outcome.CANCELLED
                        || again && run.progress.isGivenUp(story.id()))
                .filter(story -> again || !wasWantedToEnd(story))
                .map(story -> nextAttempt(story, story.title(), story.content()))
                .toList();
    }

    private boolean wasWantedToEnd(AuditLog.StoryRecord story) {
        return store.cancellations().of(story.id()).stream()
                .anyMatch(cancellation -> cancellation.attempt() == story.attempt());
    }
}
