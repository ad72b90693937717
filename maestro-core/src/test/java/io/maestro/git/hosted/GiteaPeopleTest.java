package io.maestro.git.hosted;

import io.maestro.TestRepository;

class GiteaPeopleTest extends PeopleContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitea(repository);
    }
}
