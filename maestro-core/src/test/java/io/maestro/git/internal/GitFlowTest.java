package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.git.internal.TestRepository.write;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.Forge;
import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.GitException;
import io.maestro.git.GitOptions;
import io.maestro.git.LocalForge;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A story from a fresh workspace to its merge, on real repositories. */
class GitFlowTest {
    @TempDir
    Path directory;

    private TestRepository people;
    private GitRepository repository;
    private final Forge forge = new LocalForge();

    @BeforeEach
    void create() throws IOException {
        people = TestRepository.create(directory.resolve("remote"));
        repository =
                new GitRepository(directory.resolve("work"), people.bare.toUri().toString());
    }

    private Workspace checkout(String story) {
        return repository.checkout("coder-001", story, 1, repository.refresh());
    }

    private Proposal proposal(Workspace workspace, String story, String commit) {
        return new Proposal(
                story,
                1,
                "A title",
                "Some words.",
                repository.mirror(),
                people.bare.toString(),
                workspace.branch(),
                commit,
                workspace.baseCommit(),
                workspace.targetBranch(),
                List.of());
    }

    @Test
    void filesAreCheckedOutForReadingWithoutARepository() throws IOException {
        Path reading = directory.resolve("work/architect-001");
        String target = repository.refresh();
        assertThat(repository.checkoutForReading("architect-001", target))
                .isEqualTo(git(people.bare, "rev-parse", "main").strip());
        assertThat(reading.resolve("README.md")).exists();
        assertThat(reading.resolve(".git")).doesNotExist();
        assertThat(git(repository.mirror(), "for-each-ref", "refs/maestro")).isEmpty();
        assertThat(directory.resolve("work/.maestro/git/architect-001")).doesNotExist();

        Object inode = Files.getAttribute(reading, "unix:ino");
        write(reading, "left/behind.txt", "by an earlier life\n");
        repository.checkoutForReading("architect-001", target);
        assertThat(reading.resolve("left")).doesNotExist();
        assertThat(reading.resolve("README.md")).exists();

        repository.emptyWorkspace("architect-001");
        assertThat(reading).isEmptyDirectory();
        assertThat(Files.getAttribute(reading, "unix:ino")).isEqualTo(inode);
        repository.emptyWorkspace("architect-002");
        assertThat(directory.resolve("work/architect-002")).doesNotExist();
    }

