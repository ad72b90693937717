package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.SecondEngine;
import io.maestro.docker.testing.Shows;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The settings that say on which engine agents work: each is shown by the engine on which a command then runs. */
@Full("SettingsTest reads the same settings, and TwoEnginesTest reaches another engine in each way")
@RequiresEngine
class EngineSettingsTest {
    private static final String NO_ENGINE = "unix:///nonexistent/docker.sock";

    @RegisterExtension
    static final SecondEngine SECOND = new SecondEngine();

    private static TestImages images;
    private static String base;

    /** Where the second engine sees nothing, so that it is never taken for the first. */
    private final Path directory = SECOND.unseen().resolve(UUID.randomUUID().toString());

    @BeforeAll
    static void buildImages() throws Exception {
        images = TestImages.ofDocker();
        base = images.build("marked", "FROM " + images.baseWithGit() + "\nENV ENGINE_MARK=docker\n", Map.of());
        SECOND.load(base);
    }

    @BeforeEach
    void makeDirectories() throws Exception {
        Files.createDirectories(directory.resolve("coder-001"));
        Files.createDirectories(directory.resolve("client"));
    }

    /** The second engine has no other name than the one in the settings: its data are looked for by its own socket. */
    private void requireSecond(Map<String, Object> host) {
        try (Bench bench = new Bench(directory, images, base)) {
            DockerProject project = bench.open(Map.of("hosts", List.of(host), "workspace", "auto"));
            try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                environment.enter(Phase.PLANNING);
                assertThat(environment.engine().cli().host().name()).isEqualTo("far");
                assertThat(onSecond(project)).isNotEmpty();
                assertThat(bench.containers(project)).isEmpty();
                assertThat(Bench.sh(environment, "echo $ENGINE_MARK")).isEqualTo("docker");
            }
            assertThat(onSecond(project)).isEmpty();
        }
    }

    private static List<String> onSecond(DockerProject project) {
        try {
            return run(
                            Map.of(),
                            SECOND.docker(
                                    "ps",
                                    "-aq",
                                    "--filter",
                                    "label=io.maestro.instance="
                                            + project.instance().id()))
                    .lines()
                    .toList();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Shows(file = {"hosts[].name", "hosts[].url"})
    void aUrlLeadsToAnotherEngine() {
        requireSecond(Map.of("name", "far", "url", SECOND.socketUrl()));
    }

    @Test
    @Shows(file = {"hosts[].url", "hosts[].tls_directory"})
    void keysLeadToAnotherEngineThatTrustsThem() throws Exception {
        requireSecond(Map.of(
                "name",
                "far",
                "url",
                SECOND.tlsUrl(),
                "tls_directory",
                SECOND.keys().toString()));
        String refused = host(
                Map.of(),
                Map.of(
                        "base",
                        base,
                        "hosts",
                        List.of(Map.of(
                                "name",
                                "far",
                                "url",
                                SECOND.tlsUrl(),
                                "tls_directory",
                                SECOND.wrongAuthority().toString()))));
        assertThat(refused).contains("refused: ").contains("x509");
    }

    /** In a JVM of its own, because the user's contexts are left alone. */
    @Test
    @Shows(file = "hosts[].context")
    void aContextLeadsToAnotherEngine() throws Exception {
        Map<String, String> own =
                Map.of("DOCKER_CONFIG", directory.resolve("client").toString());
        run(own, List.of("docker", "context", "create", "elsewhere", "--docker", "host=" + SECOND.socketUrl()));
        run(own, List.of("docker", "context", "create", "nowhere", "--docker", "host=" + NO_ENGINE));
        assertThat(host(own, Map.of("base", base, "hosts", List.of(Map.of("name", "far", "context", "elsewhere")))))
                .contains("works with docker on far in docker");
        assertThat(host(own, Map.of("base", base, "hosts", List.of(Map.of("name", "far", "context", "nowhere")))))
                .contains("refused: the engine of far does not answer");
    }

    @Test
    @Shows(file = "engine")
    void podmanWhereItIsConfiguredOrWhereNoDockerAnswers() throws Exception {
        Map<String, String> none = Map.of("DOCKER_HOST", NO_ENGINE);
        TestImages podman = TestImages.ofPodman();
        String own = podman.base();
        String works = "works with podman on podman in podman";
        assertThat(host(Map.of(), Map.of("base", own, "engine", "podman"))).contains(works);
        assertThat(host(none, Map.of("base", own))).contains(works);
        // Whoever has chosen docker does not get something else.
        assertThat(host(none, Map.of("base", own, "engine", "docker")))
                .contains("refused: the engine of docker does not answer");
        assertThat(host(none, Map.of("base", own, "hosts", List.of(Map.of("name", "mine")))))
                .contains("refused: the engine of mine does not answer");
        assertThat(host(Map.of(), Map.of("base", base))).contains("works with docker on docker in docker");
    }

    /** What a host with these variables and settings says. */
    private String host(Map<String, String> variables, Map<String, Object> settings) throws Exception {
        return run(
                variables,
                ChildJvm.command(
                        List.of("-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("tmp"))),
                        SettingsHost.class,
                        directory.toString(),
                        new ObjectMapper().writeValueAsString(settings)));
    }

    private static String run(Map<String, String> variables, List<String> command) throws Exception {
        Path log = Files.createTempFile("maestro-test-", ".log");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
            builder.environment().putAll(variables);
            Process process = builder.start();
            process.getOutputStream().close();
            try {
                assertThat(process.waitFor(300, TimeUnit.SECONDS))
                        .as("%s ends", command)
                        .isTrue();
            } finally {
                process.destroyForcibly().waitFor();
            }
            String said = Files.readString(log, StandardCharsets.UTF_8);
            assertThat(process.exitValue()).as("%s: %s", command, said).isZero();
            return said.strip();
        } finally {
            Files.delete(log);
        }
    }
}
