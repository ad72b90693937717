package io.maestro.git.hosted;

import io.maestro.TestRepository;

class GitLabFaultsTest extends FaultsContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitLab(repository);
    }
}
