package io.maestro.git;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.TestRepository;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A forge whose checks take their time, for each commit anew, may merge as late as it likes. */
class PendingForgeTest extends ForgeContract {
    @Override
    Forge forge(TestRepository repository) {
        LocalForge local = new LocalForge();
        Map<String, Integer> asked = new ConcurrentHashMap<>();
        return new Forge() {
            @Override
            public String id() {
                return "pending";
            }

            @Override
            public Optional<String> propose(Proposal proposal) {
                return Optional.of("https://forge.example.org/" + proposal.storyId());
            }

            @Override
            public Outcome merge(Proposal proposal) {
                return asked.merge(proposal.commit(), 1, Integer::sum) < 3
                        ? new Outcome.Pending(Duration.ofMillis(1))
                        : local.merge(proposal);
            }
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void askingAgainAtOnceIsNoAnswer(long seconds) {
        assertThatThrownBy(() -> new Forge.Outcome.Pending(Duration.ofSeconds(seconds)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** What a server says may be anything. */
    @Test
    void noTimeIsLongerThanTheLongest() {
        Duration longest = Forge.Outcome.Pending.LONGEST;
        for (Duration time : List.of(longest.plusNanos(1), Duration.ofSeconds(Long.MAX_VALUE, 999_999_999))) {
            assertThat(new Forge.Outcome.Pending(time).again()).isEqualTo(longest);
        }
        for (Duration time : List.of(Duration.ofNanos(1), longest.minusNanos(1), longest)) {
            assertThat(new Forge.Outcome.Pending(time).again()).isEqualTo(time);
        }
    }
}
