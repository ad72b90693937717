package io.maestro.git.hosted;

import io.maestro.TestRepository;

class GiteaCommentsTest extends CommentsContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitea(repository);
    }
}
