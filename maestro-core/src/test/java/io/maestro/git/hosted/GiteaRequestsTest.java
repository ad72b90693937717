package io.maestro.git.hosted;

import io.maestro.TestRepository;

class GiteaRequestsTest extends RequestContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitea(repository);
    }
}