    @Test
    void aStoryGetsFromACheckoutIntoTheTargetBranch() throws IOException {
        Workspace workspace = checkout("042");
        assertThat(workspace.directory()).isEqualTo(directory.resolve("work/coder-001"));
        assertThat(workspace.branch()).isEqualTo("maestro/story-042");
        assertThat(workspace.targetBranch()).isEqualTo("main");
        assertThat(git(workspace.directory(), "status", "--porcelain")).isEmpty();
        assertThat(git(workspace.directory(), "branch", "--show-current").strip())
                .isEqualTo("maestro/story-042");
        assertThat(git(workspace.directory(), "config", "user.name").strip()).isEqualTo("Maestro coder-001");
        assertThat(git(workspace.directory(), "config", "user.email").strip()).isEqualTo("coder-001@maestro.local");
        assertThat(git(workspace.directory(), "remote", "get-url", "origin").strip())
                .isEqualTo(people.bare.toUri().toString());
        assertThat(workspace.directory().resolve(".git/objects/info/alternates"))
                .doesNotExist();
        assertThat(workspace.directory().resolve(".git/hooks")).doesNotExist();
        assertThat(workspace.snapshot().empty()).isTrue();

        write(workspace.directory(), "src/App.java", "class App { int x; }\n");
        write(workspace.directory(), "src/New.java", "class New {}\n");
        Files.delete(workspace.directory().resolve("README.md"));
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThat(snapshot.empty()).isFalse();
        assertThat(workspace.diff(snapshot, null, 1, 50_000))
                .contains("+class New {}", "-class App {}", "+class App { int x; }", "deleted file mode");
        assertThat(workspace.diff(snapshot, "src/New.java", 1, 50_000))
                .contains("New")
                .doesNotContain("App.java");
        assertThat(workspace.diffStat(snapshot))
                .contains("src/New.java", "+1 -0", "3 files changed, 2 insertions(+), 6 deletions(-)");

        String commit = workspace.commit(snapshot, "Story 042: A title", "Why.");
        assertThat(workspace.commit(workspace.snapshot(), "again", "")).isEqualTo(commit);
        workspace.push();
        workspace.push();
        assertThat(git(people.bare, "rev-parse", "maestro/story-042").strip()).isEqualTo(commit);
        assertThat(git(people.bare, "log", "-1", "--format=%an <%ae> %cn%n%B", commit))
                .startsWith(
                        "Maestro coder-001 <coder-001@maestro.local> Maestro coder-001\nStory 042: A title\n\nWhy.\n")
                .contains("Maestro-Story: 042\nMaestro-Attempt: 1");
        assertThat(git(people.bare, "rev-parse", commit + "^").strip()).isEqualTo(workspace.baseCommit());

        assertThat(repository.findMerged("main", List.of(commit))).isEmpty();
        assertThat(forge.propose(proposal(workspace, "042", commit))).isEmpty();
        Outcome.Merged merged = (Outcome.Merged) forge.merge(proposal(workspace, "042", commit));
        assertThat(merged.already()).isFalse();
        assertThat(git(people.bare, "rev-parse", "main").strip()).isEqualTo(merged.commit());
        assertThat(git(people.bare, "rev-parse", "main^1", "main^2"))
                .isEqualTo(workspace.baseCommit() + "\n" + commit + "\n");
        assertThat(git(people.bare, "log", "-1", "--format=%s %an", "main").strip())
                .isEqualTo("Merge story 042: A title Maestro coder-001");
        assertThat(repository.findMerged("main", List.of("0".repeat(40), commit)))
                .contains(merged.commit());
        assertThat(repository.findMerged("main", List.of())).isEmpty();

        assertThat(forge.merge(proposal(workspace, "042", commit)))
                .isEqualTo(new Outcome.Merged(merged.commit(), true));
        assertThat(git(people.bare, "rev-list", "--count", "main").strip()).isEqualTo("3");
        git(people.bare, "fsck", "--strict");
        git(repository.mirror(), "fsck", "--strict");
        for (Path place : List.of(people.bare, repository.mirror())) {
            assertThat(git(place, "branch", "--format=%(refname:short)")).isEqualTo("main\n");
        }
    }

    /** It is merged all the same, and nothing of anybody's is lost. */
    @Test
    void aMergedBranchStaysWhenSomebodyElseHasPushedToItOrTheRepositoryWantsIt() throws IOException {
        Workspace workspace = checkout("1");
        write(workspace.directory(), "new.txt", "new\n");
        String commit = workspace.commit(workspace.snapshot(), "S", "");
        workspace.push();
        git(people.clone, "fetch", "-q", "origin");
        git(people.clone, "checkout", "-q", "maestro/story-1");
        String theirs = people.commit("More", Map.of("more.txt", "more\n"));
        git(people.clone, "checkout", "-q", "main");
        assertThat(forge.merge(proposal(workspace, "1", commit))).isInstanceOf(Outcome.Merged.class);
        assertThat(git(people.bare, "rev-parse", "maestro/story-1").strip()).isEqualTo(theirs);

        git(people.bare, "config", "receive.denyDeletes", "true");
        Workspace second = checkout("2");
        write(second.directory(), "second.txt", "new\n");
        String kept = second.commit(second.snapshot(), "S", "");
        second.push();
        assertThat(forge.merge(proposal(second, "2", kept))).isInstanceOf(Outcome.Merged.class);
        assertThat(git(people.bare, "rev-parse", "maestro/story-2").strip()).isEqualTo(kept);

        git(people.bare, "config", "receive.denyDeletes", "false");
        assertThat(forge.merge(proposal(second, "2", kept))).isInstanceOf(Outcome.Merged.class);
        assertThat(git(people.bare, "branch", "--format=%(refname:short)")).isEqualTo("maestro/story-1\nmain\n");
    }

