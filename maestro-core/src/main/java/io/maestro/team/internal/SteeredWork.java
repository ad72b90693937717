package io.maestro.team.internal;

import io.maestro.error.MaestroException;
import io.maestro.record.AuditLog;
import io.maestro.record.Cancellations;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.team.internal.dispatch.Dispatcher;
import io.maestro.team.internal.dispatch.MergeTurns;
import io.maestro.team.internal.spec.SpecDispatcher;
import io.maestro.team.internal.story.StoryRows;
import java.util.Set;

/** What people do with the work of this team. */
record SteeredWork(Store store, Dispatcher dispatcher, MergeTurns turns, SpecDispatcher specs)
        implements MonitorSource.StoryControls {
    @Override
    public String cancel(String id, String person) {
        if (dispatcher.cancel(id, "") || specs.cancel(id)) {
            return id + " is cancelled";
        }
        try {
            if (store.cancellations().ask(id, person, "") == Cancellations.Status.ENDED) {
                throw new MaestroException(id + " has ended", null);
            }
        } catch (IllegalArgumentException e) {
            throw new MaestroException(String.valueOf(e.getMessage()), e);
        }
        return id + " ends within seconds where another process works on it, else when it is resumed";
    }

    private static void requireHere(String id, boolean here) {
        if (!here) {
            throw new MaestroException(
                    id + " is not worked on by this Maestro; it has ended, was not resumed, or another process has it",
                    null);
        }
    }

    @Override
    public void retry(String storyId) {
        AuditLog.StoryRecord row =
                store.story(storyId).orElseThrow(() -> new MaestroException("there is no story " + storyId, null));
        if (row.state() != CoderState.ERROR) {
            throw new MaestroException("story " + storyId + " has not failed: it is in " + row.state(), null);
        }
        String spec = row.specId();
        if (spec != null
                && store.spec(spec).filter(one -> !one.state().isFinal()).isPresent()) {
            throw new MaestroException(
                    "the architect decides on story " + storyId + " as long as it works on specification " + spec,
                    null);
        }
        dispatcher.submit(StoryRows.story(row), event -> {});
    }

    @Override
    public void pause(String storyId) {
        requireHere(storyId, dispatcher.pause(storyId));
        turns.pass(storyId);
    }

    @Override
    public void goOn(String storyId) {
        requireHere(storyId, dispatcher.goOn(storyId));
    }

    @Override
    public void mergeNext(String storyId) {
        if (!store.merges().moveToHead(storyId)) {
            throw new MaestroException(
                    "story " + storyId
                            + " does not wait to be merged: it comes into the queue when its merge is agreed to",
                    null);
        }
    }

    @Override
    public Set<String> paused() {
        return dispatcher.paused(id ->
                store.story(id).filter(row -> row.state() == CoderState.WAITING).isPresent());
    }
}
