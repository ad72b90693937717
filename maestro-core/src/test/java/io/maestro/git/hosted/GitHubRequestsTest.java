package io.maestro.git.hosted;

import io.maestro.TestRepository;

class GitHubRequestsTest extends RequestContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitHub(repository);
    }
}
