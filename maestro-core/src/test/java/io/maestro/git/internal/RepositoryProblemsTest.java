package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.git.internal.TestRepository.write;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.GitException;
import io.maestro.git.GitOptions;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.LocalForge;
import io.maestro.git.internal.lock.StaleLocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real repositories that are missing, empty, in the way or unwilling. */
class RepositoryProblemsTest {
    @TempDir
    Path directory;

    private GitRepository repository(Path url) {
        return new GitRepository(directory.resolve("work"), url.toString());
    }

    private GitRepository repository(Path url, String branch) {
        return new GitRepository(
                directory.resolve("work"),
                url.toString(),
                GitOptions.defaults().targetBranch(branch),
                new SecretCheck(text -> text, List.of(), false));
    }

    private Proposal proposal(GitRepository repository, TestRepository people, Workspace workspace, String commit) {
        return new Proposal(
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
    }

    @Test
    void aMissingRepositoryIsSaidToBeMissing() {
        for (String url : List.of(
                "no/such",
                directory.resolve("none").toString(),
                directory.resolve("none").toUri().toString())) {
            assertThatThrownBy(() -> new GitRepository(directory.resolve("work"), url).refresh())
                    .isInstanceOf(GitException.class)
                    .hasMessageContaining("there is no repository");
        }
        assertThatThrownBy(() -> repository(directory).refresh())
                .isInstanceOf(GitException.class)
                .hasMessageContaining("does not appear to be a git repository");
        assertThat(directory.resolve("work/.mirrors")).isEmptyDirectory();
    }

    @Test
    void anEmptyRepositoryIsSaidToBeEmpty() throws IOException {
        TestRepository people = TestRepository.empty(directory.resolve("remote"));
        assertThatThrownBy(() -> repository(people.bare).refresh())
                .isInstanceOf(GitException.class)
                .hasMessageContaining("is empty")
                .hasMessageContaining("first commit");
    }

    /** A CI's working copy and a mirror that was made to save time are shallow. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aShallowRepositoryIsWorkedOnAsItIs(boolean bare) throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        people.commit("Second", Map.of("second.txt", "second\n"));
        Path shallow = directory.resolve("shallow");
        git(
                directory,
                "clone",
                "-q",
                bare ? "--bare" : "--no-bare",
                "--depth=1",
                people.bare.toUri().toString(),
                shallow.toString());
        if (!bare) {
            git(shallow, "checkout", "-q", "--detach");
        }
        GitRepository repository = repository(shallow, "main");
        assertThat(repository.in(directory.resolve("check")).check().refusesPush())
                .isEmpty();
        for (String story : List.of("1", "2")) {
            Workspace workspace = repository.checkout("coder-001", story, 1, repository.refresh());
            assertThat(git(workspace.directory(), "log", "--format=%s").lines().toList())
                    .contains("Second");
            assertThat(git(workspace.directory(), "status", "--porcelain")).isEmpty();
            write(workspace.directory(), story + ".txt", "new\n");
            String commit = workspace.commit(workspace.snapshot(), "S", "");
            workspace.push();
            Proposal proposal = new Proposal(
                    story,
                    1,
                    "T",
                    "",
                    repository.mirror(),
                    shallow.toString(),
                    workspace.branch(),
                    commit,
                    workspace.baseCommit(),
                    "main",
                    List.of());
            assertThat(new LocalForge().merge(proposal)).isInstanceOf(Outcome.Merged.class);
        }
        String unused = repository.checkoutForReading("architect-001", repository.refresh());
        assertThat(directory.resolve("work/architect-001/2.txt")).exists();
        assertThat(git(shallow, "ls-tree", "--name-only", "main").lines()).contains("1.txt", "2.txt", "second.txt");
        git(shallow, "fsck", "--strict");
        git(repository.mirror(), "fsck", "--strict");
        git(people.bare, "fetch", "-q", shallow.toString(), "main:merged");
        assertThat(git(people.bare, "log", "--format=%s", "merged").lines()).contains("First", "Second");
    }

    @Test
    void aRepositoryThatCannotBeUsedIsSaidToBeWhatItIs() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        git(people.bare, "config", "uploadpack.allowFilter", "true");
        Path partial = directory.resolve("partial.git");
        git(
                directory,
                "clone",
                "-q",
                "--bare",
                "--filter=blob:none",
                people.bare.toUri().toString(),
                partial.toString());
        Path wide = directory.resolve("wide");
        git(directory, "init", "-q", "--object-format=sha256", wide.toString());
        write(wide, "a.txt", "a\n");
        git(wide, "add", "--all");
        git(wide, "commit", "-q", "-m", "First");
        Path detached = directory.resolve("detached");
        git(directory, "clone", "-q", people.bare.toString(), detached.toString());
        git(detached, "checkout", "-q", "--detach");
        git(detached, "branch", "-q", "-D", "main");
        for (Map.Entry<Path, String> reason : Map.of(
                        partial, "a partial clone", wide, "by SHA-256", detached, "only a detached HEAD")
                .entrySet()) {
            assertThatThrownBy(() -> repository(reason.getKey()).refresh())
                    .isInstanceOf(GitException.class)
                    .hasMessageContaining(reason.getValue());
            assertThatThrownBy(() -> repository(reason.getKey())
                            .in(directory.resolve("check"))
                            .check())
                    .isInstanceOf(GitException.class)
                    .hasMessageContaining(reason.getValue());
        }
    }

    @Test
    void anUnknownBranchIsAnsweredWithTheBranchesThereAre() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        git(people.clone, "push", "-q", "origin", "main:release/1");
        assertThatThrownBy(() -> repository(people.bare, "develop").refresh())
                .isInstanceOf(GitException.class)
                .hasMessageContaining("'develop'")
                .hasMessageContaining("main, release/1");
        assertThat(repository(people.bare, "release/1").refresh()).isEqualTo("release/1");
        git(people.bare, "symbolic-ref", "HEAD", "refs/heads/nowhere");
        assertThatThrownBy(() -> repository(people.bare).refresh())
                .isInstanceOf(GitException.class)
                .hasMessageContaining("set the target branch to one of main, release/1");
        assertThat(repository(people.bare, "main").refresh()).isEqualTo("main");
        assertThatThrownBy(() -> repository(people.bare).findMerged("gone", List.of()))
                .isInstanceOf(GitException.class);
    }

    @Test
    void branchNamesAreCounted() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        GitRepository repository = repository(people.bare);
        git(people.clone, "push", "-q", "origin", "main:maestro/story-042");
        repository.refresh();
        assertThat(repository.checkout("coder-001", "042", 1, "main").branch()).isEqualTo("maestro/story-042-2");
        // The same attempt again, after a crash, has the same branch.
        Workspace workspace = repository.checkout("coder-001", "042", 1, "main");
        assertThat(workspace.branch()).isEqualTo("maestro/story-042-2");
        write(workspace.directory(), "a.txt", "a\n");
        workspace.commit(workspace.snapshot(), "S", "");
        // An attempt with a commit keeps its name, one without gives it back.
        assertThat(repository.checkout("coder-001", "042", 2, "main").branch()).isEqualTo("maestro/story-042-3");
        assertThat(repository.checkout("coder-001", "042", 3, "main").branch()).isEqualTo("maestro/story-042-3");
        pushAll(people, 2, 11);
        repository.refresh();
        assertThat(repository.checkout("coder-001", "042", 4, "main").branch()).isEqualTo("maestro/story-042-12");
        pushAll(people, 12, 999);
        repository.refresh();
        assertThatThrownBy(() -> repository.checkout("coder-001", "042", 5, "main"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("maestro/story-042 to maestro/story-042-999")
                .hasMessageContaining("delete");
        assertThat(repository.storyBranches()).hasSize(999).containsKeys("maestro/story-042", "maestro/story-042-999");
        assertThat(repository.checkout("coder-001", "04", 1, "main").branch()).isEqualTo("maestro/story-04");
        git(people.clone, "push", "-q", "origin", "main:maestro/story-5/x");
        repository.refresh();
        assertThat(repository.checkout("coder-001", "5", 1, "main").branch()).isEqualTo("maestro/story-5-2");
    }

    private static void pushAll(TestRepository people, int first, int last) throws IOException {
        List<String> words = new ArrayList<>(List.of("push", "-q", "origin"));
        for (int i = first; i <= last; i++) {
            words.add("main:refs/heads/maestro/story-042-" + i);
        }
        git(people.clone, words.toArray(String[]::new));
    }

    @Test
    void aBranchNamedMaestroIsInTheWay() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        git(people.clone, "push", "-q", "origin", "main:maestro");
        GitRepository repository = repository(people.bare);
        repository.refresh();
        assertThatThrownBy(() -> repository.checkout("coder-001", "1", 1, "main"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("rename");
    }

    @Test
    void aWorkingCopyWithTheTargetCheckedOutIsRefusedBeforehand() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        for (String url : List.of(
                people.clone.toString(),
                people.clone.toUri().toString(),
                people.clone.resolve(".git").toString())) {
            assertThatThrownBy(() -> new GitRepository(directory.resolve("work"), url).refresh())
                    .isInstanceOf(GitException.class)
                    .hasMessageContaining("checked out")
                    .hasMessageContaining("bare clone");
        }
        git(people.clone, "branch", "other");
        assertThat(repository(people.clone, "other").refresh()).isEqualTo("other");
        git(people.bare, "worktree", "add", "-q", directory.resolve("tree").toString(), "main");
        assertThatThrownBy(() -> repository(people.bare, "main").refresh()).hasMessageContaining("checked out");
        git(people.clone, "config", "receive.denyCurrentBranch", "updateInstead");
        assertThat(repository(people.clone, "main").refresh()).isEqualTo("main");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-u",
                "--upload-pack=touch /tmp/x",
                "ext::sh -c whoami",
                "fd::17",
                "ftp://h/x",
                "https://",
                " ",
                "https://-oProxyCommand=x/y",
                "ssh://-oProxyCommand=x/y",
                "https://user:secret-token@/x",
                "a\nb"
            })
    void urlsThatCouldRunSomethingAreRefused(String url) {
        assertThatThrownBy(() -> new GitRepository(directory, url))
                .isInstanceOf(GitException.class)
                .message()
                .doesNotContain("secret-token");
    }

    @Test
    void twoRepositoriesOfOneNameHaveTwoMirrors() throws IOException {
        TestRepository one = TestRepository.create(directory.resolve("one"));
        TestRepository two = TestRepository.create(directory.resolve("two"));
        assertThat(repository(one.bare).mirror())
                .isNotEqualTo(repository(two.bare).mirror());
        assertThat(repository(one.bare).mirror().getFileName().toString())
                .startsWith("app-")
                .endsWith(".git");
        assertThat(repository(one.bare).mirror()).isEqualTo(repository(one.bare).mirror());
    }

    @Test
    void whatAKilledProcessLeftIsCleanedUp() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        GitRepository repository = repository(people.bare);
        Path unfinished = repository.mirror().resolveSibling(repository.mirror().getFileName() + ".new");
        write(unfinished, "HEAD", "garbage");
        repository.refresh();
        assertThat(unfinished).doesNotExist();
        people.commit("More", Map.of("x", "x"));
        for (String lock : List.of("refs/heads/main.lock", "packed-refs.lock", "config.lock", "HEAD.lock")) {
            write(repository.mirror(), lock, "");
            Files.setLastModifiedTime(
                    repository.mirror().resolve(lock),
                    FileTime.from(Instant.now().minus(StaleLocks.AGE)));
        }
        // Whoever holds the lock of the mirror takes this away first.
        Files.delete(clean(repository));
        write(directory.resolve("work/.maestro/git/coder-001/clone"), "left", "over");
        repository.refresh();
        assertThat(repository.checkout("coder-001", "1", 1, "main").directory().resolve("x"))
                .exists();
    }

    static Path clean(GitRepository repository) {
        return repository.mirror().resolveSibling(repository.mirror().getFileName() + ".clean");
    }

    private static void hook(TestRepository people, String name, String script) throws IOException {
        write(people.bare, "hooks/" + name, "#!/bin/sh\n" + script);
        people.bare.resolve("hooks/" + name).toFile().setExecutable(true);
    }

    @Test
    void aRemoteThatRefusesIsQuotedAndWaitedFor() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        GitRepository repository = repository(people.bare);
        Workspace workspace = repository.checkout("coder-001", "1", 1, repository.refresh());
        write(workspace.directory(), "a.txt", "a\n");
        String commit = workspace.commit(workspace.snapshot(), "S", "");
        hook(people, "pre-receive", "echo 'main is protected, ask Jo' >&2; echo 'repository not found' >&2; exit 1\n");
        assertThatThrownBy(workspace::push)
                .isInstanceOf(GitUnavailableException.class)
                .hasMessageContaining("main is protected, ask Jo")
                .hasMessageContaining("pre-receive hook declined");
        String before = git(repository.mirror(), "rev-parse", "main");
        assertThat(new LocalForge().merge(proposal(repository, people, workspace, commit)))
                .isInstanceOfSatisfying(
                        Outcome.Pending.class,
                        pending -> assertThat(pending.reason()).contains("main is protected, ask Jo"));
        assertThat(git(repository.mirror(), "rev-parse", "main")).isEqualTo(before);
        Files.delete(people.bare.resolve("hooks/pre-receive"));
        assertThat(new LocalForge().merge(proposal(repository, people, workspace, commit)))
                .isInstanceOf(Outcome.Merged.class);
    }

    @Test
    void aTargetThatMovesDuringThePushIsLeftAlone() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        GitRepository repository = repository(people.bare);
        Workspace workspace = repository.checkout("coder-001", "1", 1, repository.refresh());
        write(workspace.directory(), "a.txt", "a\n");
        String commit = workspace.commit(workspace.snapshot(), "S", "");
        hook(
                people,
                "pre-receive",
                "unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n"
                        + "export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x\n"
                        + "git update-ref refs/heads/main $(git commit-tree -m faster -p main main^{tree})\n");
        Outcome outcome = new LocalForge().merge(proposal(repository, people, workspace, commit));
        assertThat(outcome)
                .isEqualTo(
                        new Outcome.Moved(git(people.bare, "rev-parse", "main").strip()));
        assertThat(git(people.bare, "log", "--format=%s", "main")).isEqualTo("faster\nFirst\n");
    }

    @Test
    void aTargetThatTakesNoPushAtTheMomentIsTriedAgainLater() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        GitRepository repository = repository(people.bare);
        Workspace workspace = repository.checkout("coder-001", "1", 1, repository.refresh());
        write(workspace.directory(), "a.txt", "a\n");
        Proposal proposal = proposal(repository, people, workspace, workspace.commit(workspace.snapshot(), "S", ""));
        Path lock = Files.createFile(people.bare.resolve("refs/heads/main.lock"));
        assertThatThrownBy(() -> new LocalForge().merge(proposal))
                .isInstanceOf(GitUnavailableException.class)
                .hasMessageContaining("refs/heads/main.lock");
        Files.delete(lock);
        assertThat(new LocalForge().merge(proposal)).isInstanceOf(Outcome.Merged.class);
    }

    @Test
    void aCommitThatDoesNotContainWhatItWasTestedWithIsNotMerged() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        GitRepository repository = repository(people.bare);
        Workspace workspace = repository.checkout("coder-001", "1", 1, repository.refresh());
        write(workspace.directory(), "a.txt", "a\n");
        String commit = workspace.commit(workspace.snapshot(), "S", "");
        String theirs = people.commit("Other", Map.of("b.txt", "b\n"));
        workspace.integrate();
        assertThatThrownBy(() -> new LocalForge().merge(proposal(repository, people, workspace, commit)))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("does not contain " + theirs);
        assertThat(git(people.bare, "rev-parse", "main").strip()).isEqualTo(theirs);
    }

    @Test
    void aStoryBranchThatSomebodyElseChangedIsNotOverwritten() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        GitRepository repository = repository(people.bare);
        Workspace workspace = repository.checkout("coder-001", "1", 1, repository.refresh());
        write(workspace.directory(), "a.txt", "a\n");
        workspace.commit(workspace.snapshot(), "S", "");
        workspace.push();
        people.pull("maestro/story-1");
        String theirs = people.commit("Help", Map.of("b.txt", "b\n"));
        write(workspace.directory(), "a.txt", "b\n");
        workspace.commit(workspace.snapshot(), "S", "");
        assertThatThrownBy(workspace::push).isInstanceOf(GitException.class).hasMessageContaining("did not make");
        assertThat(git(people.bare, "rev-parse", "maestro/story-1").strip()).isEqualTo(theirs);
    }

    /** As when the process is killed between the push and its return. */
    @Test
    void aPushWhoseAnswerIsLostIsNotTakenForTheWorkOfOthers() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        GitRepository repository = repository(people.bare);
        Workspace workspace = repository.checkout("coder-001", "1", 1, repository.refresh());
        Path hook = people.bare.resolve("hooks/post-receive");
        write(people.bare, "hooks/post-receive", "#!/bin/sh\nkill -9 $(ps -o ppid= -p $PPID)\n");
        Files.setPosixFilePermissions(hook, PosixFilePermissions.fromString("rwx------"));
        write(workspace.directory(), "a.txt", "one\n");
        String first = workspace.commit(workspace.snapshot(), "One", "");
        assertThatThrownBy(workspace::push).isInstanceOf(GitUnavailableException.class);
        assertThat(git(people.bare, "rev-parse", workspace.branch()).strip()).isEqualTo(first);
        Files.delete(hook);

        write(workspace.directory(), "a.txt", "two\n");
        String second = workspace.commit(workspace.snapshot(), "Two", "");
        workspace.push();
        assertThat(git(people.bare, "rev-parse", workspace.branch()).strip()).isEqualTo(second);
    }

