package io.maestro.docker.internal.tools;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.internal.environment.Bench;
import io.maestro.docker.internal.environment.DockerProject;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What an agent could try through the arguments of its tools. Each attempt is refused with its reason, and nothing happens. */
@RequiresEngine
class ToolEscapeTest {
    private static final String SECRET = "planted-8c1f77aa90b2";

    @TempDir
    static Path directory;

    private static TestImages images;
    private static Bench bench;
    private static Bench theirs;
    private static DockerProject project;
    private static DockerProject other;
    private static StoryEnvironment environment;
    private static String foreign;
    private static String foreignContainer;

    @BeforeAll
    static void open() throws IOException {
        images = TestImages.ofDocker();
        String base = images.base();
        bench = new Bench(Files.createDirectory(directory.resolve("mine")), images, base);
        theirs = new Bench(Files.createDirectory(directory.resolve("theirs")), images, base);
        other = theirs.open(Map.of());
        StoryEnvironment elsewhere = Bench.environment(other, theirs.place("7"));
        elsewhere.enter(Phase.CODING);
        foreignContainer = elsewhere.now().orElseThrow().container().name();
        theirs.write("Dockerfile", "FROM " + images.busybox() + "\nENV THEIRS=yes\n");
        foreign = String.valueOf(new ToolCaller(other, false)
                .call("container_build", Map.of("tag", "theirs"))
                .data()
                .get("image"));
        project = bench.open(Map.of(), DockerEnvironments.builder(), Map.of("API_TOKEN", SECRET));
        environment = Bench.environment(project, bench.place("7"));
        environment.enter(Phase.CODING);
        bench.write("Dockerfile", "FROM " + images.busybox() + "\nARG X\n");
        bench.write("sub/a", "a");
        bench.write("keys/Dockerfile", "FROM " + images.busybox() + "\nCOPY key /key\n");
        bench.write("secret/Dockerfile", "FROM " + images.busybox() + "\nENV TOKEN=none\n");
        Files.writeString(directory.resolve("outside"), "FROM " + images.busybox() + "\n");
        Files.createDirectory(directory.resolve("outside-context"));
        Files.createSymbolicLink(bench.workspace.resolve("link"), directory.resolve("outside"));
        Files.createSymbolicLink(bench.workspace.resolve("linked"), directory.resolve("outside-context"));
        Files.createSymbolicLink(bench.workspace.resolve("root"), Path.of("/"));
        Files.createSymbolicLink(bench.workspace.resolve("loop"), bench.workspace.resolve("loop"));
    }

    @AfterAll
    static void close() {
        theirs.close();
        bench.close();
    }

