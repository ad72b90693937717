package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.TestRepository;
import io.maestro.agent.Architect.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GiteaCommentsTest extends CommentsContract {
    @Override
    ScriptedServer server(TestRepository repository) {
        return new ScriptedGitea(repository);
    }

    /** A team of an organisation that writes to the wiki, or reads pull requests, is among those that issues can be given to. */
    @ParameterizedTest
    @ValueSource(strings = {"read", "none"})
    void whoHasASayAndMayNotWriteToTheCodeDecidesNothing(String permission) {
        String merge = ask(1, Kind.MERGE, 1);
        server.right("eve", permission);
        say("eve", "/maestro approve");
        awaitLook();
        assertThat(item(merge).outcome()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"write", "admin", "owner"})
    void whoMayWriteToTheCodeDecides(String permission) {
        String unused = ask(1, Kind.MERGE, 1);
        server.right("ann", permission);
        say("ann", "/maestro approve");
        awaitNote(0, "`ann` has decided **APPROVED**");
    }

    @Test
    void whoseRightsAreNotToldDecidesNothing() {
        String merge = ask(1, Kind.MERGE, 1);
        server.faults.add("right", ScriptedFaults.Kind.FORBIDDEN, 1);
        say("ann", "/maestro approve");
        awaitLook();
        assertThat(item(merge).outcome()).isEmpty();
        assertThat(server.count("right")).as("it is asked about once").isEqualTo(1);
        say("bob", "/maestro approve");
        awaitNote(0, "`bob` has decided **APPROVED**");
    }
}
