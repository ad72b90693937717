package io.maestro.docker.internal.compose;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.DockerHost;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Stacks of another JVM: one that is killed, and one whose environment holds a secret. */
@RequiresEngine
@Timeout(400)
class ComposeCrashTest {
    private static final String AGENT = "coder-001";
    private static final String FILE = ".maestro/compose.yml";

    @TempDir
    Path directory;

    private ComposeFixture fixture;

    @BeforeEach
    void begin() throws Exception {
        fixture = new ComposeFixture(directory.toRealPath());
    }

    @AfterEach
    void nothingIsLeft() {
        fixture.close();
    }

    @Full("waits for a killed client; SweepTest has what a killed JVM leaves")
    @Test
    void whatAKilledJvmWasStartingIsGoneAfterTheNextDown() throws Exception {
        fixture.write(AGENT, FILE, """
                services:
                  first:
                    image: maestro-test/busybox:latest
                    command: sleep 1000
                    volumes: ["data:/data"]
                    healthcheck: {test: "false", interval: 1s, retries: 100000}
                  later:
                    image: maestro-test/busybox:latest
                    command: sleep 1000
                    depends_on: {first: {condition: service_healthy}}
                volumes: {data: }
                """);
        Process process = anotherJvm("NOTHING", "");
        try {
            ComposeStack stack = fixture.stack(AGENT);
            // By the third probe the compose client has printed that it waits. One that is still about to print ends by
            // itself, since nobody reads its output any more.
            ComposeFixture.await("three probes of a container", () -> {
                assertThat(process.isAlive()).isTrue();
                return stack.status().stream().anyMatch(state -> probes(state.id()) >= 3);
            });
            process.destroyForcibly();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(clients(stack)).isNotEmpty();
            stack.down();
            assertThat(clients(stack)).isEmpty();
            assertThat(fixture.leftovers()).isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void theHostsEnvironmentDoesNotReachTheFile() throws Exception {
        String secret = "planted-" + UUID.randomUUID();
        fixture.write(AGENT, FILE, """
                services:
                  a:
                    image: maestro-test/busybox:latest
                    command: ["sh", "-c", "echo got ${PLANTED_API_KEY} $$PLANTED_API_KEY; exec sleep 1000"]
                    environment: [PLANTED_API_KEY, "COPY=${PLANTED_API_KEY:-nothing}"]
                """);
        Process process = anotherJvm("PLANTED_API_KEY", secret);
        try {
            assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            ComposeStack stack = fixture.stack(AGENT);
            String inspected =
                    fixture.cli.output("inspect", stack.status().get(0).id());
            assertThat(inspected).doesNotContain(secret).contains("COPY=nothing");
            assertThat(stack.logs("a", 10).values()).containsExactly("got");
        } finally {
            process.destroyForcibly();
        }
    }

    private int probes(String container) {
        String format = "{{with .State.Health}}{{len .Log}}{{end}}";
        String count =
                fixture.cli.output("inspect", "--format", format, container).strip();
        return count.isEmpty() ? 0 : Integer.parseInt(count);
    }

    /** The processes of the host that work for a stack. */
    private static List<String> clients(ComposeStack stack) {
        return ProcessHandle.allProcesses()
                .filter(ProcessHandle::isAlive)
                .map(process -> process.info().commandLine().orElse(""))
                .filter(line -> line.contains(stack.project()) && line.contains("compose"))
                .toList();
    }

    private Process anotherJvm(String variable, String value) throws IOException {
        ProcessBuilder builder = ChildJvm.of(
                Main.class,
                fixture.directory.toString(),
                fixture.instance.id(),
                fixture.workspace(AGENT).toString());
        builder.environment().put(variable, value);
        return builder.redirectErrorStream(true)
                .redirectOutput(fixture.directory.resolve("output").toFile())
                .start();
    }

    /** Starts the services of a workspace and ends. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws Exception {
            Path directory = Path.of(arguments[0]);
            Path workspace = Path.of(arguments[2]);
            ComposeStack stack = new ComposeStack(
                    new DockerCli(DockerHost.local()),
                    new Instance(arguments[1], Instance.newId(), directory),
                    AGENT,
                    new StackOwner(
                            workspace,
                            Mount.bind(workspace, "/workspace"),
                            "0:0",
                            directory.resolve("state"),
                            ComposeRules.standard(),
                            Optional.empty(),
                            List::of,
                            new ComposeFixture(directory).images()));
            StackReport report = stack.up(FILE, List.of(), Duration.ofMinutes(3));
            System.exit(report.ok() ? 0 : 1);
        }
    }
}
