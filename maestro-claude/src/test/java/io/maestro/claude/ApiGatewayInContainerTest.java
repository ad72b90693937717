package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.llm.Usage;
import io.maestro.testing.Full;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real CLI in a container asks through a gateway of this process. */
@RequiresEngine
@RequiresClaude
@Full("ClaudeInContainersTest runs the CLI in a container, over a gateway, in the short tier")
class ApiGatewayInContainerTest {
    private static final String KEY = "sk-ant-real-0123456789abcdefghij";
    private static final String TURN = "claude-test-1 " + new Usage(11, 44, 33, 22);

    @TempDir
    private Path temp;

    private UpstreamStub api;
    private ApiGateway gateway;
    private final RecordingClient host = new RecordingClient();

    @BeforeEach
    void start() throws IOException {
        api = new UpstreamStub(UpstreamStub::usual);
        gateway = ApiGateway.builder(KEY).upstream(api.uri()).client(host).build();
    }

    @AfterEach
    void stop() {
        gateway.close();
        api.close();
    }

    private ExecResult docker(List<String> arguments) {
        List<String> command = new ArrayList<>(List.of("docker"));
        command.addAll(arguments);
        return LocalExecutor.builder(temp)
                .build()
                .run(ExecRequest.command(command)
                        .timeLimit(Duration.ofSeconds(100))
                        .build());
    }

    private ExecResult run(ApiAccess access, List<String> options, List<String> program) {
        List<String> arguments = new ArrayList<>(List.of("run", "--rm", "--init", "--label", "io.maestro.test=true"));
        arguments.addAll(List.of("--name", "maestro-test-" + UUID.randomUUID(), "--read-only", "--tmpfs", "/tmp"));
        arguments.addAll(List.of("--user", "1000:1000", "--volume", RealClaude.program() + ":/opt/claude:ro"));
        RealClaude.environment(access.baseUrl())
                .forEach((name, value) -> arguments.addAll(List.of("--env", name + "=" + value)));
        arguments.addAll(List.of("--env", "HOME=/tmp/home", "--env", "ANTHROPIC_API_KEY=" + access.key()));
        access.socket().ifPresent(path -> arguments.addAll(List.of("--env", "ANTHROPIC_UNIX_SOCKET=" + path)));
        arguments.addAll(options);
        arguments.add(TestContainer.DEBIAN);
        arguments.addAll(program);
        return docker(arguments);
    }

    private static List<String> turn() {
        return List.of("/opt/claude", "-p", "--output-format", "stream-json", "--verbose", "say hello");
    }

    @Test
    void aTurnWithoutANetworkSucceedsOverTheSocket() {
        try (SocketDirectory directory =
                SocketDirectory.open(temp.resolve("run").resolve("coder-1"))) {
            ApiAccess access =
                    gateway.overSocket(directory.socket()).withSocket("/run/maestro/" + SocketDirectory.SOCKET);
            List<String> options = List.of("--network", "none", "--volume", directory.mounted() + ":/run/maestro:ro");

            ExecResult result = run(access, options, turn());

            assertThat(result.exitCode())
                    .as(result.stdout().text() + result.stderr().text())
                    .hasValue(0);
            assertThat(result.stdout().text()).contains("hello from the stub", "\"is_error\":false");
            assertThat(host.used).containsExactly(TURN);
            assertThat(api.seen.get(0).headers().get("x-api-key")).containsExactly(KEY);

            // Nothing can be put beside the socket or in its place, and the key is nowhere.
            ExecResult tried = run(
                    access,
                    options,
                    List.of(
                            "sh",
                            "-c",
                            "rm -f /run/maestro/api.sock; touch /run/maestro/x; ls /run/maestro; env; cat /proc/*/environ"));
            assertThat(tried.stdout().text().lines().findFirst()).hasValue("api.sock");
            assertThat(tried.stdout().text()).contains(access.key()).doesNotContain(KEY);
            gateway.close();
        }
    }

    @Test
    void aTurnOverTheBridgeSucceeds() throws Exception {
        String bridge;
        // An engine that was started for the first time does not list it for the network.
        try (TestContainer container = new TestContainer("docker", TestContainer.BUSYBOX)) {
            bridge = container
                    .cli("inspect", "--format", "{{.NetworkSettings.Gateway}}", container.name())
                    .strip();
        }
        ApiAccess access = gateway.overHttp(InetAddress.getByName(bridge));

        ExecResult result = run(access, List.of("--network", "bridge"), turn());

        assertThat(result.exitCode())
                .as(result.stdout().text() + result.stderr().text())
                .hasValue(0);
        assertThat(result.stdout().text()).contains("hello from the stub");
        assertThat(host.used).containsExactly(TURN);
    }
}
