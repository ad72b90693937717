package io.maestro.git.hosted;

import io.maestro.TestRepository;

class GitLabRequestsTest extends RequestContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitLab(repository);
    }
}
