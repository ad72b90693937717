package io.maestro.git.hosted;

import io.maestro.TestRepository;

class GitHubFaultsTest extends FaultsContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitHub(repository);
    }
}
