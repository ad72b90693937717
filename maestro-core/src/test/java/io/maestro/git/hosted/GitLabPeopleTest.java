package io.maestro.git.hosted;

import io.maestro.TestRepository;

class GitLabPeopleTest extends PeopleContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitLab(repository);
    }
}
