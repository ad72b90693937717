package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.DockerHost;
import io.maestro.testing.ChildJvm;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an engine says that it cannot do, for example hold limits, stands in the host's log. */
class EngineWarningsTest {
    @TempDir
    Path directory;

    /** A host with a log, which this JVM's tests have not. */
    static final class WarningsHost {
        private WarningsHost() {}

        public static void main(String[] arguments) {
            Engine engine = new Engine(
                    new DockerCli(DockerHost.builder()
                            .program(arguments[0])
                            .name("near")
                            .build()),
                    new Instance(Instance.newId(), Instance.newId(), Path.of("/nonexistent")));
            engine.facts();
            engine.facts();
        }
    }

    @Test
    void theyReachTheHostOnce() throws Exception {
        Path program = Files.writeString(
                directory.resolve("docker"),
                "#!/bin/sh\necho '{\"ServerVersion\": \"28.0\", \"NCPU\": 2, \"Warnings\": [\"No swap limit support\"]}'\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        File log = directory.resolve("log").toFile();
        Process process = new ProcessBuilder(ChildJvm.command(
                        List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"),
                        WarningsHost.class,
                        program.toString()))
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(log.toPath(), StandardCharsets.UTF_8))
                .containsOnlyOnce("the engine of near warns: No swap limit support");
        assertThat(process.exitValue()).isZero();
    }
}
