package io.maestro.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.exec.local.LocalExecutor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the demo works on, and what gets what it has made. */
class OriginTest {
    @TempDir
    Path directory;

    private Git git;
    private Path shared;
    private Path home;

    @BeforeEach
    void makeRepository() throws Exception {
        git = new Git(LocalExecutor.builder(directory).build());
        shared = directory.resolve("shared.git");
        home = Files.createDirectory(directory.resolve("home"));
        SampleProject.create(git, directory.resolve("sample"), shared);
    }

    @Test
    void aScriptDoesNotPushToARepositoryThatOthersUse() {
        for (String repository : List.of(shared.toString(), shared.toUri().toString())) {
            Origin origin = Origin.forScript(git, home, repository);
            assertThat(origin.url()).isEqualTo(home.resolve("origin.git").toString());
            assertThat(origin.takeBack(git, "1", "0123456789").orElseThrow())
                    .contains("Nothing was pushed", "shared.git", "--model");
        }
    }

    @Test
    void aModelPushesToIt() {
        assertThat(Origin.of(git, home, shared.toString()).url()).isEqualTo(shared.toString());
    }

    @Test
    void aWorkingCopyGetsABranch() {
        Path copy = directory.resolve("copy");
        git.run("clone", "--quiet", shared.toString(), copy.toString());
        Origin origin = Origin.forScript(git, home, copy.toString());
        String commit = git.run("-C", shared.toString(), "rev-parse", "HEAD");
        assertThat(origin.takeBack(git, "1", commit).orElseThrow()).contains("on a new branch");
        assertThat(git.run("-C", copy.toString(), "for-each-ref", "refs/heads/maestro"))
                .contains(commit);
    }
}
