package io.maestro.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.MaestroBuilder;
import io.maestro.MaestroRecord;
import io.maestro.record.AuditLog;
import io.maestro.replay.Replay;
import io.maestro.replay.SpecReplay;
import io.maestro.secrets.SecretRedactor;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The demo's records are played again: {@code -Dmaestro.number} says how often, each time with a record of its own. */
@Tag("full")
class DemoReplayTest {
    private static final int NUMBER = Integer.getInteger("maestro.number", 1);

    @TempDir
    Path directory;

    @Test
    void theSampleStory() {
        replayed(DemoReplayTest::story);
    }

    /** A check of the server refuses the first change, and a person the second. */
    @Test
    void theSampleStoryByPullRequest() {
        replayed(DemoReplayTest::story, "--forge");
    }

    @Test
    void theSampleSpecification() {
        replayed(
                (log, home) -> {
                    SpecReplay.Result result = SpecReplay.of(log, "world")
                            .run(
                                    home.resolve("origin.git").toString(),
                                    home.resolve("replay"),
                                    DemoReplayTest::settings);
                    assertThat(result.different()).isEmpty();
                    assertThat(result.stories()).hasSize(3);
                },
                "--spec");
    }

    private void replayed(BiConsumer<AuditLog, Path> replay, String... options) {
        for (int round = 0; round < NUMBER; round++) {
            Path home = directory.resolve("round-" + round);
            CommandLine demo = new CommandLine(new Demo());
            String[] arguments = Arrays.copyOf(options, options.length + 2);
            arguments[options.length] = "--directory";
            arguments[options.length + 1] = home.toString();
            assertThat(demo.execute(arguments)).isZero();
            try (MaestroRecord record =
                    MaestroRecord.sqlite(home.resolve("project/.maestro/maestro.db"), SecretRedactor.withDefaults())) {
                replay.accept(record.auditLog(), home);
            }
        }
    }

    private static void story(AuditLog log, Path home) {
        Replay.Result result = Replay.of(log, "001")
                .run(home.resolve("origin.git").toString(), home.resolve("replay"), DemoReplayTest::settings);
        assertThat(result.same()).as("%s", result).isTrue();
        assertThat(result.tree()).isPresent();
    }

    private static void settings(MaestroBuilder builder) {
        builder.testCommand(SampleProject.testCommand(false));
    }
}