    /** Of another Maestro, of a person who picked or squashed it, or of an earlier project: only the commit itself counts. */
    @Test
    void aCommitThatOnlySaysThatItIsTheStoryIsNotTakenForIt() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        people.commit("Old\n\nMaestro-Story: 1\nMaestro-Attempt: 1", Map.of("old.txt", "old\n"));
        GitRepository repository = repository(people.bare);
        Workspace workspace = repository.checkout("coder-001", "1", 1, repository.refresh());
        write(workspace.directory(), "a.txt", "mine\n");
        write(workspace.directory(), "b.txt", "mine\n");
        String commit = workspace.commit(workspace.snapshot(), "S", "");
        workspace.push();

        GitRepository others = new GitRepository(directory.resolve("others"), people.bare.toString());
        Workspace theirs = others.checkout("coder-001", "1", 1, others.refresh());
        write(theirs.directory(), "theirs.txt", "theirs\n");
        String their = theirs.commit(theirs.snapshot(), "S", "");
        assertThat(new LocalForge().merge(proposal(others, people, theirs, their)))
                .isInstanceOf(Outcome.Merged.class);
        people.pull("main");
        git(people.clone, "cherry-pick", commit);
        Files.delete(people.clone.resolve("b.txt"));
        git(people.clone, "commit", "-q", "--all", "--amend", "--no-edit");
        git(people.clone, "push", "-q", "origin", "HEAD");
        assertThat(git(people.bare, "log", "-1", "--format=%B", "main")).contains("Maestro-Story: 1");

