package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.internal.sandbox.HostUser;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestRegistry;
import io.maestro.runtime.ToolRegistry;
import io.maestro.testing.Full;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolCaller;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.Mockito;

/** Every operation of the tool, by the calls of a model. */
@RequiresEngine
class ContainersToolTest {
    private static final String SECRET = "planted-value-55d1c7";

    @TempDir
    Path directory;

    private static final ToolCaller NOBODY = (tool, arguments) -> ToolResult.error("there is no other");
    private static final List<String> STEPS = new ArrayList<>();

    private Path workspace;
    private Containers containers;
    private ToolFactory factory;
    private Tool tool;

    @BeforeEach
    void open() throws Exception {
        STEPS.clear();
        workspace = Files.createDirectories(directory.resolve("workspace"));
        // As on a host that does not run as root.
        Files.setAttribute(workspace, "unix:uid", 1000);
        Files.setAttribute(workspace, "unix:gid", 1000);
        containers = Containers.on(DockerHost.local())
                .projectDirectory(directory.resolve("project"))
                .rules(ContainerRules.builder()
                        .image("maestro-test/busybox:latest")
                        .maxContainers(3)
                        .build())
                .host(new HostUser(Map.of("SOME_TOKEN", SECRET, "SHORT", "x"), null))
                .open();
        factory = ContainersTool.of(containers).directory(workspace).build();
        tool = factory.create(context("coder-001", false));
    }

    @AfterEach
    void close() throws Exception {
        tool.close();
        containers.close();
    }

    private static ToolContext context(String agent, boolean readOnly) {
        ToolContext context = Mockito.mock(ToolContext.class);
        Mockito.when(context.agentId()).thenReturn(agent);
        Mockito.when(context.audience()).thenReturn(ToolAudience.CODER_CODING);
        Mockito.when(context.readOnly()).thenReturn(readOnly);
        return context;
    }

    private ToolResult call(Object... arguments) throws Exception {
        return call(tool, arguments);
    }

    private static ToolResult call(Tool tool, Object... arguments) throws Exception {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("operation", arguments[0]);
        for (int i = 1; i < arguments.length; i += 2) {
            map.put(String.valueOf(arguments[i]), arguments[i + 1]);
        }
        return tool.execute(
                new ToolCall("1", "containers", ToolArguments.of(map), Duration.ofMinutes(2), NOBODY, STEPS::add));
    }

    private String done(Object... arguments) throws Exception {
        ToolResult result = call(arguments);
        assertThat(result.isError()).as(result.text()).isFalse();
        return result.text();
    }

    private String refused(Object... arguments) throws Exception {
        ToolResult result = call(arguments);
        assertThat(result.isError()).as(result.text()).isTrue();
        return result.text();
    }

