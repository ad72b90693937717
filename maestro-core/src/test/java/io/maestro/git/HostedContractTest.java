package io.maestro.git;

import io.maestro.TestRepository;
import io.maestro.git.hosted.MergePolicy;
import io.maestro.git.hosted.ScriptedGitHub;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** Pull requests, on a GitHub whose rules require branches to be up to date. */
class HostedContractTest extends ForgeContract {
    private @Nullable ScriptedGitHub server;

    @Override
    Forge forge(TestRepository repository) {
        ScriptedGitHub made = new ScriptedGitHub(repository);
        made.requiresUpToDate();
        server = made;
        return made.forge().merge(MergePolicy.AUTO).build();
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }
}
