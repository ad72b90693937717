package io.maestro.git.hosted;

import io.maestro.TestRepository;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class GitHubPeopleTest extends PeopleContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitHub(repository);
    }

    @Test
    void anAnswerAboutAnotherAccountIsNoRight() throws IOException {
        assertNoRight("{'permission': 'write', 'user': {'login': 'boss', 'type': 'User'}}");
    }
}
