package io.maestro.examples.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.exec.ExecRequest;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.testkit.contract.ExecutorContract;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The local executor, which does the work, has the same tests among the short ones. */
@Tag("full")
class LimitedExecutorTest extends ExecutorContract {
    private final Semaphore turns = new Semaphore(2);

    @Override
    protected Executor executor(Path directory) {
        return new LimitedExecutor(LocalExecutor.builder(directory).build(), turns);
    }

    @Test
    void aCommandWaitsForItsTurn() throws InterruptedException {
        turns.acquire(2);
        Thread caller = new Thread(() -> executor.run(ExecRequest.shell("true").build()));
        caller.start();
        caller.join(200);
        assertThat(caller.isAlive()).isTrue();
        turns.release(2);
        caller.join(10_000);
        assertThat(caller.isAlive()).isFalse();
    }
}
