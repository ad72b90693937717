package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.TestRepository;
import io.maestro.agent.Architect.Kind;
import io.maestro.git.hosted.ScriptedPull.Person;
import java.time.Duration;
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

    /** All comments come at once there. */
    @ParameterizedTest
    @ValueSource(ints = {0, 90, 60 * 60 * 10})
    void aCommentThatIsTooLongByItselfHidesOnlyWhatIsCloseToIt(int seconds) {
        String merge = ask(1, Kind.MERGE, 2);
        long unused = server.write(1, "eve", Person.STRANGER, "x".repeat(9_000_000), Duration.ofSeconds(seconds + 100));
        say("ann", "/maestro approve");
        say("bob", "/maestro approve " + merge);
        awaitNote(0, "`bob` has decided **APPROVED**");
        assertThat(server.ownNotes(1)).hasSize(1);
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