    @Test
    void aTargetThatHasMovedIsBroughtInBeforeTheMerge() throws IOException {
        Workspace workspace = checkout("1");
        write(workspace.directory(), "new.txt", "new\n");
        String commit = workspace.commit(workspace.snapshot(), "S", "");
        workspace.push();
        String theirs = people.commit("Other", Map.of("other.txt", "other\n"));
        assertThat(forge.merge(proposal(workspace, "1", commit))).isEqualTo(new Outcome.Moved(theirs));
        Workspace.Integration integration = workspace.integrate();
        assertThat(integration.conflicts()).isEmpty();
        assertThat(integration.after()).isEqualTo(workspace.snapshot());
        String both = workspace.commit(integration.after(), "S", "");
        workspace.push();
        Outcome.Merged merged = (Outcome.Merged) forge.merge(proposal(workspace, "1", both));
        assertThat(git(people.bare, "rev-parse", merged.commit() + "^1").strip())
                .isEqualTo(theirs);
        assertThat(people.file("main", "other.txt") + people.file("main", "new.txt"))
                .isEqualTo("other\nnew\n");
    }

    @Test
    void aConflictIsReportedIntegratedResolvedAndMerged() throws IOException {
        Workspace workspace = checkout("7");
        write(workspace.directory(), "README.md", "# App\n\none\nOURS\nthree\n");
        write(workspace.directory(), "mine.txt", "mine\n");
        String commit = workspace.commit(workspace.snapshot(), "S", "");
        workspace.push();
        String before = people.commit(
                "Other", Map.of("README.md", "# App\n\none\nTHEIRS\nthree\n", "lib/deep/theirs.txt", "theirs\n"));

        assertThat(forge.merge(proposal(workspace, "7", commit))).isEqualTo(new Outcome.Moved(before));
        assertThat(git(people.bare, "rev-parse", "main").strip()).isEqualTo(before);

        Workspace.Snapshot ours = workspace.snapshot();
        Workspace.Integration integration = workspace.integrate();
        assertThat(integration.conflicts())
                .containsOnly(Map.entry("README.md", "both versions between conflict markers"));
        assertThat(integration.said()).containsExactly("CONFLICT (content): Merge conflict in README.md");
        assertThat(integration.before()).isEqualTo(ours);
        assertThat(integration.after()).isEqualTo(workspace.snapshot());
        assertThat(workspace.baseCommit()).isEqualTo(before);
        assertThat(workspace.directory().resolve("README.md"))
                .hasContent("# App\n\none\n<<<<<<< maestro/story-7\nOURS\n=======\nTHEIRS\n>>>>>>> main\nthree\n");
        assertThat(workspace.directory().resolve("lib/deep/theirs.txt")).hasContent("theirs");
        assertThat(workspace.integrate())
                .isEqualTo(new Workspace.Integration(integration.after(), integration.after(), Map.of(), List.of()));

        write(workspace.directory(), "README.md", "# App\n\none\nBOTH\nthree\n");
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThat(workspace.diffStat(snapshot)).contains(" 2 files changed");
        String resolved = workspace.commit(snapshot, "S", "");
        workspace.push();
        // On top of what was pushed before, so no force was needed.
        assertThat(git(people.bare, "rev-parse", resolved + "^1", resolved + "^2"))
                .isEqualTo(commit + "\n" + before + "\n");
        assertThat(forge.merge(proposal(workspace, "7", resolved))).isInstanceOf(Outcome.Merged.class);
        assertThat(people.file("main", "README.md")).isEqualTo("# App\n\none\nBOTH\nthree\n");
        assertThat(people.file("main", "lib/deep/theirs.txt")).isEqualTo("theirs\n");
    }

