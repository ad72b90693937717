package io.maestro.docker.internal.sandbox.devcontainer;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.maestro.docker.ContainerSpec;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Refusal;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Workspace;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random files: what is read keeps to the repository and can be given to a container, and what cannot be read is said to be so. */
class DevContainerRandomTest {
    private static final List<String> NAMES = List.of(
            "image",
            "build",
            "dockerfile",
            "dockerFile",
            "context",
            "args",
            "target",
            "features",
            "./a",
            "./../b",
            "./../../c",
            "ghcr.io/a",
            "containerEnv",
            "remoteEnv",
            "A",
            "PATH",
            "b-c",
            "remoteUser",
            "containerUser",
            "workspaceFolder",
            "forwardPorts",
            "onCreateCommand",
            "updateContentCommand",
            "postCreateCommand",
            "postStartCommand",
            "mounts",
            "privileged",
            "initializeCommand",
            "runArgs",
            "\\u0000",
            "");
    private static final List<String> TEXTS = List.of(
            "a",
            "..",
            "../..",
            "../../etc/passwd",
            "/etc/passwd",
            "Dockerfile",
            "x/../y",
            "--privileged",
            "-v",
            "C:\\\\x",
            "\\n",
            "\\u0000",
            "${",
            "}",
            "${localEnv:A}",
            "${localEnv:A:..}",
            "${localEnv:A:/}",
            "/../",
            "${containerEnv:A}",
            "root",
            "${containerWorkspaceFolder}",
            "${localWorkspaceFolderBasename}",
            "alpine:3",
            "/work",
            "/proc/1",
            "é",
            "\\ud800");
    private static final List<String> NOISE =
            List.of("{", "}", "[", "]", "\"", ",", ":", "//", "/*", "*/", "\\", "\n", "null", "1e999", "\ufeff", "'");

    @Test
    void whatIsReadStaysInTheRepository() {
        tryRandomFiles(Campaign.number(1_500));
    }

    @Test
    @Full("whatIsReadStaysInTheRepository tries some of such files")
    void whatIsReadOfManyFilesStaysInTheRepository() {
        tryRandomFiles(30_000);
    }

    private static void tryRandomFiles(int number) {
        int read = 0;
        int built = 0;
        int features = 0;
        for (long seed : Campaign.seeds("devcontainer.json", number).toArray()) {
            Random random = new Random(seed);
            String text = object(random, 0);
            if (random.nextInt(4) == 0) {
                int at = random.nextInt(text.length());
                text = text.substring(0, at) + one(random, NOISE) + text.substring(at + random.nextInt(2));
            }
            try {
                String location = one(random, DevContainer.LOCATIONS);
                DevContainer file = DevContainer.read(location, text, new Workspace("shop", "/workspace/shop"));
                check(file);
                read++;
                built += file.build().isPresent() ? 1 : 0;
                features += file.features().size();
            } catch (IllegalArgumentException e) {
                assertThat(e).as("seed %d", seed).hasMessageStartingWith("the file ");
            } catch (RuntimeException | AssertionError e) {
                fail("seed " + seed + " with " + text, e);
            }
        }
        assertThat(read).isGreaterThan(number / 4);
        assertThat(built).isPositive();
        assertThat(features).isPositive();
    }

    private static void check(DevContainer file) {
        file.build().ifPresent(build -> {
            checkPath(build.dockerfile());
            checkPath(build.context());
        });
        file.features().forEach(feature -> checkPath(feature.directory()));
        assertThat(file.workspaceFolder()).matches("(/[^/]+)+").doesNotStartWith("/proc/");
        checkParts(file.workspaceFolder().substring(1));
        assertThat(file.refused())
                .hasSizeLessThanOrEqualTo(100)
                .extracting(Refusal::member)
                .allSatisfy(member -> assertThat(member).doesNotContainPattern("\\p{Cntrl}"));
        assertThat(file.commands())
                .allSatisfy(command -> assertThat(command.argv()).isNotEmpty());
        // None of these may be refused once the file was read.
        ContainerSpec.Builder spec = ContainerSpec.builder(file.image().orElse("busybox"), "sandbox")
                .workingDirectory(file.workspaceFolder());
        file.containerEnv().forEach(spec::environment);
        file.containerUser().ifPresent(spec::user);
        file.remoteUser().ifPresent(spec::user);
    }

    private static void checkPath(String path) {
        assertThat(path).doesNotStartWith("-").doesNotContain("\\", ":", "\u0000");
        if (!path.equals(RepositoryPath.ROOT)) {
            checkParts(path);
        }
    }

    private static void checkParts(String path) {
        assertThat(path.split("/", -1)).doesNotContain("", ".", "..");
    }

    private static String one(Random random, List<String> list) {
        return list.get(random.nextInt(list.size()));
    }

    private static String object(Random random, int depth) {
        StringBuilder text = new StringBuilder("{");
        List<String> names = random.ints(0, NAMES.size())
                .distinct()
                .limit(random.nextInt(7))
                .mapToObj(NAMES::get)
                .toList();
        // What chance alone would hardly ever write.
        if (depth == 0 && random.nextInt(4) == 0 && !names.contains("features") && !names.contains("build")) {
            text.append("\"features\": {\"")
                    .append(one(random, List.of("./a", "./../b", "./../../c")))
                    .append("\": {}}, \"build\": {\"dockerfile\": \"")
                    .append(one(random, TEXTS))
                    .append("\"}, ");
        }
        for (String name : names) {
            text.append('"')
                    .append(name)
                    .append("\": ")
                    .append(value(random, depth + 1))
                    .append(", ");
        }
        return text.append('}').toString();
    }

    private static String value(Random random, int depth) {
        return switch (random.nextInt(depth > 4 ? 4 : 7)) {
            case 0 -> one(random, List.of("null", "true", "false", "1.5", "1e999", "-1", "99999999999999999999"));
            case 1 -> String.valueOf(random.nextInt(70_000));
            case 2, 3 ->
                '"'
                        + one(random, TEXTS)
                        + (random.nextBoolean() ? one(random, List.of("/", "", "x")) : "")
                        + one(random, TEXTS)
                        + '"';
            case 4 -> "[" + value(random, depth + 1) + ", " + value(random, depth + 1) + ",]";
            default -> object(random, depth);
        };
    }
}
