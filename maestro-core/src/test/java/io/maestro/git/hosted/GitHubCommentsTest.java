package io.maestro.git.hosted;

import io.maestro.TestRepository;

class GitHubCommentsTest extends CommentsContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitHub(repository);
    }
}
