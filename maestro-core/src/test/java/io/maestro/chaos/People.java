package io.maestro.chaos;

import io.maestro.agent.Architect.Kind;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.inbox.InboxItem;
import io.maestro.record.StoreException;
import io.maestro.record.internal.Store;
import io.maestro.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * People in another process than the hosts, who answer as the architect of the six stories does: several at once, one counts. They
 * take their time, in which stories are parked.
 */
final class People implements AutoCloseable {
    private static final int NUMBER = 3;
    private static final long MOST_NANOS = 1_500_000_000;

    private final KilledProject project;
    private final AtomicBoolean gone = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();

    /** How many answers to a request were the one that counts. */
    final ConcurrentHashMap<String, AtomicInteger> counted = new ConcurrentHashMap<>();

    /** Makes them decide in a project, from its first host on. */
    People(KilledProject project) throws IOException {
        this.project = project;
        Files.createFile(marker(project.directory));
        for (int i = 0; i < NUMBER; i++) {
            String name = "person-" + i;
            Thread thread = new Thread(() -> answer(name), name);
            threads.add(thread);
            thread.start();
        }
    }

    /** Where it says that people decide. */
    static Path marker(Path directory) {
        return directory.resolve("people");
    }

    private void answer(String name) {
        Await.until("a host has a record", () -> gone.get() || Orphans.hasRecord(project));
        while (!gone.get()) {
            try (Store record = Orphans.open(project)) {
                Inbox inbox = new Inbox(record.requests(), () -> {});
                while (!gone.get()) {
                    inbox.pending().forEach(item -> {
                        if (inbox.answer(item.id(), decide(name, item)).status() == Inbox.Status.COUNTS) {
                            counted.computeIfAbsent(item.id(), id -> new AtomicInteger())
                                    .incrementAndGet();
                        }
                    });
                    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MOST_NANOS));
                }
            } catch (StoreException e) {
                // Its tables may be in the making.
                LockSupport.parkNanos(20_000_000);
            }
        }
    }

    private static InboxAnswer decide(String name, InboxItem item) {
        if (item.kind() == Kind.QUESTION) {
            return InboxAnswer.say(name, "good right");
        }
        if (item.kind() == Kind.PLAN_REVIEW
                && item.storyTitle().equals("odd")
                && !item.storyContent().contains("a word that makes it acceptable")) {
            return InboxAnswer.reject(name, "that is no story");
        }
        return InboxAnswer.approve(name, "fine");
    }

    @Override
    public void close() throws InterruptedException {
        gone.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
