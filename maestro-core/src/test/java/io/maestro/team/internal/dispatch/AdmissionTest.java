package io.maestro.team.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.maestro.error.MaestroException;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.Store;
import io.maestro.story.Story;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A story that another process has leased, and did not begin. */
class AdmissionTest {
    private static final Duration LEASE = Duration.ofMillis(100);
    private static final Story STORY =
            Story.builder("a", "a").content("Build a").build();

    private final Leases leases = mock();
    private final Store store = mock();

    private void admit() {
        when(store.story("a")).thenReturn(Optional.empty());
        try (LeaseKeeper keeper = new LeaseKeeper(leases, "session", LEASE, true)) {
            new Admission(store, keeper, text -> text, "session", null, LEASE).admit(STORY);
        }
    }

    /** The first one was killed; the second one took the lease when it had expired, and was killed, too. */
    @Test
    void isBegunWhenTwoProcessesWereKilledWithIt() {
        long expires = System.nanoTime() + 2 * LEASE.toNanos();
        when(leases.acquire(anyList(), anyString(), any()))
                .then(call -> System.nanoTime() < expires ? Optional.empty() : Optional.of(Leases.story("a")));

        admit();

        verify(store).saveStory(any());
    }

    @Test
    void isNotWaitedForForEver() {
        when(leases.acquire(anyList(), anyString(), any())).thenReturn(Optional.empty());

        assertThatThrownBy(this::admit)
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("story a cannot be begun: another process has held it");
    }
}
