package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.CommandLostException;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A container dies while a command runs in it. */
@RequiresEngine
class LostContainerTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = "kill|0")
    void aCommandThatHadBegunIsNotRunAgain(String death, int input) {
        TestImages images = TestImages.ofDocker();
        try (Bench bench = new Bench(directory, images, images.base());
                StoryEnvironment environment = Bench.environment(bench.open(Map.of()), bench.place("7"))) {
            environment.enter(Phase.CODING);
            String container = environment.now().orElseThrow().container().id();
            CompletableFuture<ExecResult> result = CompletableFuture.supplyAsync(() -> environment
                    .executor()
                    .run(ExecRequest.shell("echo x >> count; exec sleep 100")
                            .stdin(new byte[input])
                            .build()));
            TestEngine.await(() -> Files.exists(bench.workspace.resolve("count")));
            bench.cli().output((death + " " + container).split(" "));
            assertThatThrownBy(() -> result.get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(CommandLostException.class)
                    .hasMessageContaining("not run again")
                    .hasMessageContaining("a new one runs now");
            assertThat(bench.workspace.resolve("count")).hasContent("x");
            assertThat(Bench.sh(environment, "cat count")).isEqualTo("x");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"rm --force|300000", "rm --force|0", "kill|300000"})
    @Full("aCommandThatHadBegunIsNotRunAgain has a death and no input")
    void aCommandThatHadBegunIsNotRunAgainHoweverItsContainerDies(String death, int input) {
        aCommandThatHadBegunIsNotRunAgain(death, input);
    }
}
