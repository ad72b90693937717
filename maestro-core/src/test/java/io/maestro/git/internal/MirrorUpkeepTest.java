package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.git.internal.TestRepository.write;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.git.Forge;
import io.maestro.git.LocalForge;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a workspace gets of the mirror, what the mirror drops, and what it never does. */
class MirrorUpkeepTest {
    @TempDir
    Path directory;

    private TestRepository people;
    private GitRepository repository;

    @BeforeEach
    void create() throws IOException {
        people = TestRepository.create(directory.resolve("remote"));
        repository = new GitRepository(directory.resolve("work"), people.bare.toString());
    }

    private Workspace checkout(String agent, String story, int attempt) {
        return repository.checkout(agent, story, attempt, repository.refresh());
    }

    private String merge(Workspace workspace, String story, String commit) {
        return ((Forge.Outcome.Merged) new LocalForge()
                        .merge(new Forge.Proposal(
                                story,
                                1,
                                "T",
                                "",
                                repository.mirror(),
                                repository.url(),
                                workspace.branch(),
                                commit,
                                workspace.baseCommit(),
                                workspace.targetBranch(),
                                List.of())))
                .commit();
    }

    private static List<String> objects(Path repository) throws IOException {
        return git(repository, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
                .lines()
                .toList();
    }

    /** As if all of it had been there for longer than anything unreachable stays. */
    private void age() throws IOException {
        try (Stream<Path> files = Files.walk(repository.mirror().resolve("objects"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(3))));
            }
        }
    }

    private Mirror mirrorItself() {
        return new Mirror(repository.mirror(), RemoteUrl.parse(people.bare.toString()), new GitCli(GitTimes.DEFAULT));
    }

    private void pack() throws IOException {
        Mirror mirror = mirrorItself();
        mirror.locked(() -> {
            new MirrorUpkeep(mirror, new SnapshotObjects(directory.resolve("work"))).run(true);
            return mirror;
        });
        assertThat(git(repository.mirror(), "count-objects")).startsWith("0 objects");
    }

    /** Else who packs the mirror finds half of what another story is just deleting. */
    @Test
    void snapshotsAreNotDeletedWhileTheMirrorIsPacked() throws Exception {
        Workspace workspace = checkout("coder-001", "1", 1);
        write(workspace.directory(), "a.txt", "a\n");
        workspace.snapshot();
        Mirror mirror = mirrorItself();
        SnapshotObjects snapshots = new SnapshotObjects(directory.resolve("work"));
        Lock packing = mirror.alone();
        FutureTask<Path> deleting = new FutureTask<>(() -> {
            snapshots.delete(mirror, "coder-001");
            return snapshots.of("coder-001");
        });
        Thread thread = new Thread(deleting);
        packing.lock();
        try {
            thread.start();
            long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (thread.getState() != Thread.State.WAITING && !deleting.isDone() && System.nanoTime() < limit) {
                Thread.onSpinWait();
            }
            assertThat(snapshots.of("coder-001")).isNotEmptyDirectory();
        } finally {
            packing.unlock();
        }
        assertThat(deleting.get(60, TimeUnit.SECONDS)).doesNotExist();
    }

    @Test
    void aWorkspaceGetsWhatItsBranchReachesAndNothingElse() throws IOException {
        git(people.clone, "tag", "-a", "-m", "One", "v1");
        git(people.clone, "tag", "light");
        git(people.clone, "push", "-q", "origin", "v1", "light");
        git(people.clone, "checkout", "-q", "-b", "elsewhere");
        people.commit("Elsewhere", Map.of("elsewhere.txt", "elsewhere\n"));
        git(people.clone, "tag", "other");
        git(people.clone, "push", "-q", "origin", "other");
        Workspace first = checkout("coder-001", "1", 1);
        write(first.directory(), "thrown-away.txt", "secret of story 1\n");
        first.snapshot();
        write(first.directory(), "thrown-away.txt", "kept\n");
        first.commit(first.snapshot(), "S", "");
        first.push();

        Path second = checkout("coder-002", "2", 1).directory();
        assertThat(objects(second))
                .containsExactlyInAnyOrderElementsOf(git(people.bare, "rev-list", "--objects", "main", "v1")
                        .lines()
                        .map(line -> line.split(" ")[0])
                        .toList());
        assertThat(git(second, "for-each-ref", "--format=%(refname)").lines())
                .containsExactlyInAnyOrder(
                        "refs/heads/maestro/story-2",
                        "refs/remotes/origin/HEAD",
                        "refs/remotes/origin/main",
                        "refs/tags/light",
                        "refs/tags/v1");
        assertThat(git(second, "describe")).isEqualTo("v1\n");
        assertThat(git(second, "status", "--porcelain", "--branch")).isEqualTo("## maestro/story-2\n");
        git(second, "fsck", "--strict");
    }

    @Test
    void whatIsNotCommittedIsNotInTheMirrorAndGoesWithItsWorkspace() throws IOException {
        Workspace workspace = checkout("coder-001", "1", 1);
        List<String> before = objects(repository.mirror());
        write(workspace.directory(), "a/large.bin", "large\n");
        Workspace.Snapshot snapshot = workspace.snapshot();
        assertThat(workspace.diff(snapshot, "a", 1, 5_000)).contains("large.bin");
        assertThat(objects(repository.mirror())).isEqualTo(before);
        write(workspace.directory(), "a/large.bin", "small\n");
        String commit = workspace.commit(workspace.snapshot(), "S", "");
        // The blob, two trees and the commit.
        assertThat(objects(repository.mirror())).hasSize(before.size() + 4);
        assertThat(git(repository.mirror(), "show", commit + ":a/large.bin")).isEqualTo("small\n");
        Path objects = directory.resolve("work/.maestro/snapshots/coder-001");
        assertThat(objects).isNotEmptyDirectory();
        repository.emptyWorkspace("coder-001");
        assertThat(objects).doesNotExist();
    }

    @Test
    void aStoryThatIsOverLeavesNoRefs() throws IOException {
        Workspace first = checkout("coder-001", "1", 1);
        write(first.directory(), "a.txt", "a\n");
        first.commit(first.snapshot(), "S", "");
        checkout("coder-002", "1-2", 1);
        checkout("coder-001", "1", 2);
        repository.forget("1", 1);
        assertThat(git(repository.mirror(), "for-each-ref", "--format=%(refname)", "refs/maestro/stories"))
                .isEqualTo("refs/maestro/stories/1-2/1/maestro/story-1-2\n"
                        + "refs/maestro/stories/1/2/maestro/story-1-3\n");
        repository.forgetAll(story -> story.equals("1"));
        assertThat(git(repository.mirror(), "for-each-ref", "refs/maestro/stories", "refs/maestro/bases")
                        .lines())
                .hasSize(2)
                .allMatch(ref -> ref.contains("/1-2/"));
        repository.forgetAll(story -> true);
        assertThat(git(repository.mirror(), "for-each-ref", "refs/maestro")).isEmpty();
    }

    @Test
    void theMirrorDropsWhatNobodyNeedsOnceItIsOld() throws IOException {
        Workspace old = checkout("coder-001", "1", 1);
        write(old.directory(), "a.txt", "a\n");
        String dropped = old.commit(old.snapshot(), "S", "");
        repository.forget("1", 1);
        Path temporary = repository.mirror().resolve("objects/noz123.tmp");
        Files.writeString(temporary, "of a killed process");
        age();
        Workspace fresh = checkout("coder-001", "2", 1);
        write(fresh.directory(), "b.txt", "b\n");
        String young = fresh.commit(fresh.snapshot(), "S", "");
        repository.forget("2", 1);
        Path written = repository.mirror().resolve("objects/pack/tmp_pack_1");
        Files.writeString(written, "being written");
        pack();
        assertThat(objects(repository.mirror())).contains(young).doesNotContain(dropped);
        assertThat(temporary).doesNotExist();
        assertThat(written).exists();
        Files.delete(written);
        git(repository.mirror(), "fsck", "--strict");
    }

    /** The base after the target was rewritten, a commit before its merge, and what a snapshot has in common with others. */
    @Test
    void theMirrorKeepsWhatAStoryIsWorkedOnWith() throws IOException {
        people.commit("Base", Map.of("base.txt", "only here\n"));
        Workspace other = checkout("coder-002", "2", 1);
        write(other.directory(), "shared/a.txt", "in both\n");
        String others = other.commit(other.snapshot(), "S", "");
        Workspace workspace = checkout("coder-001", "1", 1);
        String base = workspace.baseCommit();
        write(workspace.directory(), "shared/a.txt", "in both\n");
        Workspace.Snapshot snapshot = workspace.snapshot();
        Workspace third = checkout("coder-003", "3", 1);
        write(third.directory(), "c.txt", "c\n");
        String committed = third.commit(third.snapshot(), "S", "");

        repository.forget("2", 1);
        people.pull("main");
        git(people.clone, "reset", "-q", "--hard", "HEAD^");
        git(people.clone, "push", "-q", "--force", "origin", "main");
        repository.refresh();
        age();
        pack();
        assertThat(objects(repository.mirror())).doesNotContain(others);

        GitRepository later = new GitRepository(directory.resolve("work"), people.bare.toString());
        Workspace again = later.reopen("coder-001", "1", 1, workspace.branch(), base, "main");
        write(again.directory(), "shared/a.txt", "spoilt\n");
        again.restore(snapshot.tree());
        assertThat(again.directory().resolve("shared/a.txt")).hasContent("in both");
        assertThat(again.diff(snapshot, null, 1, 5_000)).contains("+in both");
        assertThat(again.integrate().conflicts()).isEmpty();
        String commit = again.commit(again.snapshot(), "S", "");
        again.push();
        merge(again, "1", commit);
        assertThat(people.file("main", "shared/a.txt")).isEqualTo("in both\n");
        third.push();
        assertThat(git(people.bare, "rev-parse", third.branch()).strip()).isEqualTo(committed);
        git(repository.mirror(), "fsck", "--strict");
    }

    /** The row may know only the first base, when its process was killed after the commit on the second. */
    @Test
    void theBasesOfAnAttemptStayAlsoWhenTheTargetIsRewritten() throws IOException {
        Workspace workspace = checkout("coder-001", "1", 1);
        String first = workspace.baseCommit();
        write(workspace.directory(), "a.txt", "a\n");
        git(people.clone, "checkout", "-q", "--orphan", "fresh");
        git(people.clone, "commit", "-q", "-m", "Rewritten");
        git(people.clone, "push", "-q", "--force", "origin", "fresh:main");
        git(people.clone, "checkout", "-q", "-B", "main", "fresh");
        workspace.integrate();
        String second = workspace.baseCommit();
        String commit = workspace.commit(workspace.snapshot(), "S", "");
        git(people.clone, "commit", "-q", "--amend", "-m", "Once more");
        git(people.clone, "push", "-q", "--force", "origin", "main");
        repository.refresh();
        age();
        pack();
        assertThat(objects(repository.mirror())).contains(first, second, commit);
        Workspace again = repository.reopen("coder-001", "1", 1, workspace.branch(), first, "main");
        assertThat(again.diff(again.snapshot(), null, 1, 5_000)).contains("a.txt");
        git(repository.mirror(), "fsck", "--strict");
    }

    /** More than a mirror of this size may have in vain. */
    @Test
    void whatHasGrownIsPackedWithTheNextRefresh() throws IOException {
        Workspace workspace = checkout("coder-001", "1", 1);
        for (int i = 0; i < 80; i++) {
            write(workspace.directory(), "dir" + i + "/a.txt", "a" + i);
        }
        workspace.commit(workspace.snapshot(), "S", "");
        assertThat(git(repository.mirror(), "count-objects")).doesNotStartWith("0 objects");
        repository.refresh();
        assertThat(git(repository.mirror(), "count-objects")).startsWith("0 objects");
        assertThat(repository.mirror().resolve("refs/maestro/stories")).doesNotExist();
        assertThat(workspace.commit(workspace.snapshot(), "again", ""))
                .isEqualTo(git(repository.mirror(), "rev-parse", "refs/maestro/stories/1/1/" + workspace.branch())
                        .strip());
    }

    @Test
    void manyPacksBecomeFew() throws IOException {
        repository.refresh();
        for (int i = 0; i < 35; i++) {
            people.commit("Next " + i, Map.of("next.txt", "next " + i));
            repository.refresh();
        }
        try (Stream<Path> packs = Files.list(repository.mirror().resolve("objects/pack"))) {
            assertThat(packs.filter(file -> file.toString().endsWith(".pack")).count())
                    .isLessThan(32);
        }
        git(repository.mirror(), "fsck", "--strict");
    }

    /** After a power failure a file may be there without what was written to it. */
    @Test
    void anObjectThatWasNeverWrittenIsWrittenAgain() throws IOException {
        Workspace workspace = checkout("coder-001", "1", 1);
        write(workspace.directory(), "a.txt", "a\n");
        workspace.snapshot();
        try (Stream<Path> files = Files.walk(directory.resolve("work/.maestro/snapshots/coder-001"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                file.toFile().setWritable(true);
                Files.write(file, new byte[0]);
            }
        }
        Workspace again = repository.reopen("coder-001", "1", 1, workspace.branch(), workspace.baseCommit(), "main");
        again.commit(again.snapshot(), "S", "");
        again.push();
        assertThat(people.file("maestro/story-1", "a.txt")).isEqualTo("a\n");
    }
}
