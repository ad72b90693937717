package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.MaestroException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BackgroundWorkTest {
    private static Submission<String> work(CompletableFuture<String> done, Runnable cancel) {
        return new BackgroundWork<>("1", done, cancel, listener -> {});
    }

    @Test
    void whoWaitsAndIsInterruptedCancelsTheWorkAndStillWaitsForItsEnd() {
        CompletableFuture<String> done = new CompletableFuture<>();
        Thread.currentThread().interrupt();
        assertThat(work(done, () -> done.complete("cancelled")).await()).isEqualTo("cancelled");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aKnownFailureIsThrownAsItIsAndAFaultIsNamed() throws Exception {
        MaestroException known = new MaestroException("closed");
        Submission<String> closed = work(CompletableFuture.failedFuture(known), () -> {});
        assertThatThrownBy(closed::await).isSameAs(known);
        assertThatThrownBy(() -> closed.await(Duration.ZERO)).isSameAs(known);
        for (Throwable fault : new Throwable[] {new IllegalStateException("disk"), new StackOverflowError("deep")}) {
            assertThatThrownBy(() -> work(CompletableFuture.failedFuture(fault), () -> {})
                            .await())
                    .isInstanceOf(MaestroException.class)
                    .hasMessage("it ended by a fault in Maestro itself: " + fault)
                    .hasCause(fault);
        }
        assertThat(work(new CompletableFuture<>(), () -> {}).await(Duration.ofMillis(1)))
                .isEmpty();
    }
}