    @Test
    void markersOfAMergeAreNeverCommitted() throws IOException {
        people.commit("Sizes", Map.of(".gitattributes", "*.long conflict-marker-size=12\n", "a.long", "a\n"));
        Workspace workspace = checkout("7");
        Path root = workspace.directory();
        write(root, "README.md", "OURS\r\n");
        write(root, "a.long", "ours\n");
        write(root, "howto.md", "<<<<<<< maestro/story-7\n=======\n>>>>>>> main\n");
        people.commit("Other", Map.of("README.md", "THEIRS\n", "a.long", "theirs\n"));
        assertThat(workspace.integrate().conflicts()).containsOnlyKeys("README.md", "a.long");
        Workspace later = repository.reopen("coder-001", "7", 1, workspace.branch(), workspace.baseCommit(), "main");
        assertThatThrownBy(() -> later.requireCommittable(later.snapshot()))
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContainingAll(
                        "README.md, line 1: <<<<<<< maestro/story-7\n",
                        "README.md, line 5: >>>>>>> main\n",
                        "a.long, line 1: <<<<<<<<<<<< maestro/story-7\n")
                .message()
                .doesNotContain("howto");
        write(root, "README.md", "BOTH\n");
        write(root, "a.long", "both\n>>>>>>>>>>>> main\n");
        assertThatThrownBy(() -> later.commit(later.snapshot(), "S", "")).isInstanceOf(WorkspaceProblem.class);
        // Other lines of that kind are the story's own.
        write(root, "a.long", "both\n>>>>>>> main\n=======\n");
        later.commit(later.snapshot(), "S", "");
    }

    @Test
    void markersAreFoundWhereverTheCoderHasPutThem() throws IOException {
        Workspace workspace = checkout("7");
        Path root = workspace.directory();
        String howto = "<<<<<<< maestro/story-7\n=======\n>>>>>>> main\n";
        write(root, "README.md", "OURS\n");
        write(root, "howto.md", howto);
        people.commit("Other", Map.of("README.md", "THEIRS\n"));
        assertThat(workspace.integrate().conflicts()).containsOnlyKeys("README.md");

        Files.move(root.resolve("README.md"), root.resolve("moved.md"));
        write(root, "howto.md", howto + "more\n");
        assertThatThrownBy(() -> workspace.requireCommittable(workspace.snapshot()))
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContainingAll("moved.md, line 1: <<<<<<< maestro/story-7", "moved.md, line 5: >>>>>>> main")
                .message()
                .doesNotContain("howto");
        Files.copy(root.resolve("moved.md"), root.resolve("README.md.orig"));
        write(root, "moved.md", "BOTH\n");
        assertThatThrownBy(() -> workspace.commit(workspace.snapshot(), "S", ""))
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("README.md.orig, line 1");
        Files.delete(root.resolve("README.md.orig"));
        workspace.commit(workspace.snapshot(), "S", "");
    }

    /** A checkout has it in git's index: a file that is ignored, and one that others' new attributes would convert. */
    @Test
    void whatAMergeHasMadeIsReadBackAsItIs() throws IOException {
        write(people.clone, ".gitignore", "*.log\n");
        write(people.clone, "kept.log", "log\n");
        write(people.clone, "dos.txt", "one\r\ntwo\r\nthree\r\n");
        git(people.clone, "add", "-f", "kept.log");
        people.commitAll("Base");
        Workspace workspace = checkout("1");
        write(workspace.directory(), "kept.log", "ours\n");
        write(workspace.directory(), "dos.txt", "ours\r\ntwo\r\nthree\r\n");
        git(people.clone, "rm", "-q", "kept.log");
        people.commit("Other", Map.of(".gitattributes", "*.txt text\n"));

        Workspace.Integration integration = workspace.integrate();
        assertThat(integration.conflicts()).containsExactly(Map.entry("kept.log", "the version of maestro/story-1"));
        assertThat(workspace.snapshot()).isEqualTo(integration.after());
        assertThat(workspace.diffStat(integration.after())).contains("kept.log", "dos.txt", "+1 -1");
        Workspace later = repository.reopen("coder-001", "1", 1, workspace.branch(), workspace.baseCommit(), "main");
        assertThat(later.snapshot()).isEqualTo(integration.after());

        people.commit("More", Map.of("more.txt", "more\n"));
        assertThat(later.integrate().after()).isEqualTo(later.snapshot());
        assertThat(later.diffStat(later.snapshot())).contains("kept.log", "dos.txt", "+1 -1");
    }

