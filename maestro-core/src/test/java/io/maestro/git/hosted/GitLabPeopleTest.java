package io.maestro.git.hosted;

import io.maestro.TestRepository;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GitLabPeopleTest extends PeopleContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitLab(repository);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'id': 1",
                "'id': 101, 'membership_state': 'awaiting'",
                "'id': 101, 'expires_at': '2001-01-01'",
                "'id': 101, 'expires_at': 'soon'"
            })
    void anAnswerAboutAnotherAccountOrMembershipIsNoRight(String json) throws IOException {
        assertNoRight("{'access_level': 40, 'state': 'active', " + json + "}");
    }
}
