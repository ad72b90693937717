package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.DockerException;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.Shows;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.testing.Full;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Variables, caches and ports that the host adds to the containers of agents. */
@RequiresEngine
class AgentSettingsTest {
    private static final String LOOK =
            "echo ${PLAIN:-none} ${MAVEN_OPTS:-none}; cat /tmp/.cache-x/canary || echo no cache";

    @TempDir
    Path directory;

    private Bench bench;

    @BeforeEach
    void open() {
        TestImages images = TestImages.ofDocker();
        bench = new Bench(directory, images, images.base());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private Workplace place(String agent, String story) {
        return new Workplace(agent, story, 1, bench.workspace(agent), List.of());
    }

    private String fresh(StoryEnvironment environment, String script) {
        return environment.runFresh(
                bench.workspace,
                null,
                executor ->
                        executor.run(ExecRequest.shell(script).build()).stdout().text());
    }

    @Test
    @Full("four containers")
    @Shows(file = "caches", code = "container.caches")
    void aCacheIsOneCodersAndNothingThatIsJudgedHasIt() {
        Map<String, Object> settings = Map.of("caches", Map.of("some", "~/.cache-x"));
        DockerProject project = bench.open(
                Map.of("caches", Map.of("some", "/overridden")),
                DockerEnvironments.builder().container(all -> all.caches(Map.of("some", "~/.cache-x"))),
                Map.of());
        String volume;
        try (StoryEnvironment environment = Bench.environment(project, place("coder-001", "7"))) {
            environment.enter(Phase.PLANNING);
            assertThat(Bench.sh(environment, LOOK)).contains("no cache");
            environment.enter(Phase.CODING);
            assertThat(Bench.sh(environment, "echo poison > /tmp/.cache-x/canary && id -u && stat -c %u /tmp/.cache-x"))
                    .matches("(\\d+)\n\\1");
            assertThat(fresh(environment, LOOK)).contains("no cache");
            String image = environment.now().orElseThrow().image().id();
            String thrown = environment.throwaway(
                    Phase.CODING,
                    image,
                    true,
                    executor -> executor.executor()
                            .run(ExecRequest.shell(LOOK).build())
                            .stdout()
                            .text());
            assertThat(thrown).contains("no cache");
            environment.enter(Phase.ARCHITECT);
            assertThat(Bench.sh(environment, LOOK)).contains("no cache");
            volume = bench.volumes(project).stream()
                    .filter(name -> name.endsWith("coder-001-cache-some"))
                    .findFirst()
                    .orElseThrow();
            // Another's of that name is not taken.
            String others = volume.replace("coder-001", "coder-003");
            bench.cli().output("volume", "create", others);
            try (StoryEnvironment third = Bench.environment(project, place("coder-003", "8"))) {
                assertThatThrownBy(() -> third.enter(Phase.CODING))
                        .isInstanceOf(DockerException.class)
                        .hasMessageContaining(others + " on ")
                        .hasMessageContaining("is not a cache of coder-003");
            } finally {
                bench.cli().output("volume", "rm", others);
            }
        }
        try (StoryEnvironment second = Bench.environment(project, place("coder-002", "9"))) {
            second.enter(Phase.CODING);
            assertThat(Bench.sh(second, LOOK)).contains("no cache");
        }
        project.close();
        DockerProject later = bench.open(settings);
        assertThat(bench.volumes(later)).contains(volume);
        try (StoryEnvironment environment = Bench.environment(later, place("coder-001", "10"))) {
            environment.enter(Phase.CODING);
            assertThat(Bench.sh(environment, LOOK)).contains("poison");
        }
    }

    @Test
    @Full("four containers; SettingsTest has what is refused")
    @Shows(file = "variables", code = "container.variables")
    void variablesAreSeenByAllCommandsAndHoldNoSecrets() {
        DockerProject project = bench.open(
                Map.of("variables", Map.of("PLAIN", "of the file", "MAVEN_OPTS", "-Xmx1g")),
                DockerEnvironments.builder().container(all -> all.variables(Map.of("PLAIN", "a 'b' $HOME"))),
                Map.of());
        try (StoryEnvironment environment = Bench.environment(project, place("coder-001", "7"))) {
            for (Phase phase : List.of(Phase.PLANNING, Phase.CODING, Phase.ARCHITECT)) {
                environment.enter(phase);
                assertThat(Bench.sh(environment, LOOK)).as("%s", phase).startsWith("a 'b' $HOME -Xmx1g\n");
            }
            assertThat(fresh(environment, LOOK)).startsWith("a 'b' $HOME -Xmx1g\n");
            // What a program says is no word of the engine's.
            assertThat(fresh(environment, "echo said; echo connection refused >&2; exit 1"))
                    .isEqualTo("said\n");
        }
        assertThatThrownBy(() -> bench.open(
                        Map.of("variables", Map.of("NEXUS", "x-planted-7d0e35c1f6b84a92")),
                        DockerEnvironments.builder(),
                        Map.of("KEY", "planted-7d0e35c1f6b84a92")))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("container.variables.NEXUS looks like a secret")
                .hasMessageContaining("passEnvironment(\"NEXUS\")")
                .hasMessageNotContaining("planted");
        assertThatThrownBy(() ->
                        bench.open(Map.of("variables", Map.of("TOKEN", "ghp_0123456789abcdefghijABCDEFGHIJ012345"))))
                .hasMessageContaining("container.variables.TOKEN looks like a secret")
                .hasMessageNotContaining("ghp_");
    }

    @Test
    @Shows(file = "ports[]", code = "container.ports")
    void portsArePublishedForThisMachineOnly() throws Exception {
        DockerProject project = bench.open(
                Map.of("ports", List.of(8079)),
                DockerEnvironments.builder().container(all -> all.ports(8080)),
                Map.of());
        try (StoryEnvironment environment = Bench.environment(project, place("coder-001", "7"))) {
            environment.enter(Phase.PLANNING);
            assertThat(bindings(environment)).isEmpty();
            environment.enter(Phase.CODING);
            JsonNode bindings = bindings(environment);
            assertThat(bindings).hasSize(1);
            assertThat(bindings.path("8080/tcp")).hasSize(1);
            JsonNode binding = bindings.path("8080/tcp").get(0);
            assertThat(binding.path("HostIp").asText()).isEqualTo("127.0.0.1");
            URI address =
                    URI.create("http://127.0.0.1:" + binding.path("HostPort").asText() + "/x");
            try (ExecProcess server = environment
                    .executor()
                    .start(ExecRequest.shell("mkdir -p w && echo served > w/x && exec httpd -f -p 8080 -h w")
                            .build())) {
                TestEngine.await(() -> read(address).equals("served\n") || !server.isAlive());
                assertThat(read(address)).isEqualTo("served\n");
            }
        }
    }

    private static String read(URI address) {
        try (InputStream in = address.toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private JsonNode bindings(StoryEnvironment environment) {
        return bench.inspect(environment.now().orElseThrow().container().id())
                .path("NetworkSettings")
                .path("Ports");
    }
}
