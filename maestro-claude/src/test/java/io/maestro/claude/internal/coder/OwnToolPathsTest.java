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
    void everyToolWithAPathIsLookedAt(String tool, String argument) {
        assertThat(refusal(tool, argument, workspace + "/link/new/x.yml")).contains("goes through a symbolic link");
        assertThat(refusal(tool, argument, workspace + "/src/file")).contains("goes through a symbolic link");
        assertThat(refusal(tool, argument, workspace + "/src/../x")).contains("another spelling");
        assertThat(refusal(tool, argument, workspace + "/src/new dir/$(x)'.yml"))
                .isEmpty();
        assertThat(refusal(tool, argument, workspace.toString())).isEmpty();
        assertThat(refusal(tool, argument, "/tmp/x")).isEmpty();
        assertThat(decided).isEqualTo(5);
    }

    @Test
    void whatHasNoPathIsForPoliciesAlone() {
        assertThat(refusal("Bash", "command", "cat ./x")).isEmpty();
        assertThat(refusal("Grep", "pattern", "./x")).isEmpty();
        assertThat(decided).isEqualTo(2);
    }
}
