package io.maestro.docker.internal.tools;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.internal.environment.Bench;
import io.maestro.docker.internal.environment.DockerProject;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine's user has logins, kept by a program: nothing that is built or started for an agent asks for them. */
@Full("needs a JVM of its own, for a variable of its environment; ClientEnvironmentTest has other variables")
@RequiresEngine
class LoginsTest {
    @TempDir
    Path directory;

    @Test
    void areNotAskedForWhenAnAgentBuildsOrStartsSomething() throws Exception {
        Path asked = directory.resolve("asked");
        Path programs = Files.createDirectory(directory.resolve("bin"));
        Path keeper = Files.writeString(
                programs.resolve("docker-credential-canary"), "#!/bin/sh\necho \"$@\" >> '" + asked + "'\necho '{}'\n");
        Files.setPosixFilePermissions(keeper, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path settings = Files.createDirectory(directory.resolve("client"));
        Files.writeString(
                settings.resolve("config.json"),
                "{\"credsStore\":\"canary\",\"credHelpers\":{\"registry.invalid\":\"canary\"}}");
        Map<String, String> variables = Map.of(
                "DOCKER_CONFIG", settings.toString(), "PATH", programs + File.pathSeparator + System.getenv("PATH"));

        String control = "printf 'FROM maestro-test/busybox\\n' | DOCKER_BUILDKIT=0 docker build --quiet -";
        run(variables, List.of("sh", "-c", control));
        assertThat(asked)
                .as("the program is asked by a client with these settings")
                .exists();
        Files.delete(asked);

        String said = run(
                variables,
                ChildJvm.command(
                        LoginsHost.class,
                        Files.createDirectory(directory.resolve("project")).toString(),
                        asked.toString()));
        assertThat(said).contains("built: true", "started: true", "refused: 4");
        assertThat(asked).doesNotExist();
    }

    private String run(Map<String, String> variables, List<String> command) throws Exception {
        Path log = directory.resolve("log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(variables);
        Process process = builder.start();
        process.getOutputStream().close();
        try {
            assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        String said = Files.readString(log, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }

    /** A host whose agent tries all that could ask for a login. */
    static final class LoginsHost {
        private LoginsHost() {}

        /** @param arguments the project directory, and a file that is deleted before the agent begins */
        public static void main(String[] arguments) throws IOException {
            TestImages images = TestImages.ofDocker();
            try (Bench bench = new Bench(Path.of(arguments[0]), images, images.base())) {
                DockerProject project = bench.open(Map.of("network", "none"));
                try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                    environment.enter(Phase.CODING);
                    // What the host itself builds may use its user's logins.
                    Files.deleteIfExists(Path.of(arguments[1]));
                    attack(bench, new ToolCaller(project, false), images.busybox());
                }
            }
        }

        private static void attack(Bench bench, ToolCaller caller, String busybox) {
            String none = "registry.invalid/private/app:1";
            bench.write("Dockerfile", "FROM " + busybox + "\nENV A=" + bench.directory.getFileName() + "\n");
            System.out.println(
                    "built: " + !caller.call("container_build", Map.of()).isError());
            bench.write("compose.yaml", "services:\n  a: {build: ., command: sleep 600}\n");
            Map<String, Object> up = Map.of("path", "compose.yaml");
            System.out.println("started: " + !caller.call("compose_up", up).isError());
            List<Boolean> refused = new ArrayList<>();
            bench.write("Dockerfile", "FROM " + none + "\n");
            refused.add(caller.call("container_build", Map.of()).isError());
            refused.add(caller.call("compose_up", up).isError());
            bench.write("compose.yaml", "services:\n  a: {image: '" + none + "'}\n");
            refused.add(caller.call("compose_up", up).isError());
            refused.add(caller.call("container_test", Map.of("image", none, "command", "true"))
                    .isError());
            refused.removeIf(one -> !one);
            System.out.println("refused: " + refused.size());
        }
    }
}
