package io.maestro.claude.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.maestro.exec.local.LocalExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The CLI opens what a policy has decided on. */
class OwnToolPathsTest {
    @TempDir
    Path directory;

    private Path workspace;
    private int decided;

    @BeforeEach
    void make() throws IOException {
        workspace = Files.createDirectories(directory.toRealPath().resolve("workspace/.github"))
                .getParent();
        Files.createDirectories(workspace.resolve("src"));
        Files.createSymbolicLink(workspace.resolve("link"), Path.of(".github"));
        Files.createSymbolicLink(workspace.resolve("src/file"), Path.of("../.github/x.yml"));
    }

    private String refusal(String tool, String argument, String path) {
        String input = JsonNodeFactory.instance.objectNode().put(argument, path).toString();
        return new OwnToolPaths(LocalExecutor.builder(workspace).build())
                .refusal(tool, input, reason -> reason, () -> {
                    decided++;
                    return Optional.empty();
                })
                .orElse("");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/./.github/x.yml",
                "/no/../.github/x.yml",
                "//.github/x.yml",
                "/.github//x.yml",
                "/.github/x.yml/",
                "/.github/x.yml ",
                "/.github/x.yml\u00a0",
                "/.github/u\u0308.yml",
                "/.github/\ud800.yml"
            })
    void anotherSpellingIsRefusedBeforeAPolicyIsAsked(String path) {
        assertThat(refusal("Write", "file_path", workspace + path))
                .contains("is another spelling of '" + workspace + "/.github/", "use that one");
        assertThat(decided).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {".github/x.yml", "./x", "~/x", "../workspace/.github/x.yml", " "})
    void aRelativePathIsRefused(String path) {
        assertThat(refusal("Edit", "file_path", path)).contains("is not absolute", workspace + "/...");
    }

    @ParameterizedTest
    @CsvSource({
        "Read, file_path",
        "Write, file_path",
        "Edit, file_path",
        "MultiEdit, file_path",
        "NotebookEdit, notebook_path",
        "Glob, path",
        "Grep, path",
        "LS, path"
    })
    void everyToolWithAPathIsLookedAt(String tool, String argument) throws IOException {
        assertThat(refusal(tool, argument, workspace + "/link/new/x.yml")).contains("goes through a symbolic link");
        assertThat(refusal(tool, argument, workspace + "/src/file")).contains("goes through a symbolic link");
        assertThat(refusal(tool, argument, workspace + "/src/../x")).contains("another spelling");
        assertThat(refusal(tool, argument, workspace + "/src/new dir/$(x)'.yml"))
                .isEmpty();
        assertThat(refusal(tool, argument, workspace.toString())).isEmpty();
        assertThat(refusal(tool, argument, directory.toRealPath() + "/x")).isEmpty();
        assertThat(decided).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/proc",
                "/proc/self/cwd/.github/x.yml",
                "/proc/thread-self/cwd/.github/x.yml",
                "/proc/1/cwd/.github/x.yml",
                "/proc/self/root{}/.github/x.yml",
                "/proc/self/../self/cwd/x",
                "/dev/fd/3/x",
                "/dev/fd/3",
                "/dev/stdin",
                " /proc/self/cwd/x"
            })
    void aPathOfAProcessIsRefused(String path) {
        assertThat(refusal("Read", "file_path", path.replace("{}", workspace.toString())))
                .contains("files of processes");
        assertThat(decided).isZero();
        assertThat(refusal("Read", "file_path", "/process/x")).isEmpty();
    }

    @Test
    void aLinkOutsideThatLeadsIntoTheWorkspaceIsRefused() throws IOException {
        Path outside = Files.createDirectories(directory.toRealPath().resolve("outside"));
        Files.createSymbolicLink(outside.resolve("in"), workspace.resolve(".github"));
        Files.createSymbolicLink(outside.resolve("above"), Path.of(".."));
        for (String path : new String[] {"in/x.yml", "in", "above/workspace/.github/x.yml"}) {
            assertThat(refusal("Read", "file_path", outside + "/" + path)).contains("goes through a symbolic link");
        }
        assertThat(refusal("Read", "file_path", outside + "/x/y")).isEmpty();
        assertThat(refusal("Glob", "path", outside.toString())).isEmpty();
        assertThat(refusal("Glob", "path", "/")).isEmpty();
    }

    /** As {@code /tmp} is one on macOS. */
    @Test
    void aLinkOnTheWayToTheWorkspaceIsNone() throws IOException {
        Path real = workspace;
        workspace = Files.createSymbolicLink(directory.toRealPath().resolve("tmp"), real.getParent())
                .resolve("workspace");
        assertThat(refusal("Read", "file_path", workspace + "/.github/x.yml")).isEmpty();
        assertThat(refusal("Grep", "path", workspace.toString())).isEmpty();
        assertThat(refusal("Read", "file_path", workspace + "/link/x.yml")).contains("goes through a symbolic link");
        assertThat(refusal("Read", "file_path", real + "/.github/x.yml")).contains("use " + workspace + "/...");
        assertThat(refusal("Grep", "path", real.toString())).contains("use " + workspace + "/...");
    }

    @Test
    void whatHasNoPathIsForPoliciesAlone() {
        assertThat(refusal("Bash", "command", "cat ./x")).isEmpty();
        assertThat(refusal("Grep", "pattern", "./x")).isEmpty();
        assertThat(decided).isEqualTo(2);
    }
}
