package io.maestro.git.hosted;

import io.maestro.TestRepository;

/** GitLab's merge trains. */
class GitLabQueueTest extends QueueContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitLab(repository);
    }
}