    @Test
    void aMergeThatCannotBeWrittenLeavesNothing() throws IOException {
        people.commit("Base", Map.of(".gitignore", "build/\n", "gone.txt", "x\n"));
        Workspace workspace = checkout("1");
        write(workspace.directory(), "README.md", "OURS\n");
        write(workspace.directory(), "build/cache", "ignored\n");
        git(people.clone, "rm", "-q", ".gitignore", "gone.txt");
        people.commit("Other", Map.of("a.txt", "theirs\n", "README.md", "THEIRS\n", "build", "a file\n"));
        Workspace.Snapshot before = workspace.snapshot();
        assertThatThrownBy(workspace::integrate)
                .isInstanceOf(WorkspaceProblem.class)
                .hasMessageContaining("'build' is in the way");
        assertThat(workspace.snapshotForReview()).isEqualTo(before);
        assertThat(workspace.directory().resolve("build/cache")).exists();

        SafeDirectory.deleteTree(workspace.directory().resolve("build"));
        assertThat(workspace.integrate().conflicts()).containsOnlyKeys("README.md");
        assertThat(workspace.directory().resolve("build")).hasContent("a file");
    }

    @Test
    void othersMayPutASubmoduleWhereAFileWas() throws IOException {
        write(people.clone, "lib", "a file\n");
        Files.createSymbolicLink(people.clone.resolve("link"), Path.of("src"));
        String module = people.commitAll("Base");
        Workspace workspace = checkout("1");
        write(workspace.directory(), "mine.txt", "mine\n");
        for (String path : List.of("lib", "link")) {
            git(people.clone, "update-index", "--cacheinfo", "160000," + module + "," + path);
            Files.delete(people.clone.resolve(path));
            Files.createDirectory(people.clone.resolve(path));
        }
        git(people.clone, "commit", "-q", "-m", "Other");
        git(people.clone, "push", "-q", "origin", "HEAD");

        Workspace.Integration integration = workspace.integrate();
        assertThat(integration.conflicts()).isEmpty();
        assertThat(workspace.snapshot()).isEqualTo(integration.after());
        assertThat(workspace.directory().resolve("lib")).isEmptyDirectory();
        assertThat(workspace.directory().resolve("link")).isEmptyDirectory();
        assertThat(workspace.directory().resolve("src/App.java")).exists();
    }

    /** For a secret, or because it was somebody's mistake. */
    @Test
    void aCommitThatWasTakenBackByForceDoesNotReturn() throws IOException {
        String seed = git(people.bare, "rev-parse", "main").strip();
        String taken = people.commit("Taken back", Map.of("taken.txt", "x\n"));
        Workspace workspace = checkout("1");
        write(workspace.directory(), "new.txt", "new\n");
        String first = workspace.commit(workspace.snapshot(), "S", "");
        workspace.push();
        git(people.clone, "reset", "-q", "--hard", seed);
        git(people.clone, "push", "-q", "--force", "origin", "main");
        assertThat(forge.merge(proposal(workspace, "1", first))).isEqualTo(new Outcome.Moved(seed));

        Workspace.Integration integration = workspace.integrate();
        String clean = workspace.commit(integration.after(), "S", "");
        assertThat(git(repository.mirror(), "rev-parse", clean + "^@").strip()).isEqualTo(seed);
        workspace.push();
        assertThat(workspace.branch()).isEqualTo("maestro/story-1-2");
        assertThat(forge.merge(proposal(workspace, "1", clean))).isInstanceOf(Outcome.Merged.class);
        assertThat(git(people.bare, "log", "--format=%H", "main"))
                .contains(clean)
                .doesNotContain(taken, first);
        assertThat(people.file("main", "new.txt")).isEqualTo("new\n");
    }