    @Test
    void aContainerIsMadeUsedAndRemoved() throws Exception {
        Files.writeString(workspace.resolve("in.txt"), "from the host");
        assertThat(done("preflight")).contains("CLIENT");
        ToolResult made = call(
                "create",
                "name",
                "one",
                "mount_cwd",
                true,
                "env",
                Map.of("OWN", "mine"),
                "config_files",
                Map.of("/data/first", "text"));
        assertThat(made.isError()).as(made.text()).isFalse();
        assertThat(STEPS)
                .contains("environment success: 3 variables: HOME, OWN, SOME_TOKEN")
                .last()
                .asString()
                .startsWith("setup_commands skipped");
        assertThat(made.data().get("provisioning_report").toString())
                .contains("name=config_files, status=success", "name=forward_ssh, status=skipped");
        assertThat(done("exec", "container", "one", "command", "echo $OWN; cat in.txt; echo bad >&2; exit 3"))
                .isEqualTo("exit code 3\n--- stdout ---\nmine\nfrom the host\n--- stderr ---\nbad");
        assertThat(done("exec", "container", "one", "command", "echo $SOME_TOKEN | tee out.txt"))
                .contains("[REDACTED:SOME_TOKEN]")
                .doesNotContain(SECRET);
        assertThat(workspace.resolve("out.txt")).hasContent(SECRET);
        assertThat(refused("exec", "container", "one", "command", "id -u", "as_root", true))
                .contains("not run as root where files of the host are mounted");
        done("create", "name", "rooted");
        assertThat(done("exec", "container", "rooted", "command", "id -u", "as_root", true))
                .contains("\n0");
        done("destroy", "container", "rooted");
        assertThat(refused("exec", "container", "one", "command", "echo some; sleep 60", "timeout", 3))
                .contains("ended after 3 s", "some");
        assertThat(done("exec_interactive_hint", "container", "one"))
                .contains("exec -it --user")
                .doesNotContain(SECRET);
        assertThat(done("status", "container", "one", "health_check", true))
                .contains("running: true", "healthy: true", "variables: [HOME, OWN, SOME_TOKEN]")
                .doesNotContain(SECRET);
        assertThat(done("list")).isEqualTo("container one, runs");

        String job =
                String.valueOf(call("exec_background", "container", "one", "command", "echo $SOME_TOKEN; sleep 600")
                        .data()
                        .get("job_id"));
        assertThat(done("exec_poll", "container", "one", "job_id", job))
                .contains("runs")
                .doesNotContain(SECRET);
        assertThat(done("exec_cancel", "container", "one", "job_id", job)).contains("nothing of it runs");
        assertThat(refused("exec_poll", "container", "one", "job_id", "../../etc"))
                .startsWith("exec_poll: ");

        done("copy_in", "container", "one", "host_path", "in.txt", "container_path", "/data/in.txt");
        done("copy_out", "container", "one", "container_path", "/data/in.txt", "host_path", "back.txt");
        assertThat(workspace.resolve("back.txt")).hasContent("from the host");
        Path outside = Files.createDirectories(directory.resolve("outside"));
        Files.writeString(outside.resolve("in.txt"), "not to be changed");
        done("exec", "container", "one", "command", "ln -s " + outside + " x; ln -s " + outside + "/in.txt y");
        assertThat(refused("copy_out", "container", "one", "container_path", "/data/in.txt", "host_path", "x"))
                .contains("exists");
        refused("copy_out", "container", "one", "container_path", "/data/in.txt", "host_path", "y");
        refused("copy_in", "container", "one", "container_path", "/data/y", "host_path", "y");
        assertThat(outside.resolve("in.txt")).hasContent("not to be changed");
        done("add_hosts", "container", "one", "hosts", Map.of("db.example.org", "192.0.2.3"));
        assertThat(done("wait_healthy", "container", "one", "health_command", "grep db.example.org /etc/hosts"))
                .contains("Healthy after 1 attempts", "192.0.2.3");
        assertThat(refused("wait_healthy", "container", "one", "health_command", "false", "interval", 0, "retries", 2))
                .contains("Not healthy after 2 attempts");

        done("snapshot", "container", "one", "name", "kept");
        assertThat(done("restore", "snapshot", "kept", "name", "two")).contains("'two' is ready");
        assertThat(done("exec", "container", "two", "command", "cat /data/in.txt"))
                .contains("from the host");
        assertThat(refused("restore", "snapshot", "none")).contains("there are [kept]");
        done("destroy", "container", "two");
        assertThat(refused("destroy", "container", "two")).contains("there are one");
        assertThat(refused("destroy_all", "confirm", false)).contains("confirm must be true", "[one]");
        assertThat(done("destroy_all", "confirm", true)).isEqualTo("Removed: [one]");
        containers.removeSnapshot("kept");
    }

    @Full("ProvisioningTest has networks")
    @Test
    void networksAreMadeAndGuidesGiven() throws Exception {
        done("create_network", "name", "net", "internal", true);
        done("create", "name", "a", "network", "net");
        assertThat(done("list")).contains("network net");
        assertThat(refused("destroy_network", "name", "net")).startsWith("destroy_network: ");
        done("destroy", "container", "a");
        done("destroy_network", "name", "net");
        assertThat(done("guide")).contains("# Guide to `containers`", "exec_background");
        assertThat(factory.definition().usage().orElseThrow().lines().count()).isBetween(10L, 80L);
        assertThat(done("cache_clear", "purpose", "python")).isNotEmpty();
    }

