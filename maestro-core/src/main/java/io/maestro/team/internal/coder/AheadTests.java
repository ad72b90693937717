package io.maestro.team.internal.coder;

import io.maestro.git.internal.Workspace;
import io.maestro.record.StoreException;
import io.maestro.record.internal.Store;
import io.maestro.team.internal.dispatch.MergeTurns;
import io.maestro.team.internal.machine.CancelledException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tests a story that waits for its turn to be merged, together with what those before it will have merged. When it comes so, the
 * tree is the same, and it is merged without another run; else it is as if nothing had been done.
 */
final class AheadTests {
    private static final Logger LOG = LoggerFactory.getLogger(AheadTests.class);

    private final TestRuns tests;
    private final MergeTurns turns;
    private final Store store;

    AheadTests(TestRuns tests, MergeTurns turns, Store store) {
        this.tests = tests;
        this.turns = turns;
        this.store = store;
    }

    /** Does it when the story is chosen for it, and ends early when it is of no use any more. */
    void run(StoryAttempt run) {
        String id = run.story().id();
        Optional<String> predicted = turns.beginAhead(id);
        if (predicted.isEmpty()) {
            return;
        }
        boolean passed = false;
        try {
            passed = passes(run, predicted.get());
        } catch (RuntimeException e) {
            boolean stops = e instanceof CancelledException || e instanceof StoreException;
            if (run.stop().cause().isPresent() || stops && !turns.isUseless(id)) {
                throw e;
            }
            LOG.info("story {} is tested at its turn: {}", id, e.getMessage());
        } finally {
            if (turns.finishAhead(id, passed)) {
                run.stop().dropOwn();
            }
        }
    }

    private boolean passes(StoryAttempt run, String predicted) {
        String reviewed = run.work().reviewedTree();
        // An image that the coder has chosen is checked at its turn.
        if (reviewed == null || run.images().forProject() != null) {
            return false;
        }
        Optional<Workspace.Snapshot> snapshot = run.workspace().integrated(reviewed, predicted);
        if (snapshot.isEmpty() || snapshot.get().empty()) {
            return false;
        }
        String tree = snapshot.get().tree();
        run.workspace().share(snapshot.get());
        turns.predict(run.story().id(), tree);
        Optional<TestRuns.TestRunReport> report = tests.ahead(run, snapshot.get());
        report.ifPresent(passed ->
                run.save(store, () -> run.work().passedAhead(tree, passed.headline(), passed.summary())));
        return report.isPresent();
    }
}
