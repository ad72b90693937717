package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.git.internal.TestRepository.write;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.GitException;
import io.maestro.git.LocalForge;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent does its worst in its workspace. Whatever is planted would write a file; none may ever appear. */
class HostileWorkspaceTest {
    @TempDir
    Path directory;

    private Path markers;
    private Path outside;
    private TestRepository people;
    private GitRepository repository;
    private Workspace workspace;

    @BeforeEach
    void create() throws IOException {
        markers = Files.createDirectories(directory.resolve("markers"));
        outside = Files.createDirectories(directory.resolve("outside"));
        write(outside, "secret", "secret of the host\n");
        people = TestRepository.create(directory.resolve("remote"));
        people.commit("Dir", Map.of("dir/a.txt", "a\n", "dir/b.txt", "b\n"));
        repository = new GitRepository(directory.resolve("work"), people.bare.toString());
        workspace = repository.checkout("coder-001", "1", 1, repository.refresh());
    }

    @AfterEach
    void nothingRanAndNothingOutsideWasTouched() {
        assertThat(markers).isEmptyDirectory();
        assertThat(outside.resolve("secret")).hasContent("secret of the host");
        assertThat(outside).isDirectoryContaining(path -> path.endsWith("secret"));
        assertThat(outside.toFile().list()).hasSize(1);
    }

    private String plant(String name) {
        return "touch " + markers.resolve(name);
    }

    private void plantScript(Path file, String name) throws IOException {
        write(file.getParent(), file.getFileName().toString(), "#!/bin/sh\n" + plant(name) + "\n");
        file.toFile().setExecutable(true);
    }

    private void plantRepository(Path dotGit) throws IOException {
        for (String hook : List.of(
                "pre-commit",
                "commit-msg",
                "prepare-commit-msg",
                "post-commit",
                "post-checkout",
                "pre-push",
                "post-merge",
                "reference-transaction",
                "post-index-change",
                "fsmonitor-watchman",
                "pre-auto-gc",
                "update",
                "pre-receive",
                "post-receive",
                "pre-rebase",
                "post-rewrite")) {
            plantScript(dotGit.resolve("hooks/" + hook), "hook-" + hook);
        }
        write(dotGit, "included", "[core]\n fsmonitor = \"" + plant("included") + "\"\n");
        write(dotGit, "info/attributes", "* filter=x diff=x merge=x\n");
        String config =
                Files.exists(dotGit.resolve("config")) ? Files.readString(dotGit.resolve("config")) : "[core]\n";
        write(
                dotGit,
                "config",
                config
                        + String.join(
                                "\n",
                                "[core]",
                                " hooksPath = " + dotGit.resolve("hooks"),
                                " fsmonitor = \"" + plant("fsmonitor") + "; false\"",
                                " sshCommand = \"" + plant("ssh") + "\"",
                                " pager = \"" + plant("pager") + "\"",
                                " editor = \"" + plant("editor") + "\"",
                                " gitProxy = \"" + plant("proxy") + "\"",
                                " askPass = \"" + plant("askpass") + "\"",
                                "[filter \"x\"]",
                                " clean = \"" + plant("clean") + "; cat\"",
                                " smudge = \"" + plant("smudge") + "; cat\"",
                                " process = \"" + plant("process") + "\"",
                                " required = true",
                                "[diff]",
                                " external = \"" + plant("diff-external") + "\"",
                                "[diff \"x\"]",
                                " command = \"" + plant("diff-command") + "\"",
                                " textconv = \"" + plant("textconv") + "; cat\"",
                                "[merge \"x\"]",
                                " driver = \"" + plant("merge-driver") + "\"",
                                "[credential]",
                                " helper = \"!" + plant("credential") + "; false\"",
                                "[alias]",
                                " fetch = \"!" + plant("alias-fetch") + "\"",
                                " push = \"!" + plant("alias-push") + "\"",
                                "[uploadpack]",
                                " packObjectsHook = \"" + plant("pack-objects") + "\"",
                                "[gpg]",
                                " program = \"" + plant("gpg") + "\"",
                                "[commit]",
                                " gpgSign = true",
                                "[url \"ext::sh -c " + plant("ext") + "\"]",
                                " insteadOf = /",
                                "[include]",
                                " path = included",
                                ""));
    }