    @Test
    void whatDoesNotBelongToAnOperationIsRefusedByName() throws Exception {
        assertThat(refused("exec", "command", "true")).contains("the operation 'exec' needs container");
        assertThat(refused("exec", "container", "x", "command", "true", "image", "y"))
                .contains("the operation 'exec' does not take image");
        assertThat(refused("list", "name", "x")).contains("takes nothing more");
        assertThat(refused("create", "purpose", "try-repo")).contains("needs a repository");
        assertThat(refused("create", "repo_url", "ftp://x/y")).contains("no URL of a repository");
        assertThat(refused("create", "env_passthrough", List.of("SHORT"))).contains("not handed over");
        assertThat(refused("create", "env_passthrough", "all")).contains("not allowed here");
        assertThat(refused("create", "forward_ssh", true)).contains("not allowed here");
        assertThat(refused("create", "memory_limit", "much")).contains("memory_limit");
        assertThat(refused("create", "mounts", List.of(Map.of("host", "/etc", "container", "/x"))))
                .contains("whole directories");
        Files.createSymbolicLink(workspace.resolve("way-out"), Path.of("/etc"));
        assertThat(refused("create", "mounts", List.of(Map.of("host", "way-out", "container", "/x"))))
                .contains("whole directories");
        assertThat(refused("create", "mounts", List.of(Map.of("host", ".", "container", "/var/run/maestro"))))
                .contains("nothing is mounted at");
        assertThat(refused("create", "mount_cwd", true, "setup_commands", List.of("true")))
                .contains("not run as root where files of the host are mounted");
        for (Map.Entry<String, Object> root : Map.<String, Object>of(
                        "run_image", true, "user", "root", "image", "maestro-test/busybox:latest")
                .entrySet()) {
            assertThat(refused("create", "mount_cwd", true, root.getKey(), root.getValue()))
                    .contains("not run as root");
        }
        assertThat(refused("create", "purpose", "clean", "forward_gh", true)).contains("strangers' code");
        assertThat(refused("create", "mounts", List.of(Map.of("host", ".", "container", "/home/maestro"))))
                .contains("a home directory");
        assertThat(refused("create", "image", "--privileged")).contains("no image");
        assertThat(containers.list()).isEmpty();
    }

    @Test
    void noAddressOfTheHostsIsAskedOrTold() throws Exception {
        try (TestRegistry registry = new TestRegistry()) {
            for (String image : List.of(registry.name("evil/img:1"), "localhost/x:1", "NEXUS/x", "nexus.corp/x")) {
                assertThat(refused("create", "image", image)).contains(image, "no registry that the host allows");
            }
            assertThat(refused("create", "hosts", Map.of("gw", "host-gateway")))
                    .contains("host-gateway", "allowHostNetwork");
            assertThat(containers.list()).isEmpty();
            assertThat(refused(
                            "create",
                            "name",
                            "one",
                            "compose_content",
                            "services: {a: {image: '" + registry.name("evil/img:1")
                                    + "', extra_hosts: {gw: host-gateway}}}"))
                    .contains("no registry that the host allows", "host-gateway reaches services of the machine");
            assertThat(refused("add_hosts", "container", "one", "hosts", Map.of("gw", "host-gateway")))
                    .contains("host-gateway");
            assertThat(registry.asked()).isEmpty();
        }
    }

    @Test
    @Full("containers of two agents; snapshotsAndContainersAreTheirOwnersAlone has who owns what")
    void anAgentSeesItsOwnAndWhatItLeavesGoesWithIt() throws Exception {
        Tool other = factory.create(context("coder-002", true));
        done("create", "name", "one");
        done("create", "name", "stays", "persistent", true);
        call(other, "create", "name", "one");
        assertThat(call(other, "list").text()).isEqualTo("container one, runs");
        assertThat(call(other, "exec", "container", "stays", "command", "true").isError())
                .isTrue();
        assertThat(call(other, "create", "mounts", List.of(Map.of("host", ".", "container", "/m", "read_only", false)))
                        .text())
                .contains("cannot be changed now");
        assertThat(call(other, "copy_out", "container", "one", "container_path", "/bin", "host_path", "x")
                        .text())
                .contains("cannot be changed now");
        tool.close();
        assertThat(done("list")).isEqualTo("container stays, runs");
        other.close();
        assertThat(containers.list()).hasSize(1);
        done("destroy_all", "confirm", true);
    }

    @Test
    void theSchemaHasAllThatOperationsTakeAndSaysWhose() {
        ToolRegistry registry = ToolRegistry.builder().build();
        registry.register(factory);
        Map<String, Object> schema = factory.definition().input().asMap();
        assertThat(schema).doesNotContainKeys("oneOf", "anyOf", "allOf");
        Map<?, ?> properties = (Map<?, ?>) schema.get("properties");
        assertThat(properties.get("health_command").toString()).contains("[wait_healthy]");
        assertThat(properties.get("name").toString())
                .contains("[create, snapshot, restore, create_network, destroy_network]");
        for (Object name : properties.keySet()) {
            assertThat(properties.get(name).toString()).as(String.valueOf(name)).doesNotContain("[]");
        }
    }
}