        assertThat(repository.findMerged("main", List.of(commit))).isEmpty();
        assertThat(new LocalForge().merge(proposal(repository, people, workspace, commit)))
                .isInstanceOf(Outcome.Moved.class);
        assertThat(workspace.integrate().conflicts()).isEmpty();
        String integrated = workspace.commit(workspace.snapshot(), "S", "");
        workspace.push();
        Outcome.Merged merged =
                (Outcome.Merged) new LocalForge().merge(proposal(repository, people, workspace, integrated));
        assertThat(merged.already()).isFalse();
        assertThat(people.file("main", "b.txt")).isEqualTo("mine\n");
        assertThat(people.file("main", "theirs.txt")).isEqualTo("theirs\n");
    }

    @Test
    void aCommitThatSomebodyElseMergedIsFoundAlsoWhenItIsOfAnEarlierAttempt() throws IOException {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        GitRepository repository = repository(people.bare);
        Workspace first = repository.checkout("coder-001", "1", 1, repository.refresh());
        write(first.directory(), "a.txt", "a\n");
        String commit = first.commit(first.snapshot(), "S", "");
        first.push();
        Workspace second = repository.checkout("coder-002", "1", 2, repository.refresh());
        write(second.directory(), "other.txt", "b\n");
        String later = second.commit(second.snapshot(), "S", "");
        Proposal proposal = proposal(repository, people, second, later);
        Proposal knowing = new Proposal(
                "1",
                2,
                "T",
                "",
                repository.mirror(),
                proposal.remote(),
                second.branch(),
                later,
                second.baseCommit(),
                "main",
                List.of(commit));

        people.pull("main");
        git(people.clone, "merge", "-q", "--ff-only", "origin/" + first.branch());
        git(people.clone, "push", "-q", "origin", "main");
        assertThat(new LocalForge().merge(knowing)).isEqualTo(new Outcome.Merged(commit, true));
        git(people.clone, "reset", "-q", "--hard", "HEAD^");
        git(people.clone, "merge", "-q", "--no-ff", "-m", "By hand", "origin/" + first.branch());
        git(people.clone, "push", "-q", "--force", "origin", "main");
        people.commit("After", Map.of("after.txt", "after\n"));
        String hand = git(people.clone, "rev-parse", "HEAD^").strip();
        assertThat(new LocalForge().merge(knowing)).isEqualTo(new Outcome.Merged(hand, true));
        assertThat(repository.findMerged("main", List.of(later, commit))).contains(hand);
        assertThat(new LocalForge().merge(proposal)).isInstanceOf(Outcome.Moved.class);
    }
}