    /** All that the host ever does with a workspace. */
    private void everything() throws IOException {
        write(workspace.directory(), "work-" + System.nanoTime() + ".txt", "work\n");
        Workspace.Snapshot snapshot = workspace.snapshot();
        workspace.diff(snapshot, null, 1, 50_000);
        workspace.diff(snapshot, "dir", 1, 50_000);
        workspace.diffStat(snapshot);
        workspace.commit(snapshot, "S", "");
        workspace.push();
        people.pull("main");
        people.commit("Other", Map.of("news.txt", "news " + System.nanoTime() + "\n", "dir/c.txt", "c\n"));
        workspace.integrate();
        repository.refresh();
        String commit = workspace.commit(workspace.snapshot(), "S", "");
        workspace.push();
        Proposal proposal = new Proposal(
                "1",
                1,
                "T",
                "",
                repository.mirror(),
                people.bare.toString(),
                workspace.branch(),
                commit,
                workspace.baseCommit(),
                "main",
                List.of());
        assertThat(new LocalForge().merge(proposal)).isInstanceOf(Outcome.Merged.class);
        repository
                .reopen("coder-001", "1", 1, workspace.branch(), workspace.baseCommit(), "main")
                .snapshot();
        repository.checkout("coder-001", "2", 1, "main").snapshot();
        workspace.empty();
    }

    @Test
    void hooksAndConfigOfTheWorkspaceAreNeverRun() throws IOException {
        plantRepository(workspace.directory().resolve(".git"));
        write(workspace.directory(), ".gitattributes", "* filter=x diff=x merge=x ident\n");
        everything();
    }

    @Test
    void thePlantedThingsWouldRunIfGitWereUsedThere() throws IOException {
        plantRepository(workspace.directory().resolve(".git"));
        write(workspace.directory(), ".gitattributes", "* filter=x\n");
        TestRepository.run(workspace.directory(), "add", "--all");
        assertThat(markers.toFile().list()).contains("included", "process");
        for (String marker : markers.toFile().list()) {
            Files.delete(markers.resolve(marker));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"deleted", "file", "link", "link-to-mirror", "gitfile"})
    void theWorkspacesGitDirectoryMayBeAnything(String kind) throws IOException {
        Path dotGit = workspace.directory().resolve(".git");
        SafeDirectory.deleteTree(dotGit);
        Path evil = workspace.directory().resolve("evil");
        switch (kind) {
            case "file" -> Files.writeString(dotGit, "garbage");
            case "link" -> {
                plantRepository(evil);
                Files.createSymbolicLink(dotGit, Path.of("evil"));
            }
            case "link-to-mirror" -> Files.createSymbolicLink(dotGit, repository.mirror());
            case "gitfile" -> {
                plantRepository(evil);
                Files.writeString(dotGit, "gitdir: evil\n");
            }
            default -> {}
        }
        everything();
        assertThat(repository.mirror()).isNotEmptyDirectory();
    }

    @Test
    void aRepositoryInsideIsNamedAndNothingRunsInIt() throws IOException {
        Path nested = Files.createDirectories(workspace.directory().resolve("vendor/lib"));
        git(nested, "init", "-q");
        write(nested, "x.c", "x\n");
        git(nested, "add", "x.c");
        git(nested, "commit", "-q", "-m", "x");
        plantRepository(nested.resolve(".git"));
        Path inTracked = Files.createDirectories(workspace.directory().resolve("dir"));
        plantRepository(inTracked.resolve(".git"));
        assertThatThrownBy(workspace::snapshot)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("vendor/lib/")
                .hasMessageContaining("dir/.git");
        SafeDirectory.deleteTree(inTracked.resolve(".git"));
        write(workspace.directory(), ".gitignore", "vendor/\n");
        everything();
    }

