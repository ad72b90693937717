package io.maestro.git.hosted;

import io.maestro.TestRepository;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class GiteaPeopleTest extends PeopleContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitea(repository);
    }

    /** Each comment may be a review of its own. */
    @Override
    int mostOfOthers() {
        return 100;
    }

    @Test
    void anAnswerAboutAnotherAccountIsNoRight() throws IOException {
        assertNoRight("{'permission': 'write', 'user': {'login': 'boss'}}");
    }
}
