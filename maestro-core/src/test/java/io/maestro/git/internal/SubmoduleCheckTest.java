package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.git.internal.TestRepository.write;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.files.internal.SafeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is changed in a submodule is told, and what is not is not. */
class SubmoduleCheckTest {
    @TempDir
    Path directory;

    private Workspace workspace;
    private Path library;

    @BeforeEach
    void create() throws IOException {
        TestRepository other = TestRepository.create(directory.resolve("other"));
        other.commit(
                "Files",
                Map.of(
                        ".gitignore",
                        "target/\n",
                        ".gitattributes",
                        "*.bat text eol=crlf\n",
                        "run.bat",
                        "x\n",
                        "d/umlaut.txt",
                        "a\n"));
        Files.createSymbolicLink(other.clone.resolve("link"), Path.of("README.md"));
        other.commitAll("Link");
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        git(people.clone, "submodule", "--quiet", "add", other.bare.toString(), "vendor/lib");
        people.commitAll("Submodule");
        other.commit("Newer", Map.of("newer.txt", "newer\n"));
        GitRepository repository = new GitRepository(directory.resolve("work"), people.bare.toString());
        workspace = repository.checkout("coder-001", "1", 1, repository.refresh());
        library = workspace.directory().resolve("vendor/lib");
        assertThat(workspace.snapshot().empty()).isTrue();
        git(workspace.directory(), "submodule", "--quiet", "update", "--init");
        assertThat(workspace.snapshot().empty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"edited", "new", "deleted", "link", "staged", "committed", "branch", "newer", "packed", "far"})
    void whatIsChangedIsTold(String kind) throws IOException {
        switch (kind) {
            case "edited" -> write(library, "README.md", "changed\n");
            case "new" -> write(library, "d/new.txt", "new\n");
            case "deleted" -> Files.delete(library.resolve("README.md"));
            case "link" -> {
                Files.delete(library.resolve("link"));
                Files.createSymbolicLink(library.resolve("link"), Path.of("elsewhere"));
            }
            case "staged" -> {
                write(library, "README.md", "changed\n");
                git(library, "add", "README.md");
            }
            case "committed", "branch", "packed" -> {
                if (!kind.equals("committed")) {
                    git(library, "checkout", "-q", "-b", "topic");
                }
                write(library, "README.md", "changed\n");
                git(library, "commit", "-q", "-a", "-m", "Changed");
                if (kind.equals("packed")) {
                    git(library, "pack-refs", "--all");
                }
            }
            case "newer" -> git(workspace.directory(), "submodule", "--quiet", "update", "--remote");
            default -> write(library, ".git", "gitdir: /elsewhere\n");
        }
        assertThatThrownBy(workspace::snapshot)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("vendor/lib is a submodule, and what is changed in it cannot be committed here");
        if (!kind.equals("far")) {
            git(library, "clean", "-fdq");
            git(workspace.directory(), "submodule", "--quiet", "update", "--force");
            assertThat(workspace.snapshot().empty()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void whatIsNotChangedIsNoProblem(int version) throws IOException {
        git(library, "update-index", "--index-version=" + version);
        if (version == 3) {
            git(library, "sparse-checkout", "set", "--no-cone", "/*", "!/README.md");
            assertThat(library.resolve("README.md")).doesNotExist();
        }
        write(library, "target/out.bin", "out\n");
        for (String file : List.of("d/umlaut.txt", "run.bat")) {
            Files.setLastModifiedTime(library.resolve(file), FileTime.fromMillis(1_000_000_000_000L));
        }
        assertThat(workspace.snapshot().empty()).isTrue();
    }

    /** Of an index that an agent has made, nothing is believed and nothing breaks. */
    @Test
    void anIndexMayBeAnything() throws IOException {
        Path index = workspace.directory().resolve(".git/modules/vendor/lib/index");
        byte[] whole = Files.readAllBytes(index);
        for (int length = 0; length < whole.length; length += 7) {
            byte[] cut = Arrays.copyOf(whole, length);
            Files.write(index, cut);
            try {
                assertThat(workspace.snapshot().empty()).isTrue();
            } catch (WorkspaceProblem told) {
                assertThat(told).hasMessageContaining("vendor/lib");
            }
        }
        SafeDirectory.deleteTree(workspace.directory().resolve(".git/modules"));
        Files.createSymbolicLink(workspace.directory().resolve(".git/modules"), directory);
        assertThatThrownBy(workspace::snapshot).isInstanceOf(WorkspaceProblem.class);
    }
}