    @Test
    void aSubmoduleOfTheRepositoryStaysWhatItIsAndNothingRunsInIt() throws IOException {
        String commit = git(people.clone, "rev-parse", "HEAD").strip();
        git(people.clone, "update-index", "--add", "--cacheinfo", "160000," + commit + ",sub");
        write(
                people.clone,
                ".gitmodules",
                "[submodule \"sub\"]\n path = sub\n url = ../app.git\n update = !" + plant("update") + "\n");
        git(people.clone, "add", ".gitmodules");
        git(people.clone, "commit", "-q", "-m", "Submodule");
        git(people.clone, "push", "-q", "origin", "main");
        repository.refresh();
        workspace = repository.checkout("coder-001", "1", 1, "main");
        assertThat(workspace.snapshot().empty()).isTrue();

        Path sub = workspace.directory().resolve("sub");
        git(sub, "init", "-q");
        plantRepository(sub.resolve(".git"));
        write(sub, "x.txt", "x\n");
        assertThatThrownBy(workspace::snapshot)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("sub is a submodule");
        SafeDirectory.deleteTree(sub.resolve(".git"));
        assertThatThrownBy(workspace::snapshot)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("sub");
        Files.delete(sub.resolve("x.txt"));
        Files.delete(sub);
        assertThat(workspace.diff(workspace.snapshot(), null, 1, 50_000)).contains("-Subproject commit " + commit);
        Files.createDirectory(sub);
        write(workspace.directory(), "f.txt", "f\n");
        Workspace.Snapshot snapshot = workspace.snapshot();
        workspace.commit(snapshot, "S", "");
        workspace.push();
        assertThat(git(people.bare, "ls-tree", "maestro/story-1", "sub")).startsWith("160000 commit " + commit);
    }

    @Test
    void linksAreCommittedAsLinksAndNeverFollowed() throws IOException {
        Path root = workspace.directory();
        Files.createSymbolicLink(root.resolve("leak"), outside.resolve("secret"));
        Files.createSymbolicLink(root.resolve("leaks"), outside);
        SafeDirectory.deleteTree(root.resolve("dir"));
        Files.createSymbolicLink(root.resolve("dir"), outside);
        Files.createSymbolicLink(root.resolve(".gitignore"), outside.resolve("secret"));
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThat(git(repository.mirror(), "ls-tree", "-r", workspace.commit(snapshot, "S", "")))
                .contains("120000")
                .doesNotContain("secret");
        assertThat(workspace.diff(snapshot, null, 1, 50_000)).doesNotContain("secret of the host");
        workspace.empty();
    }

    @Test
    void integrationRunsNoMergeDriver() throws IOException {
        Path root = workspace.directory();
        Path run = directory.resolve("run");
        write(root, ".gitattributes", "* merge=evil diff=evil filter=evil\n");
        write(root, "sub/.gitattributes", "* merge=evil\n");
        write(root, ".git/info/attributes", "* merge=evil filter=evil\n");
        for (String key : List.of(
                "merge.evil.driver",
                "diff.evil.textconv",
                "filter.evil.clean",
                "filter.evil.smudge",
                "core.fsmonitor")) {
            git(root, "config", key, "touch " + run);
        }
        git(root, "config", "merge.default", "evil");
        write(root, "dir/a.txt", "ours\n");
        people.commit("Other", Map.of("dir/a.txt", "theirs\n"));
        assertThat(workspace.integrate().conflicts()).containsOnlyKeys("dir/a.txt");
        assertThat(run).doesNotExist();
        assertThat(root.resolve("dir/a.txt")).content().contains("<<<<<<< maestro/story-1", "ours", "theirs");
    }

