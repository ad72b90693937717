package io.maestro.docker.internal.tools;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.internal.environment.Bench;
import io.maestro.docker.internal.environment.DockerProject;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.testing.Full;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An image of the engine's user, without any label, is neither read nor changed, however an agent writes its name. */
@Full("ToolEscapeTest has another project's image; each spelling goes through one class")
@RequiresEngine
class PrivateImagesTest {
    private static final String CANARY = "canary-of-the-user-5b90e1";

    @TempDir
    Path directory;

    private Bench bench;
    private DockerProject project;

    @Test
    void areNeitherReadNorChanged() {
        TestImages images = TestImages.ofDocker();
        String name = "user-private/app-" + UUID.randomUUID() + ":1";
        // As a stage can be called, too.
        String plain = "private" + UUID.randomUUID();
        String id;
        try (TestContainer users = new TestContainer("docker", TestContainer.BUSYBOX)) {
            users.sh("echo " + CANARY + " > /canary");
            id = users.cli("commit", "--change", "LABEL io.maestro.test=true", users.name(), name)
                    .strip();
            users.cli("tag", name, plain);
        }
        try (Bench opened = new Bench(directory, images, images.base())) {
            bench = opened;
            project = bench.open(Map.of("network", "none"));
            try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
                environment.enter(Phase.CODING);
                String hash = id.substring("sha256:".length());
                attackEverywhere(name, images.busybox());
                attackByWhiteSpace(name, images.busybox());
                attackByStages(plain, images.busybox());
                for (String spelling : List.of(
                        "docker.io/" + name,
                        "localhost/" + name,
                        name.replace(":1", "@" + id),
                        id,
                        hash.substring(0, 12),
                        id.substring(0, 20),
                        "maestro-test/../" + name)) {
                    attack(spelling);
                }
                ToolResult tagged = new ToolCaller(project, false).call("container_build", Map.of("tag", name));
                assertThat(tagged.isError()).isTrue();
                assertThat(tagged.text()).contains("is no name for an image");
            }
            assertThat(bench.cli().output("image", "inspect", "--format", "{{.Id}}", name))
                    .isEqualTo(id);
        } finally {
            images.remove(plain);
            images.remove(name);
        }
    }

    private void attackEverywhere(String name, String busybox) {
        attack(name);
        String from = "FROM " + busybox + "\n";
        for (String dockerfile : List.of(
                "FROM --platform=linux/amd64 " + name + " AS x\n",
                "ARG B=" + name + "\nFROM ${B}\n",
                "FROM \\\n" + name + "\n",
                from + "COPY --from=" + name + " /canary /canary\n",
                from + "COPY --fr\\\nom=" + name + " /canary /canary\n",
                from + "RUN --mount=from=" + name + ",target=/m cat /m/canary\n",
                from + "RUN --mount=type=bind,from=" + name + ",source=/,target=/m cat /m/canary\n",
                from + "ONBUILD COPY --from=" + name + " /canary /canary\n")) {
            bench.write("Dockerfile", dockerfile);
            refused("container_build", Map.of(), dockerfile);
        }
        bench.write("build.yaml", "services:\n  a: {build: .}\n");
        refused("compose_up", Map.of("path", "build.yaml"), "a build of a stack");
        bench.write("Dockerfile", "ARG B\nFROM $B\n");
        refused("container_build", Map.of("build_args", List.of(Map.of("name", "B", "value", name))), "an argument");
    }

    /** Builders know more white space than blanks and tabs. */
    private void attackByWhiteSpace(String name, String busybox) {
        String from = "FROM " + busybox + "\n";
        String end = "RUN cat /s/canary; false\n";
        for (String copy : List.of(
                "COPY \u2003--from=" + name + " /canary /s/\n",
                "copy\t\t\u2003\u3000--from=" + name + " /canary /s/\n",
                "COPY --chown=0:0 \u2003--from=" + name + " /canary /s/\n",
                "RUN \u2003--mount=type=bind,from=" + name + ",target=/s cat /s/canary; false\n")) {
            bench.write("Dockerfile", from + copy + end);
            refused("container_build", Map.of(), copy);
        }
        bench.write(
                "inline.yaml",
                "services:\n  a:\n    build:\n      context: .\n      dockerfile_inline: |\n        " + from
                        + "        COPY \u2003--from=" + name + " /canary /s/\n        " + end);
        refused("compose_up", Map.of("path", "inline.yaml"), "an inline Dockerfile");
    }

    /** What is a stage here is text of a heredoc for a builder. */
    private void attackByStages(String plain, String busybox) {
        String from = "FROM " + busybox + "\n";
        String stage = "FROM " + busybox + " AS " + plain + "\nRUN true\n";
        for (String heredoc : List.of(
                "RUN :||cat \u2003<<\"RUN true\"\n",
                "RUN :||cat \u00a0<<\"RUN true\"\n",
                "COPY x \u2003<<\"RUN true\" /y/\n",
                "RUN :||cat << \"RUN true\"\n",
                "RUN :||cat <<\"RUN true\"\n")) {
            for (String use : List.of(
                    from + "COPY --from=" + plain + " /canary /s/\nRUN cat /s/canary; false\n",
                    "FROM " + plain + "\nRUN cat /canary; false\n",
                    from + "RUN --mount=type=bind,from=" + plain + ",target=/s cat /s/canary; false\n")) {
                bench.write("Dockerfile", from + heredoc + stage + use);
                refused("container_build", Map.of(), heredoc + use);
            }
        }
    }

    private void attack(String spelling) {
        bench.write("Dockerfile", "FROM " + spelling + "\n");
        refused("container_build", Map.of(), spelling);
        bench.write("compose.yaml", "services:\n  a: {image: '" + spelling + "', command: cat /canary}\n");
        refused("compose_up", Map.of("path", "compose.yaml"), spelling);
        refused("container_test", Map.of("image", spelling, "command", "cat /canary"), spelling);
        refused("container_switch", Map.of("image", spelling), spelling);
        refused("container_update", Map.of("image", spelling), spelling);
    }

    private void refused(String tool, Map<String, Object> arguments, String what) {
        ToolResult answer = new ToolCaller(project, false).call(tool, arguments);
        assertThat(answer.isError()).as("%s %s: %s", tool, what, answer).isTrue();
        assertThat(answer.text())
                .as("%s %s", tool, what)
                .doesNotContain(CANARY)
                .containsAnyOf(
                        "may not be used",
                        "is no image",
                        "--mount",
                        "is no name",
                        "names no image",
                        "ONBUILD",
                        "builders read differently",
                        "ends a heredoc with",
                        "a heredoc, which the builder");
    }
}
