package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.TestRepository;
import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.GitUnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A story's first proposal and a server. The repository is the same for all tests of a class. */
abstract class HostedCase {
    private static final AtomicInteger STORIES = new AtomicInteger();

    @TempDir
    static Path directory;

    static Proposals proposals;

    ScriptedServer server;
    HostedForge forge;
    Proposal proposal;

    /** A server with a repository. */
    abstract ScriptedServer server(TestRepository repository);

    @BeforeAll
    static void create() throws IOException {
        proposals = new Proposals(directory);
    }

    @AfterAll
    static void end() {
        proposals.close();
    }

    @BeforeEach
    void open() throws IOException {
        server = server(proposals.repository);
        forge = server.forge().build();
        proposal = proposals.first("s" + STORIES.incrementAndGet());
    }

    @AfterEach
    void close() {
        assertThat(server.unknown).isEmpty();
        server.close();
    }

    /** Calls until it answers, as the state machine does. */
    String proposed() {
        for (int i = 0; i < 10; i++) {
            try {
                Optional<String> url = forge.propose(proposal);
                if (url.isPresent()) {
                    return url.get();
                }
            } catch (GitUnavailableException e) {
                // Tried again later.
            }
        }
        throw new AssertionError("never proposed: " + server.log);
    }

    Outcome decided() {
        for (int i = 0; i < 20; i++) {
            try {
                Outcome outcome = forge.merge(proposal);
                if (!(outcome instanceof Outcome.Pending)) {
                    return outcome;
                }
            } catch (GitUnavailableException e) {
                // Tried again later.
            }
        }
        throw new AssertionError("never decided: " + server.log);
    }

    /** The same account, another process: nothing is remembered but what the server has. */
    void restart() {
        forge = server.forge().build();
    }

    String pending(HostedForge one) {
        return ((Outcome.Pending) one.merge(proposal)).reason();
    }
}
