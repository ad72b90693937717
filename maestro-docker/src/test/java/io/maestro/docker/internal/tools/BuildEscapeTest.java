package io.maestro.docker.internal.tools;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.environment.Bench;
import io.maestro.docker.internal.environment.DockerProject;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.docker.testing.GitTrap;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.testing.Full;
import io.maestro.tools.ToolResult;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A build does not reach what only this machine reaches. */
@RequiresEngine
class BuildEscapeTest {
    @TempDir
    Path directory;

    @Test
    @Full("a container and two builds")
    void whatListensOnTheMachineItselfIsNotFetched() throws Exception {
        List<String> asked = new CopyOnWriteArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.add(exchange.getRequestURI().toString());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        TestImages images = TestImages.ofDocker();
        try (Bench bench = new Bench(directory, images, images.base())) {
            DockerProject project = bench.open(Map.of());
            try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                environment.enter(Phase.CODING);
                ToolCaller caller = new ToolCaller(project, false);
                String from = "FROM " + images.busybox() + "\n";
                String host = "127.0.0.1:" + server.getAddress().getPort();
                String url = "http://" + host + "/x";
                for (String add : List.of(
                        "ADD " + url + " /x\n", "AD\\\nD " + url + " /x\n", "ADD http:\\\n//" + host + "/x /x\n")) {
                    bench.write("Dockerfile", from + add);
                    refused(caller.call("container_build", Map.of()));
                    bench.write("compose.yaml", "services:\n  a:\n    build: .\n");
                    refused(caller.call("compose_up", Map.of("path", "compose.yaml")));
                }
                bench.write(
                        "compose.yaml",
                        "services:\n  a:\n    build:\n      context: .\n      dockerfile_inline: |\n        " + from
                                + "        ADD " + url + " /x\n");
                refused(caller.call("compose_up", Map.of("path", "compose.yaml")));
                String trigger = images.build("onbuild-add", from + "ONBUILD ADD http://127.0.0.1:1/x /x\n", Map.of());
                bench.write("Dockerfile", "FROM " + trigger + "\n");
                assertThat(caller.call("container_build", Map.of()).text()).contains("whose ONBUILD has ONBUILD ADD");
                bench.write("Dockerfile", "FROM " + host + "/evil/base\n");
                assertThat(caller.call("container_build", Map.of()).text()).contains("may not be used");
                bench.write("compose.yaml", "services:\n  a:\n    image: " + host + "/evil/base\n");
                assertThat(caller.call("compose_up", Map.of("path", "compose.yaml"))
                                .text())
                        .contains("may not be used");
                bench.write("Dockerfile", from + "RUN ! wget -qO- " + url + "\n");
                assertThat(caller.call("container_build", Map.of()).isError()).isFalse();
            }
        } finally {
            server.stop(0);
        }
        assertThat(asked).isEmpty();
    }

    /** The same with no agent at all: a repository has it, and the configuration names its Dockerfile. */
    @Test
    void whatGitWouldTakeForARepositoryIsNotBuiltFrom() throws Exception {
        TestImages images = TestImages.ofDocker();
        GitTrap trap = new GitTrap(directory.resolve("canary"));
        try (Bench bench = new Bench(directory, images, images.base())) {
            trap.in(bench.workspace.resolve("deep/trap"));
            bench.write("deep/Dockerfile", "FROM " + images.busybox() + "\n");
            bench.write("compose.yaml", "services:\n  a:\n    build: deep\n");
            DockerProject project = bench.open(Map.of("dockerfile", "deep/Dockerfile"));
            try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                environment.enter(Phase.CODING);
                assertThat(environment.now().orElseThrow().problem().orElse("")).contains("bare git repository");
                ToolCaller caller = new ToolCaller(project, false);
                assertThat(caller.call("container_build", Map.of("dockerfile", "deep/Dockerfile", "context", "deep"))
                                .text())
                        .contains("bare git repository");
                assertThat(caller.call("compose_up", Map.of("path", "compose.yaml"))
                                .text())
                        .contains("bare git repository");
                // The same with its objects elsewhere.
                Path trapped = bench.workspace.resolve("deep/trap");
                Files.createDirectory(trapped.resolve("store"));
                for (String name : List.of("objects", "refs")) {
                    Files.move(trapped.resolve(name), trapped.resolve("store").resolve(name));
                }
                Files.writeString(trapped.resolve("commondir"), "store\n");
                assertThat(caller.call("container_build", Map.of("dockerfile", "deep/Dockerfile", "context", "deep"))
                                .text())
                        .contains("bare git repository");
            }
        }
        assertThat(trap.wentOff()).isFalse();
    }

    /** What a frontend is told to be by a compose file, the user's caches, and what an image says of itself. */
    @Test
    @Full("five builds; ConfinedDockerfileTest refuses frontends, labelsThatAnImageForgesAreTakenFromIt has labels")
    void noFrontendNoCacheOfOthersAndNoImageThatIsOnlyLabelled() throws Exception {
        TestImages images = TestImages.ofDocker();
        String forged = "maestro-test/forged-" + UUID.randomUUID();
        try (Bench bench = new Bench(directory, images, images.base())) {
            DockerProject project = bench.open(Map.of());
            try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                environment.enter(Phase.CODING);
                ToolCaller caller = new ToolCaller(project, false);
                String from = "FROM " + images.busybox() + "\n";
                for (String first : List.of("# syntax=", "\uFEFF# syntax=", "#!/bin/sh\n#syntax = ")) {
                    bench.write("Dockerfile", first + images.busybox() + "\n" + from);
                    ToolResult answer = caller.call("container_build", Map.of());
                    assertThat(answer.isError()).as(answer.text()).isFalse();
                }
                for (String first :
                        List.of("// syntax=" + images.busybox(), "{\"syntax\":\"" + images.busybox() + "\"}")) {
                    bench.write("Dockerfile", first + "\n" + from);
                    assertThat(caller.call("container_build", Map.of()).text()).contains("begins with no instruction");
                }
                bench.write("Dockerfile", from + "ENV FORGED=yes\n");
                bench.write(
                        "compose.yaml",
                        "services:\n  a:\n    build:\n      context: .\n      args: {BUILDKIT_SYNTAX: '"
                                + images.busybox() + "'}\n");
                assertThat(caller.call("compose_up", Map.of("path", "compose.yaml"))
                                .text())
                        .contains("not the name of a build argument: 'BUILDKIT_SYNTAX'");
                bench.write(
                        "compose.yaml",
                        "services:\n  a:\n    build:\n      context: .\n      args: {BUILDKIT_CACHE_MOUNT_NS: ''}\n");
                assertThat(caller.call("compose_up", Map.of("path", "compose.yaml"))
                                .text())
                        .contains("not the name of a build argument: 'BUILDKIT_CACHE_MOUNT_NS'");
                String id = bench.cli()
                        .output(
                                "build",
                                "--quiet",
                                "--tag",
                                forged,
                                "--label",
                                Labels.BUILT_BY + "="
                                        + environment.engine().instance().id(),
                                bench.workspace.toString());
                for (String name : List.of(forged, id)) {
                    ToolResult answer = caller.call("container_update", Map.of("image", name));
                    assertThat(answer.isError()).isTrue();
                    assertThat(answer.text()).containsAnyOf("was not built here from a Dockerfile", "may not be used");
                }
                assertThat(environment.check(id, bench.workspace).passed()).isFalse();
                assertThatThrownBy(() -> environment.adopt(id))
                        .hasMessageContaining("was not built here from a Dockerfile of the repository");
            } finally {
                bench.cli().run("rmi", "--force", forged);
            }
        }
    }

    private static void refused(ToolResult answer) {
        assertThat(answer.isError()).isTrue();
        assertThat(answer.text()).contains("use COPY for files");
    }
}
