package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.maestro.TestRepository;
import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.GitUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
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

    /**
     * Looks how the proposal stands by each of the recorded answers about checks, which are in the published form of the server's
     * API, listed in both directions.
     */
    void standsByRecordedChecks(String file) throws IOException {
        forge = server.forge().merge(MergePolicy.WHEN_APPROVED).build();
        proposed();
        Map<String, String> expected = new LinkedHashMap<>();
        Map<String, String> found = new LinkedHashMap<>();
        try (InputStream in = HostedCase.class.getResourceAsStream(file)) {
            for (JsonNode one : new ObjectMapper().readTree(in)) {
                for (boolean reversed : List.of(false, true)) {
                    one.path("answers")
                            .properties()
                            .forEach(answer -> server.recorded.put(
                                    answer.getKey(), reversed ? reversed(answer.getValue()) : answer.getValue()));
                    String name = one.path("case").asText() + (reversed ? ", reversed" : "");
                    expected.put(name, one.path("stands").asText());
                    found.put(name, stands(forge.merge(proposal)));
                }
            }
        }
        assertThat(found).isEqualTo(expected);
    }

    private static JsonNode reversed(JsonNode answer) {
        JsonNode reversed = answer.deepCopy();
        ArrayNode list = reversed instanceof ArrayNode all
                ? all
                : (ArrayNode) Stream.of("check_runs", "workflow_runs", "statuses")
                        .filter(reversed::has)
                        .map(reversed::path)
                        .findFirst()
                        .orElseThrow();
        for (int i = 0; i < list.size(); i++) {
            list.insert(i, list.remove(list.size() - 1));
        }
        return reversed;
    }

    private static String stands(Outcome outcome) {
        if (outcome instanceof Outcome.Refused) {
            return "RED";
        }
        String reason = outcome instanceof Outcome.Pending pending ? pending.reason() : outcome.toString();
        return reason.contains("still run")
                ? "RUNNING"
                : reason.contains("ended without a verdict")
                        ? "STUCK"
                        : reason.contains("needs an approving review") ? "GREEN" : reason;
    }

    String pending(HostedForge one) {
        return ((Outcome.Pending) one.merge(proposal)).reason();
    }
}
