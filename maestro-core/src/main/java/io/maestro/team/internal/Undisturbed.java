package io.maestro.team.internal;

import io.maestro.internal.Threads;
import java.util.concurrent.CompletableFuture;

/** Does what must not be cut short when a story is cancelled: what it starts in a sandbox would hear the interrupt. */
final class Undisturbed {
    private Undisturbed() {}

    /**
     * Does something on a thread of its own, which nobody interrupts, and waits for its end. The caller's interrupt status
     * stays.
     *
     * @throws io.maestro.error.MaestroException when it fails
     */
    static void run(String name, Runnable work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Thread thread = Threads.newFactory(name).newThread(() -> {
            Thread.currentThread().setContextClassLoader(loader);
            try {
                work.run();
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        thread.start();
        Awaiting.end(done, () -> {});
    }
}
