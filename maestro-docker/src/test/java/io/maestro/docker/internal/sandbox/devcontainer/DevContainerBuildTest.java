package io.maestro.docker.internal.sandbox.devcontainer;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.DockerfileBuild;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Refusal;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Workspace;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a devcontainer.json says of the image that is built. */
class DevContainerBuildTest {
    private static final Workspace WORKSPACE = new Workspace("my-shop", "/workspace/shop");
    private static final String FOLDER_LOCATION = ".devcontainer/devcontainer.json";

    /** Of a text in which ' stands for ". */
    private static DevContainer read(String text) {
        return DevContainer.read(FOLDER_LOCATION, text.replace('\'', '"'), WORKSPACE);
    }

    private static Refusal refusal(String text) {
        assertThat(read(text).refused()).as(text).hasSize(1);
        return read(text).refused().get(0);
    }

    static Stream<Arguments> buildRefusals() {
        return Stream.of(
                arguments("'dockerfile': '/etc/x'", "build.dockerfile", "is an absolute path"),
                arguments("'dockerfile': '../../x'", "build.dockerfile", "leads out of the repository"),
                arguments("'dockerfile': 'a/../../../x/../.devcontainer/y'", "build.dockerfile", "leads out"),
                arguments("'dockerfile': 'a\\\\..\\\\b'", "build.dockerfile", "write the path with '/'"),
                arguments("'dockerfile': 'C:x'", "build.dockerfile", "write the path with '/'"),
                arguments("'dockerfile': '../--x'", "build.dockerfile", "begins with '-'"),
                arguments("'dockerfile': ''", "build.dockerfile", "is no path"),
                arguments("'dockerfile': '..'", "build.dockerfile", "names the root"),
                arguments("'dockerfile': 'a\\nb'", "build.dockerfile", "a control character"),
                arguments("'dockerfile': []", "build.dockerfile", "must be a string, and is an array"),
                arguments("'dockerfile': '${localWorkspaceFolder}/x'", "build.dockerfile", "a path of the host"),
                arguments("'dockerfile': 'x', 'context': '../..'", "build.context", "leads out of the repository"),
                arguments("'dockerfile': 'x', 'context': '/'", "build.context", "is an absolute path"),
                arguments("'dockerfile': 'x', 'target': '--x'", "build.target", "not the name of a stage"));
    }

    @ParameterizedTest
    @MethodSource("buildRefusals")
    void nothingElseIsBuiltWhenAPartIsRefused(String member, String name, String reason) {
        Refusal refusal = refusal("{'build': {" + member + "}}");
        assertThat(refusal.member()).isEqualTo(name);
        assertThat(refusal.reason()).contains(reason);
        assertThat(read("{'build': {" + member + "}}").build()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"cacheFrom, is not followed", "options, is not followed"})
    void buildsWithoutFurtherMembers(String name, String reason) {
        String text = "{'build': {'dockerfile': 'x', '" + name + "': ['--network=host']}}";
        assertThat(refusal(text).member()).isEqualTo("build." + name);
        assertThat(refusal(text).reason()).contains(reason);
        assertThat(read(text).build()).isPresent();
    }

    @ParameterizedTest
    @CsvSource({
        "BUILDKIT_X, a, would steer the builder",
        "DOCKER_X, a, would steer the builder",
        "A-B, a, is not the name of a variable",
        "A, a\\tb, another control character"
    })
    void refusesBuildArguments(String name, String value, String reason) {
        String text = "{'build': {'dockerfile': 'x', 'args': {'" + name + "': '" + value + "', 'B': 'b'}}}";
        assertThat(refusal(text).reason()).contains(reason);
        assertThat(read(text).build().orElseThrow().args()).containsExactly(entry("B", "b"));
    }

    @ParameterizedTest
    @CsvSource({
        ".devcontainer/devcontainer.json, Dockerfile, ., .devcontainer/Dockerfile, .devcontainer",
        ".devcontainer/devcontainer.json, ../a//./b/../Dockerfile, .., a/Dockerfile, .",
        ".devcontainer/devcontainer.json, ../.devcontainer/x, ../src/, .devcontainer/x, src",
        ".devcontainer.json, Dockerfile, ., Dockerfile, .",
        ".devcontainer.json, ./..a/...b, ./c, ..a/...b, c"
    })
    void pathsAreRelativeToTheFile(String location, String dockerfile, String context, String fromRoot, String where) {
        String members = "'dockerfile': '" + dockerfile + "', 'context': '" + context + "'";
        DockerfileBuild build = new DockerfileBuild(fromRoot, where, Map.of(), Optional.empty());
        String text = "{'build': {" + members + "}}";
        assertThat(DevContainer.read(location, text.replace('\'', '"'), WORKSPACE)
                        .build())
                .contains(build);
        String old = "{" + members.replace("dockerfile", "dockerFile") + "}";
        assertThat(DevContainer.read(location, old.replace('\'', '"'), WORKSPACE)
                        .build())
                .contains(build);
    }

    @Test
    void withoutAContextItIsTheDirectoryOfTheDockerfile() {
        assertThat(read("{'build': {'dockerfile': '../x'}}").build())
                .contains(new DockerfileBuild("x", ".", Map.of(), Optional.empty()));
        assertThat(DevContainer.read(".devcontainer.json", "{\"dockerFile\": \"x\"}", WORKSPACE)
                        .build())
                .contains(new DockerfileBuild("x", ".", Map.of(), Optional.empty()));
    }

    @Test
    void theRootIsTheEndForAFileThatLiesThere() {
        assertThat(DevContainer.read(".devcontainer.json", "{\"dockerFile\": \"../x\"}", WORKSPACE)
                        .refused())
                .containsExactly(new Refusal("dockerFile", "leads out of the repository"));
    }

    @Test
    void aDockerfileGoesBeforeAnImage() {
        DevContainer file = read("{'image': 'a', 'build': {'dockerfile': 'x'}, 'dockerFile': 'y'}");
        assertThat(file.build().orElseThrow().dockerfile()).isEqualTo(".devcontainer/x");
        assertThat(file.image()).isEmpty();
        assertThat(file.refused()).extracting(Refusal::member).containsExactlyInAnyOrder("image", "dockerFile");
        assertThat(read("{'image': 'a:${localEnv:V:1}', 'build': {}}").image()).contains("a:1");
    }
}
