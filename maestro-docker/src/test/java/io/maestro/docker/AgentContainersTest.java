package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.maestro.Maestro;
import io.maestro.TestRepository;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.Shows;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tool {@code containers} of coders that work in containers themselves. */
@RequiresEngine
class AgentContainersTest {
    private static final TestImages IMAGES = TestImages.ofDocker();
    private static final String SECRET = "MAESTRO_TEST_API_KEY";

    @TempDir
    Path directory;

    private static Reply containers(String operation, Object... arguments) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("operation", operation);
        for (int i = 0; i < arguments.length; i += 2) {
            map.put(String.valueOf(arguments[i]), arguments[i + 1]);
        }
        return Reply.toolCall("containers", map);
    }

    /** What a coder is answered that makes these calls, writes a file and is done. */
    private List<String> story(UnaryOperator<DockerEnvironments.Builder> settings, Reply... calls) throws IOException {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "the app"));
        ScriptedLlm.Builder script = ScriptedLlm.builder("coder");
        List.of(calls).forEach(script::turn);
        script.turn(Reply.toolCall(
                "shell", Map.of("cmd", "nc -w 2 db 80; echo reached: $?; cat feature.txt || echo x > feature.txt")));
        ScriptedLlm coder = script.turn(Reply.toolCall("done", Map.of("summary", "it is done")))
                .build();
        List<String> answers = new ArrayList<>();
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new DockerStoryTest.Agreeing())
                .commands(commands -> commands.passEnvironment(SECRET))
                .testCommand("test -f feature.txt && ! nc -w 2 db 80")
                .environment(settings.apply(DockerEnvironments.builder()
                                .images(all -> all.base(IMAGES.base()))
                                .containers(ContainerRules.builder()
                                        .image(IMAGES.busybox())
                                        .allowPrivileged(true)
                                        .allowHostNetwork(true)
                                        .build()))
                        .build())
                .build()) {
            StoryResult result = maestro.run(
                    Story.builder("1", "A story").content("do it").express().build());
            maestro.auditLog()
                    .toolExecutions("1")
                    .forEach(call -> answers.add(call.tool() + ": " + call.result() + call.error()));
            assertThat(result.outcome()).as("%s %s", result, answers).isEqualTo(StoryResult.Outcome.MERGED);
            coder.assertFinished();
            String id = Files.readAllLines(directory.resolve("project/.maestro/instance"))
                    .get(0)
                    .strip();
            for (String kind : List.of("container", "network")) {
                assertThat(IMAGES.cli().output(kind, "ls", "--quiet", "--filter", "label=io.maestro.instance=" + id))
                        .as(kind)
                        .isEmpty();
            }
        }
        return answers;
    }

    @Shows(code = "containers")
    @Test
    void theyGoWithTheStoryAndReachNoMoreThanItsCommands() throws IOException {
        List<String> answers = story(
                settings -> settings,
                containers("create", "name", "db", "mount_cwd", true),
                containers(
                        "exec_background", "container", "db", "command", "while :; do echo hello | nc -l -p 80; done"),
                containers(
                        "exec",
                        "container",
                        "db",
                        "command",
                        "cat /workspace/README.md; echo x > /workspace/y || echo kept; test -z \"$" + SECRET
                                + "\" || echo key"),
                containers("create", "name", "client"),
                containers(
                        "exec",
                        "container",
                        "client",
                        "command",
                        "i=0; until [ -s /tmp/heard ] || [ $((i += 1)) = 60 ]; do nc -w 5 db 80 > /tmp/heard || sleep 1; done; cat /tmp/heard"),
                containers(
                        "copy_out", "container", "client", "container_path", "/tmp/heard", "host_path", "feature.txt"),
                containers("create", "persistent", true),
                containers("create", "ports", List.of(Map.of("container", 80))),
                containers("create", "image", "maestro-test/debian:latest"),
                containers("create", "compose_content", "services: {}"),
                containers("create", "mounts", List.of(Map.of("host", ".", "container", "/x", "read_only", false))),
                containers("create", "forward_ssh", true),
                containers("create", "env_passthrough", "all"),
                containers("create", "privileged", true),
                containers("create", "network", "host"),
                containers("cache_clear"),
                containers("snapshot", "container", "db", "name", "kept"),
                containers("restore", "snapshot", "kept"),
                containers("create", "hosts", Map.of("gw", "host-gateway")));
        assertThat(answers.get(0)).contains("The container 'db' is ready");
        assertThat(answers.get(2)).contains("the app", "kept", "key");
        assertThat(answers.get(4)).contains("hello");
        assertThat(answers.get(6)).contains("persistent is not allowed");
        assertThat(answers.get(7)).contains("ports are not published");
        assertThat(answers.get(8)).contains("maestro-test/debian:latest").contains("allowed");
        assertThat(answers.get(9)).contains("compose_up");
        assertThat(answers.get(10)).contains("read-only");
        assertThat(answers.get(11)).contains("forward_ssh is not allowed");
        assertThat(answers.get(12)).contains("env_passthrough all is not allowed");
        assertThat(answers.get(13)).contains("privileged is not allowed");
        assertThat(answers.get(14)).contains("host's network is not allowed");
        assertThat(answers.get(15)).contains("used by others");
        assertThat(answers.get(16)).contains("snapshots are not made");
        assertThat(answers.get(17)).contains("there is no snapshot");
        assertThat(answers.get(18)).contains("host's network is not allowed");
        assertThat(answers.get(19)).contains("reached: 1", "hello");
    }

    @Full("theyGoWithTheStoryAndReachNoMoreThanItsCommands has the same tool")
    @Test
    void withoutANetworkTheyHaveNone() throws IOException {
        HttpServer machine = HttpServer.create(new InetSocketAddress(0), 0);
        machine.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write("reached".getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        machine.start();
        try {
            String gateway = "$(ip route | sed -n 's/default via \\([0-9.]*\\).*/\\1/p')";
            List<String> answers = story(
                    settings -> settings.container(all -> all.network(Phase.CODING, ContainerNetwork.NONE)),
                    containers("create", "name", "db", "network", "bridge"),
                    containers("create", "name", "db"),
                    containers("exec", "container", "db", "command", "ls /sys/class/net"),
                    containers("create_network", "name", "open", "internal", false),
                    containers("create_network", "name", "lan"),
                    containers("create", "name", "lan-1", "network", "lan"),
                    containers(
                            "exec",
                            "container",
                            "lan-1",
                            "command",
                            "ip addr; printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 " + gateway + " "
                                    + machine.getAddress().getPort()));
            assertThat(answers.get(0)).contains("no network of its own here");
            assertThat(answers.get(2)).contains("lo").doesNotContain("eth");
            assertThat(answers.get(3)).contains("no network of its own here");
            assertThat(answers.get(5)).contains("is ready");
            assertThat(answers.get(6)).contains("eth0").doesNotContain("reached");
        } finally {
            machine.stop(0);
        }
    }

    /** What it leads to is the host's matter, and who is in it may trust its names. */
    @Full("withoutANetworkTheyHaveNone has the same grants")
    @Test
    void aNetworkThatTheSettingsNameIsNotTheirs() throws IOException {
        String named = "maestro-test-" + UUID.randomUUID();
        IMAGES.cli().output("network", "create", "--internal", named);
        try {
            List<String> answers = story(
                    settings -> settings.container(all -> all.network(Phase.CODING, ContainerNetwork.of(named))),
                    containers("create", "name", "db", "network", "bridge"),
                    containers("create_network", "name", "open", "internal", false),
                    containers("create", "name", "db"),
                    containers("exec", "container", "db", "command", "ls /sys/class/net"));
            assertThat(answers.get(0)).contains("no network of its own here");
            assertThat(answers.get(1)).contains("no network of its own here");
            assertThat(answers.get(3)).contains("lo").doesNotContain("eth");
        } finally {
            IMAGES.cli().output("network", "rm", named);
        }
    }
}