    @Test
    void integrationDoesNotWriteThroughLinks() throws IOException {
        Path root = workspace.directory();
        SafeDirectory.deleteTree(root.resolve("dir"));
        Files.createSymbolicLink(root.resolve("dir"), outside);
        write(root, ".gitignore", "new\nnewer\n");
        Files.createSymbolicLink(root.resolve("new"), outside);
        Files.createSymbolicLink(root.resolve("newer"), outside.resolve("secret"));
        people.commit("Other", Map.of("dir/a.txt", "changed\n", "dir/new.txt", "new\n", "newer", "newer\n"));
        assertThat(workspace.integrate().conflicts()).containsOnlyKeys("dir", "dir/a.txt", "dir~maestro_story-1");
        assertThat(root.resolve("newer")).hasContent("newer").isRegularFile();
        assertThat(Files.isSymbolicLink(root.resolve("newer"))).isFalse();

        git(people.clone, "add", "--all", "--force");
        people.commit("More", Map.of("new/x.txt", "x\n"));
        String base = workspace.baseCommit();
        assertThatThrownBy(workspace::integrate)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("'new'");
        assertThat(workspace.baseCommit()).isEqualTo(base);
        Files.delete(root.resolve("new"));
        assertThat(workspace.integrate().conflicts()).isEmpty();
        assertThat(root.resolve("new/x.txt")).hasContent("x");
    }

    @Test
    void emptyingDeletesLinksButNotWhatTheyPointTo() throws IOException {
        Path root = workspace.directory();
        Files.createSymbolicLink(root.resolve("out"), outside);
        Files.createSymbolicLink(root.resolve("dir/out"), outside);
        Path deep = root;
        for (int i = 0; i < 300; i++) {
            deep = Files.createDirectory(deep.resolve("d"));
        }
        Files.createSymbolicLink(deep.resolve("out"), outside);
        Path closed = Files.createDirectory(root.resolve("closed"));
        write(closed, "x", "x");
        closed.toFile().setExecutable(false);
        closed.toFile().setReadable(false);
        workspace.empty();
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void aTreeDeeperThanAnythingReasonableIsAProblem() throws IOException {
        Path deep = workspace.directory();
        for (int i = 0; i < 300; i++) {
            deep = Files.createDirectory(deep.resolve("d"));
        }
        Files.writeString(deep.resolve("f"), "f");
        assertThatThrownBy(workspace::snapshot)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("levels");
    }

    /** Each star is a loop in a loop for a matcher that goes back. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void patternsThatWereMadeToTakeLongDoNot() throws IOException {
        String pattern = "*a".repeat(60) + "b";
        write(workspace.directory(), ".gitignore", pattern + "\n");
        write(workspace.directory(), ".gitattributes", pattern + " text\n");
        write(workspace.directory(), "a".repeat(250), "x\n");
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThat(git(repository.mirror(), "ls-tree", "--name-only", workspace.commit(snapshot, "S", "")))
                .contains("a".repeat(250));
    }

    @Test
    void tooManyRulesAreAProblemForTheCoder() throws IOException {
        write(workspace.directory(), ".gitignore", "#\n".repeat(300_000));
        write(workspace.directory(), "dir/.gitattributes", "#\n".repeat(300_000));
        assertThatThrownBy(workspace::snapshot)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("dir/.gitattributes is too long");
    }

    @Test
    @Timeout(60)
    void aSnapshotCanBeCancelledAtAnyTimeAndSoCanWhoWaitsForIt() throws Exception {
        write(workspace.directory(), ".gitignore", ("*a".repeat(100) + "b\n").repeat(4_000));
        for (int i = 0; i < 50; i++) {
            write(workspace.directory(), "a".repeat(200) + i, "x\n");
        }
        Thread working = cancelled();
        while (Stream.of(working.getStackTrace())
                .noneMatch(at -> at.getClassName().endsWith("Wildmatch"))) {
            assertThat(working.isAlive()).isTrue();
        }
        Thread waiting = cancelled();
        while (waiting.getState() != Thread.State.WAITING) {
            assertThat(waiting.isAlive()).isTrue();
        }
        waiting.interrupt();
        waiting.join();
        assertThat(working.isAlive()).isTrue();
        working.interrupt();
        working.join();
        assertThat(cancelled)
                .hasSize(2)
                .allSatisfy(failure ->
                        assertThat(failure).isInstanceOf(GitException.class).hasMessageContaining("cancelled"));
    }

    private final Queue<Throwable> cancelled = new ConcurrentLinkedQueue<>();

    private Thread cancelled() {
        Thread thread = new Thread(workspace::snapshot);
        thread.setUncaughtExceptionHandler((of, failure) -> cancelled.add(failure));
        thread.start();
        return thread;
    }
}
