package io.maestro.git;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.TestRepository;
import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Maestro expects of a forge whose people and checks agree to everything. */
abstract class ForgeContract {
    @TempDir
    Path directory;

    private TestRepository remote;

    /** The forge that hosts a repository. */
    abstract Forge forge(TestRepository repository);

    /** Looks at what a merge has made on the target branch. */
    void requireShape(TestRepository repository, Proposal proposal, boolean withNews) {}

    @BeforeEach
    void create() {
        remote = TestRepository.create(directory, Map.of("README.md", "r"));
    }

    /** A story whose work lies in a process of its own: another project directory, another mirror. */
    private final class Work {
        final String story;
        final GitRepository git;
        final Workspace workspace;

        Work(String story) {
            this.story = story;
            git = new GitRepository(directory.resolve("project-" + story), remote.url());
            workspace = git.checkout("coder-001", story, 1, git.refresh());
            try {
                Files.writeString(workspace.directory().resolve(story + ".txt"), story);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        /** Pushed, and on top of the target branch as it is now. */
        Proposal proposal() {
            Workspace.Integration integration = workspace.integrate();
            assertThat(integration.conflicts()).isEmpty();
            String commit = workspace.commit(integration.after(), "Story " + story, "");
            workspace.push();
            return new Proposal(
                    story,
                    1,
                    "A title",
                    "Some words.",
                    git.mirror(),
                    git.url(),
                    workspace.branch(),
                    commit,
                    workspace.baseCommit(),
                    workspace.targetBranch(),
                    List.of());
        }
    }

    /** Asks until the forge has decided. */
    private static Outcome decided(Forge forge, Proposal proposal) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        Outcome outcome = forge.merge(proposal);
        while (outcome instanceof Outcome.Pending pending) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(pending.again().toNanos());
            outcome = forge.merge(proposal);
        }
        return outcome;
    }

    private String main() {
        return remote.git("rev-parse", "main");
    }

    @Test
    void mergesTheFilesThatWereTestedAndSaysTheSecondTimeThatItHas() {
        Forge forge = forge(remote);
        Proposal proposal = new Work("1").proposal();
        assertThat(forge.propose(proposal)).isEqualTo(forge.propose(proposal));

        Outcome.Merged merged = (Outcome.Merged) decided(forge, proposal);

        assertThat(merged).isEqualTo(new Outcome.Merged(main(), false));
        assertThat(remote.git("rev-parse", "main^{tree}"))
                .isEqualTo(remote.git("rev-parse", proposal.commit() + "^{tree}"));
        requireShape(remote, proposal, false);
        assertThat(decided(forge, proposal)).isEqualTo(new Outcome.Merged(merged.commit(), true));
        assertThat(main()).isEqualTo(merged.commit());
    }

    @Test
    void mergesNothingThatWasNotTestedWithTheTipOfTheTargetBranch() {
        Forge forge = forge(remote);
        Work work = new Work("1");
        Proposal stale = work.proposal();
        forge.propose(stale);
        String theirs = remote.commit("other", Map.of("other.txt", "o"));

        assertThat(decided(forge, stale)).isEqualTo(new Outcome.Moved(theirs));
        assertThat(main()).isEqualTo(theirs);

        Proposal again = work.proposal();
        forge.propose(again);
        assertThat(decided(forge, again)).isInstanceOf(Outcome.Merged.class);
        assertThat(remote.git("ls-tree", "--name-only", "main")).contains("1.txt", "other.txt");
        requireShape(remote, again, true);
    }

    @Test
    void mergesOnlyOneOfThoseThatWereTestedWithTheSameTip() {
        Forge forge = forge(remote);
        List<Proposal> proposals =
                List.of(new Work("1").proposal(), new Work("2").proposal(), new Work("3").proposal());
        List<CompletableFuture<Outcome>> merges = new ArrayList<>();
        for (Proposal proposal : proposals) {
            forge.propose(proposal);
            merges.add(CompletableFuture.supplyAsync(() -> decided(forge, proposal)));
        }
        List<Outcome> outcomes = merges.stream().map(CompletableFuture::join).toList();
        assertThat(outcomes).filteredOn(Outcome.Merged.class::isInstance).hasSize(1);
        assertThat(outcomes)
                .filteredOn(outcome -> outcome.equals(new Outcome.Moved(main())))
                .hasSize(2);
        assertThat(remote.git("rev-list", "--count", "--first-parent", "main")).isEqualTo("2");
    }
}
