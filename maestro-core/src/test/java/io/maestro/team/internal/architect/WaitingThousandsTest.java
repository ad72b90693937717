package io.maestro.team.internal.architect;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.maestro.agent.Architect.Kind;
import io.maestro.agent.Architect.Request;
import io.maestro.agent.Limits;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.inbox.InboxItem;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.settings.PeopleOptions;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.team.internal.coder.StoryAttempt;
import io.maestro.team.internal.coder.TestRun;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.testing.Await;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many who wait for people. */
@Timeout(900)
class WaitingThousandsTest {
    private static final int MANY = 10_000;
    private static final long MOST_BYTES = 64L << 20;

    @TempDir
    Path directory;

    @Test
    @Full("half a minute; PeopleTest has one that waits, and InboxWatch is the same for all")
    void whatWaitsHoldsNoThreadAndNoText() throws Exception {
        Path file = directory.resolve("record.db");
        try (Store store = Store.sqlite(file, text -> text);
                Store elsewhere = Store.sqlite(file, text -> text);
                Effects effects = new Effects(
                        store,
                        PeopleOptions.defaults().decide(Kind.QUESTION, Kind.values()),
                        () -> null,
                        Limits.defaults(),
                        text -> text,
                        new Events(List.of()),
                        story -> {})) {
            store.beginSession(new AuditLog.Session("session", "r", Instant.now(), 1, null));
            store.saveStory(run(0).toRecord(CoderState.PLAN_REVIEW));
            String plan = "x".repeat(8_000);
            long before = used();
            int threads = Thread.activeCount();

            List<CompletableFuture<?>> waiting = new ArrayList<>();
            for (int step = 1; step <= MANY; step++) {
                StoryAttempt run = run(step);
                Map<String, String> facts = Map.of(Request.PLAN, plan + step);
                ParkedException parked =
                        catchThrowableOfType(ParkedException.class, () -> effects.ask(run, Kind.PLAN_REVIEW, facts));
                waiting.add(parked.until());
            }
            long bytes = used() - before;
            System.out.printf("%d wait: %d KB, %d threads%n", MANY, bytes >> 10, Thread.activeCount() - threads);
            assertThat(bytes).isLessThan(MOST_BYTES);
            // The one that looks for all of them.
            assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads + 1);
            assertThat(waiting).noneMatch(CompletableFuture::isDone);

            Inbox inbox = new Inbox(elsewhere.requests(), () -> {});
            AuditLog.Page<InboxItem> page = inbox.pending(0, Inbox.MOST);
            assertThat(page.rows()).hasSize(Inbox.MOST);
            page.rows().forEach(item -> inbox.answer(item.id(), InboxAnswer.approve("alice")));
            Await.until(
                    "those that were answered go on",
                    () -> waiting.stream().filter(CompletableFuture::isDone).count() == Inbox.MOST);
            assertThat(waiting.subList(0, Inbox.MOST)).allMatch(CompletableFuture::isDone);
        }
    }

    private static StoryAttempt run(int step) {
        StoryProgress progress = StoryProgress.fromJson("{\"step\":" + step + "}");
        return TestRun.of(Story.builder("042", "T").content("C").build(), 1, progress, CoderState.PLAN_REVIEW);
    }

    private static long used() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
