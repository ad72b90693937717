package io.maestro.git.hosted;

import io.maestro.TestRepository;

class GitHubPeopleTest extends PeopleContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitHub(repository);
    }
}
