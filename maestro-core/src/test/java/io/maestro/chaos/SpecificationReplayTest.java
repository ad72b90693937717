package io.maestro.chaos;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.record.internal.Store;
import io.maestro.replay.SpecReplay;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.SpecResult;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The stories conflict with each other and with those beside them: each is sent back until what it brings in is what was. */
@Timeout(3600)
class SpecificationReplayTest {
    @TempDir
    Path directory;

    @Test
    @Full("six stories, twice; ReplayTest has one that brings in what others have merged")
    void aRecordedSpecificationGivesTheSameFilesAgain() {
        for (int round = 0; round < Campaign.number(1); round++) {
            Path place = directory.resolve("round-" + round);
            TestRepository repository = SixStories.repository(place);
            try (Maestro maestro = SixStories.maestro(place, repository).build()) {
                // Some of these are merged in between.
                SixStories.EXTRAS.forEach(maestro::submit);
                SpecResult result = maestro.runSpec(SixStories.SPEC);
                assertThat(result.outcome()).as(result.toMarkdown()).isEqualTo(SpecResult.Outcome.COMPLETED);
            }
            try (Store log =
                    Store.sqlite(place.resolve("project/.maestro/maestro.db"), SecretRedactor.withDefaults())) {
                SpecReplay.Result result = SpecReplay.of(log, SixStories.SPEC.id())
                        .run(repository.url(), place.resolve("replay"), SpecificationReplayTest::settings);
                assertThat(result.different()).as("round %d", round).isEmpty();
                assertThat(result.stories()).hasSize(6);
                assertThat(result.stories().stream().flatMap(story -> story.tree().stream()))
                        .hasSize(5);
            }
        }
    }

    private static void settings(MaestroBuilder builder) {
        builder.limits(SixStories.LIMITS).testCommand(SixStories.TESTS).tools(tools -> tools.discover(false));
    }
}