    /** The story had ended, so that nothing was kept of it. */
    @Test
    void whatWasTakenBackByForceDoesNotReturnWithAStoryThatIsGoneOnWith() throws IOException {
        String seed = git(people.bare, "rev-parse", "main").strip();
        String taken = people.commit("Taken back", Map.of("taken.txt", "x\n"));
        Workspace workspace = checkout("1");
        write(workspace.directory(), "new.txt", "new\n");
        String first = workspace.commit(workspace.snapshot(), "S", "");
        workspace.push();
        git(people.clone, "reset", "-q", "--hard", seed);
        git(people.clone, "push", "-q", "--force", "origin", "main");
        workspace.integrate();
        repository.forget("1", 1);

        Workspace later = repository.reopen("coder-001", "1", 1, workspace.branch(), workspace.baseCommit(), "main");
        later.goOnFrom(first, List.of(taken, "0".repeat(40)));
        write(later.directory(), "more.txt", "more\n");
        String clean = later.commit(later.integrate().after(), "S", "");
        later.push();
        assertThat(git(people.bare, "rev-list", later.branch()))
                .contains(clean, seed)
                .doesNotContain(taken, first);
    }

    @Test
    void aReviewedCommitIsReplacedBeforeItIsPushedAndFollowedAfterwards() throws IOException {
        Workspace workspace = checkout("8");
        write(workspace.directory(), "a.txt", "1\n");
        String first = workspace.commit(workspace.snapshot(), "S", "");
        write(workspace.directory(), "a.txt", "2\n");
        String second = workspace.commit(workspace.snapshot(), "S", "");
        assertThat(git(repository.mirror(), "rev-parse", second + "^").strip()).isEqualTo(workspace.baseCommit());
        assertThat(second).isNotEqualTo(first);
        workspace.push();
        write(workspace.directory(), "a.txt", "3\n");
        String third = workspace.commit(workspace.snapshot(), "S", "");
        workspace.push();
        assertThat(git(people.bare, "rev-parse", third + "^").strip()).isEqualTo(second);
    }

    @Test
    void integrationKeepsWhatDoesNotConflictAndDecidesNothing() throws IOException {
        people.commit(
                "Base",
                Map.of(
                        "both.txt",
                        "a\nb\nc\nd\ne\n",
                        "gone.txt",
                        "x\n",
                        "kept.txt",
                        "x\n",
                        "dir/f.txt",
                        "x\n",
                        "bin",
                        "\0a"));
        Workspace workspace = checkout("9");
        Path root = workspace.directory();
        write(root, "both.txt", "A\nb\nc\nd\ne\n");
        Files.delete(root.resolve("gone.txt"));
        write(root, "kept.txt", "ours\n");
        write(root, "added.txt", "ours\n");
        write(root, "bin", "\0ours");
        write(root, "place", "a file\n");

        people.pull("main");
        write(people.clone, "both.txt", "a\nb\nc\nd\nE\n");
        write(people.clone, "gone.txt", "changed\n");
        Files.delete(people.clone.resolve("kept.txt"));
        write(people.clone, "added.txt", "theirs\n");
        write(people.clone, "bin", "\0theirs");
        Files.delete(people.clone.resolve("dir/f.txt"));
        Files.deleteIfExists(people.clone.resolve("dir"));
        write(people.clone, "dir", "now a file\n");
        write(people.clone, "place/inside.txt", "theirs\n");
        write(people.clone, "run.sh", "#!/bin/sh\n");
        people.clone.resolve("run.sh").toFile().setExecutable(true);
        Files.createSymbolicLink(people.clone.resolve("link"), Path.of("run.sh"));
        people.commitAll("Other");

        Workspace.Integration integration = workspace.integrate();
        assertThat(integration.after()).isEqualTo(workspace.snapshot());
        assertThat(integration.conflicts())
                .containsExactly(
                        Map.entry("added.txt", "both versions between conflict markers"),
                        Map.entry("bin", "the version of maestro/story-9"),
                        Map.entry("gone.txt", "the version of main"),
                        Map.entry("kept.txt", "the version of maestro/story-9"),
                        Map.entry("place", "a directory"),
                        Map.entry("place~maestro_story-9", "a version without markers"));
        assertThat(root.resolve("both.txt")).hasContent("A\nb\nc\nd\nE");
        assertThat(root.resolve("gone.txt")).hasContent("changed");
        assertThat(root.resolve("kept.txt")).hasContent("ours");
        assertThat(root.resolve("bin")).hasContent("\0ours");
        assertThat(root.resolve("place~maestro_story-9")).hasContent("a file");
        assertThat(root.resolve("place/inside.txt")).hasContent("theirs");
        assertThat(root.resolve("dir")).hasContent("now a file");
        assertThat(root.resolve("added.txt")).content().contains("<<<<<<<", "ours", "theirs", ">>>>>>>");
        assertThat(root.resolve("run.sh")).isExecutable();
        assertThat(Files.readSymbolicLink(root.resolve("link"))).isEqualTo(Path.of("run.sh"));
    }

