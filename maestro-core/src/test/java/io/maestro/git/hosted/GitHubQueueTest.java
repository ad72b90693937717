package io.maestro.git.hosted;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.TestRepository;
import io.maestro.git.GitException;
import io.maestro.git.LocalForge;
import io.maestro.git.MergeMethod;
import org.junit.jupiter.api.Test;

/** GitHub's merge queues. */
class GitHubQueueTest extends QueueContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitHub(repository);
    }

    @Test
    void aBranchThatIsMergedByItsQueueAloneIsSaidBeforehand() {
        HostedForge other = server.forge().method(MergeMethod.SQUASH).build();
        assertThatThrownBy(() -> other.check(proposals.repository.url(), "main"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("set the method QUEUE");
    }

    @Test
    void whatHasNoQueuesIsRefused() {
        assertThatThrownBy(() -> new LocalForge(MergeMethod.QUEUE)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HostedForge.gitea().method(MergeMethod.QUEUE).build())
                .isInstanceOf(IllegalArgumentException.class);
    }
}