    static List<Arguments> attempts() {
        return List.of(
                // Image references that are options, or none.
                image("container_switch", "--privileged", "is no image"),
                image("container_switch", "-v/:/host", "is no image"),
                image("container_test", "--volume=/:/host", "is no image"),
                image("container_test", "--network=host", "is no image"),
                image("container_update", "--help", "is no image"),
                image("container_switch", "busybox --privileged", "is no image"),
                image("container_test", "busybox\n--privileged", "is no image"),
                image("container_test", "$(touch /tmp/x)", "is no image"),
                image("container_switch", "../../etc/passwd", "is no image"),
                image("container_switch", "a/../b", "is no image"),
                image("container_test", "/var/run/docker.sock", "is no image"),
                image("container_update", "http://evil.example/image", "is no image"),
                // Others' images and containers, and images of nobody known.
                foreignImage("container_switch"),
                foreignImage("container_test"),
                foreignImage("container_update"),
                foreignContainer("container_test", "may not be used"),
                foreignContainer("container_update", "may not be used"),
                image(
                        "container_update",
                        "maestro-test/busybox:latest",
                        "was not built here from a Dockerfile of the repository"),
                image("container_update", "maestro-test/none:1", "there is no image"),
                // Paths.
                build(Map.of("dockerfile", "../outside"), "leads out of the workspace"),
                build(Map.of("dockerfile", "sub/../../outside"), "leads out of the workspace"),
                build(Map.of("dockerfile", "/etc/passwd"), "is absolute"),
                build(Map.of("dockerfile", "/workspace/../outside"), "is absolute"),
                build(Map.of("dockerfile", "link"), "goes through the symbolic link 'link'"),
                build(Map.of("dockerfile", "root/etc/passwd"), "goes through the symbolic link 'root'"),
                build(Map.of("dockerfile", "loop"), "goes through the symbolic link 'loop'"),
                build(Map.of("dockerfile", "sub"), "there is no file 'sub'"),
                build(Map.of("dockerfile", "-"), "there is no file '-'"),
                build(Map.of("dockerfile", "Dockerfile\u0000"), "no control characters"),
                build(Map.of("context", "/"), "is absolute"),
                build(Map.of("context", ".."), "leads out of the workspace"),
                build(Map.of("context", "linked"), "goes through the symbolic link 'linked'"),
                build(Map.of("context", "root/etc"), "goes through the symbolic link 'root'"),
                build(Map.of("context", "https://example.org/repo.git"), "there is no directory"),
                build(Map.of("context", "-"), "there is no directory"),
                // Names.
                build(Map.of("tag", "maestro-bootstrap"), "is the name of the safe image"),
                build(Map.of("tag", "maestro-bootstrap:latest"), "is the name of the safe image"),
                build(Map.of("tag", "registry.example:5000/app"), "is no name for an image"),
                build(Map.of("tag", "library/debian"), "is no name for an image"),
                build(Map.of("tag", "../app"), "is no name for an image"),
                build(Map.of("tag", "--output=/etc"), "is no name for an image"),
                build(Map.of("tag", "a b"), "is no name for an image"),
                // Build arguments.
                argument("--secret", "x", "not the name of a build argument"),
                argument("A=B", "x", "not the name of a build argument"),
                argument("BUILDKIT_SYNTAX", "evil/frontend", "not the name of a build argument"),
                argument("X", "a\nb", "control character"),
                // Secrets in what everybody can read.
                argument("X", SECRET, "holds a secret"),
                argument("X", "prefix-" + SECRET, "holds a secret"),
                build(Map.of("dockerfile", "secret/Dockerfile", "context", "sub"), "holds a secret"),
                build(Map.of("dockerfile", "keys/Dockerfile", "context", "keys"), "its file 'key' holds a secret"));
    }

    private static Arguments image(String tool, String image, String reason) {
        return Arguments.of(tool, Map.of("image", image), reason);
    }

    private static Arguments foreignImage(String tool) {
        return Arguments.of(tool, Map.of("image", "FOREIGN"), "may not be used");
    }

    private static Arguments foreignContainer(String tool, String reason) {
        return Arguments.of(tool, Map.of("image", "FOREIGN-CONTAINER"), reason);
    }

    private static Arguments build(Map<String, Object> arguments, String reason) {
        return Arguments.of("container_build", arguments, reason);
    }

    private static Arguments argument(String name, String value, String reason) {
        return build(Map.of("build_args", List.of(Map.of("name", name, "value", value))), reason);
    }

    @ParameterizedTest
    @MethodSource("attempts")
    void isRefused(String tool, Map<String, Object> arguments, String reason) throws IOException {
        Map<String, Object> given = arguments;
        if ("FOREIGN".equals(arguments.get("image"))) {
            given = Map.of("image", foreign);
        } else if ("FOREIGN-CONTAINER".equals(arguments.get("image"))) {
            given = Map.of("image", foreignContainer);
        }
        List<String> before = bench.containers(project);
        List<String> imagesBefore = builtImages();
        List<Path> planted = planted(arguments);
        ToolResult answer = new ToolCaller(project, false).call(tool, given);
        for (Path file : planted) {
            Files.writeString(file, "gone");
        }
        assertThat(answer.isError()).as("%s", answer).isTrue();
        assertThat(answer.text()).contains(reason).doesNotContain(SECRET);
        assertThat(bench.containers(project)).isEqualTo(before);
        assertThat(builtImages()).isEqualTo(imagesBefore);
    }

    /** In the files of this attempt only, as others are built from the whole workspace. */
    private static List<Path> planted(Map<String, Object> arguments) {
        return switch (String.valueOf(arguments.get("dockerfile"))) {
            case "secret/Dockerfile" ->
                List.of(bench.write("secret/Dockerfile", "FROM " + images.busybox() + "\nENV TOKEN=" + SECRET + "\n"));
            // Over the border of what is read at once.
            case "keys/Dockerfile" -> List.of(bench.write("keys/key", "x".repeat(64 * 1024 - 5) + SECRET));
            default -> List.of();
        };
    }

    /** Of both projects: other tests build at the same time. */
    private static List<String> builtImages() {
        return Stream.of(project, other)
                .flatMap(one -> bench.images(one).stream())
                .sorted()
                .toList();
    }
}