    @Test
    void aWorkspaceCanBeReopenedAfterARestart() throws IOException {
        Workspace first = checkout("042");
        write(first.directory(), "a.txt", "a\n");
        GitRepository later =
                new GitRepository(directory.resolve("work"), people.bare.toUri().toString());
        Workspace again = later.reopen("coder-001", "042", 1, first.branch(), first.baseCommit(), "main");
        String commit = again.commit(again.snapshot(), "S", "");
        assertThat(first.commit(first.snapshot(), "S", "")).isEqualTo(commit);
        again.push();
        assertThat(people.file("maestro/story-042", "a.txt")).isEqualTo("a\n");
        assertThatThrownBy(() -> later.reopen("coder-002", "042", 1, first.branch(), first.baseCommit(), "main"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("gone");
        assertThatThrownBy(() -> later.reopen("coder-001", "042", 1, first.branch(), "0".repeat(40), "main"))
                .isInstanceOf(GitException.class);
    }

    @Test
    void refreshKeepsWhatMaestroMadeAndFollowsTheRemote() throws IOException {
        Workspace workspace = checkout("042");
        write(workspace.directory(), "a.txt", "a\n");
        String unpushed = workspace.commit(workspace.snapshot(), "S", "");
        git(people.clone, "push", "-q", "origin", "main:old");
        repository.refresh();
        assertThat(git(repository.mirror(), "branch", "--list", "old")).isNotBlank();
        git(people.clone, "push", "-q", "origin", ":old");
        String tip = people.commit("More", Map.of("b.txt", "b\n"));
        repository.refresh();
        assertThat(git(repository.mirror(), "branch", "--list", "old")).isBlank();
        assertThat(git(repository.mirror(), "rev-parse", "main").strip()).isEqualTo(tip);
        assertThat(git(repository.mirror(), "for-each-ref", "refs/maestro")).contains(unpushed);
        workspace.push();
        repository.refresh();
        workspace.push();
    }

    @Test
    void theDirectoryItselfStaysTheSameWhenItIsEmptied() throws IOException {
        Workspace workspace = checkout("1");
        Object inode = Files.getAttribute(workspace.directory(), "unix:ino");
        repository.checkout("coder-001", "2", 1, "main");
        assertThat(Files.getAttribute(workspace.directory(), "unix:ino")).isEqualTo(inode);
        workspace.empty();
        assertThat(Files.getAttribute(workspace.directory(), "unix:ino")).isEqualTo(inode);
        assertThat(workspace.directory()).isEmptyDirectory();
        assertThat(directory.resolve("work/.maestro/git")).isEmptyDirectory();
    }

    @Test
    void thingsThatAreNoIdsAreRefused() {
        repository.refresh();
        for (String id : List.of("", "..", "a/b", ".mirrors", "-x", "a b", "x".repeat(65))) {
            assertThatThrownBy(() -> repository.checkout(id, "042", 1, "main"))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> repository.checkout("coder-001", id, 1, "main"))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        for (String branch : List.of("", "-f", "a..b", "x.lock", "a b", "--upload-pack=x")) {
            assertThatThrownBy(() -> repository.checkout("coder-001", "042", 1, branch))
                    .isInstanceOf(GitException.class);
            GitRepository other = new GitRepository(
                    directory.resolve("work"),
                    people.bare.toString(),
                    GitOptions.defaults().targetBranch(branch),
                    new SecretCheck(text -> text, List.of(), false));
            assertThatThrownBy(other::refresh).isInstanceOf(GitException.class);
        }
    }

    @Test
    void anEmptySnapshotAndAnEmptyBranchAreRefused() {
        Workspace workspace = checkout("1");
        assertThatThrownBy(() -> workspace.commit(workspace.snapshot(), "S", ""))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("nothing to commit");
        assertThatThrownBy(workspace::push).isInstanceOf(GitException.class).hasMessageContaining("nothing to push");
    }

    /** By an earlier look it was free, and other records do not show here. */
    @ParameterizedTest
    @ValueSource(strings = {"another Maestro", "maestro/story-042", "maestro/story-042/x", "main", "main~1"})
    void aNameThatIsTakenBeforeTheFirstPushIsLeftToWhoHasIt(String by) throws IOException {
        people.commit("Second", Map.of("second.txt", "x\n"));
        Workspace workspace = repository.checkout("coder-001", "042", 1, repository.refresh());
        write(workspace.directory(), "ours.txt", "ours\n");
        String commit = workspace.commit(workspace.snapshot(), "S", "");
        String taken = by.startsWith("maestro/") ? by : "maestro/story-042";
        if (by.startsWith("main")) {
            git(people.clone, "push", "-q", "origin", by + ":refs/heads/" + taken);
        } else if (taken.equals(by)) {
            git(people.clone, "commit", "-q", "--allow-empty", "-m", "Theirs");
            git(people.clone, "push", "-q", "origin", "HEAD:refs/heads/" + taken);
        } else {
            GitRepository other = new GitRepository(
                    directory.resolve("other"), people.bare.toUri().toString());
            Workspace theirs = other.checkout("coder-001", "042", 1, other.refresh());
            write(theirs.directory(), "theirs.txt", "theirs\n");
            String unused = theirs.commit(theirs.snapshot(), "S", "");
            theirs.push();
        }
        String theirs = git(people.bare, "rev-parse", taken);

        workspace.push();

        assertThat(workspace.branch()).isEqualTo("maestro/story-042-2");
        assertThat(git(people.bare, "rev-parse", taken)).isEqualTo(theirs);
        assertThat(git(people.bare, "rev-parse", "maestro/story-042-2").strip()).isEqualTo(commit);
        assertThat(git(people.bare, "rev-parse", commit + "^").strip()).isEqualTo(workspace.baseCommit());

        // The process was killed before its row had the name.
        Workspace again = repository.reopen("coder-001", "042", 1, "maestro/story-042", workspace.baseCommit(), "main");
        assertThat(again.branch()).isEqualTo("maestro/story-042-2");
        write(again.directory(), "more.txt", "more\n");
        String more = again.commit(again.snapshot(), "S", "");
        again.push();
        assertThat(git(people.bare, "rev-parse", "maestro/story-042-2", more + "^"))
                .isEqualTo(more + "\n" + commit + "\n");
        assertThat(git(repository.mirror(), "for-each-ref", "--format=%(refname)", "refs/maestro/stories"))
                .isEqualTo("refs/maestro/stories/042/1/maestro/story-042-2\n");
    }

    @Test
    void whatOthersPushOnTopOfAStoryIsAMatterForPeople() throws IOException {
        Workspace workspace = repository.checkout("coder-001", "042", 1, repository.refresh());
        write(workspace.directory(), "a.txt", "a\n");
        String unused = workspace.commit(workspace.snapshot(), "S", "");
        workspace.push();
        people.pull("maestro/story-042");
        String theirs = people.commit("Theirs", Map.of("theirs.txt", "theirs\n"));
        write(workspace.directory(), "a.txt", "b\n");
        unused = workspace.commit(workspace.snapshot(), "S", "");
        assertThatThrownBy(workspace::push)
                .isInstanceOf(GitException.class)
                .hasMessageContaining("has commits that Maestro did not make");
        assertThat(git(people.bare, "rev-parse", "maestro/story-042").strip()).isEqualTo(theirs);
        assertThat(workspace.branch()).isEqualTo("maestro/story-042");
    }
}
