package io.maestro.git.hosted;

import io.maestro.TestRepository;

class GiteaFaultsTest extends FaultsContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitea(repository);
    }
}
