package io.maestro.git;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.TestRepository;
import io.maestro.git.Forge.Proposal;
import org.junit.jupiter.api.Nested;

/** Git alone, with each of its ways to merge. */
class LocalForgeTest {
    private static String show(TestRepository repository, String format, String commit) {
        return repository.git("show", "-s", "--format=" + format, commit);
    }

    @Nested
    class Merge extends ForgeContract {
        @Override
        Forge forge(TestRepository repository) {
            return new LocalForge();
        }

        @Override
        void requireShape(TestRepository repository, Proposal proposal, boolean withNews) {
            assertThat(show(repository, "%P", "main")).isEqualTo(proposal.base() + " " + proposal.commit());
            assertThat(show(repository, "%s", "main")).isEqualTo("Merge story 1: A title");
            assertThat(show(repository, "%an %ae %cn", "main"))
                    .isEqualTo(show(repository, "%an %ae %cn", proposal.commit()));
        }
    }

    @Nested
    class Squash extends ForgeContract {
        @Override
        Forge forge(TestRepository repository) {
            return new LocalForge(MergeMethod.SQUASH);
        }

        @Override
        void requireShape(TestRepository repository, Proposal proposal, boolean withNews) {
            assertThat(show(repository, "%P", "main")).isEqualTo(proposal.base());
            assertThat(show(repository, "%an %cn%n%B", "main"))
                    .isEqualTo(show(repository, "%an %cn%n%B", proposal.commit()))
                    .contains("Story 1");
            assertThat(repository.git("rev-parse", "main").equals(proposal.commit()))
                    .isEqualTo(!withNews);
        }
    }

    @Nested
    class Rebase extends ForgeContract {
        @Override
        Forge forge(TestRepository repository) {
            return new LocalForge(MergeMethod.REBASE);
        }

        @Override
        void requireShape(TestRepository repository, Proposal proposal, boolean withNews) {
            assertThat(show(repository, "%P", "main")).isEqualTo(proposal.base());
            assertThat(repository.git("rev-parse", "main").equals(proposal.commit()))
                    .isEqualTo(!withNews);
        }
    }
}
