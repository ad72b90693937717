package io.maestro.audit.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.maestro.agent.ArchitectState;
import io.maestro.agent.CoderState;
import io.maestro.audit.Store;
import io.maestro.testkit.contract.Samples;
import io.maestro.testkit.contract.StoreContract;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract on every database, and what its tables hold and refuse. */
@ParameterizedClass
@EnumSource(Backend.class)
class StoreContractTest extends StoreContract {
    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    private @Nullable String url;

    @Override
    protected Store open() {
        if (url == null) {
            url = backend.newRecord(directory);
        }
        return Backend.open(url);
    }

    @Test
    void saysWhereItIs() {
        assertThat(url).isNotNull();
        assertThat(url.replaceFirst("\\?.*", "")).endsWith(store.location());
    }

    @Test
    void keepsTheEarlierAttempts() throws SQLException {
        store.saveStory(Samples.story("042", 2, CoderState.CODING));
        store.saveStory(Samples.story("042", 1, CoderState.ERROR));

        try (Connection other = Backend.connect(url);
                Statement statement = other.createStatement()) {
            ResultSet row = statement.executeQuery("SELECT state FROM stories WHERE id = '042' AND attempt = 1");
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).isEqualTo("ERROR");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE state_transitions SET reason = 'x'",
                "DELETE FROM state_transitions",
                "UPDATE messages SET content = 'x'",
                "DELETE FROM messages",
                "UPDATE tool_executions SET result = 'x'",
                "DELETE FROM tool_executions",
                "UPDATE effects SET reply = 'x'",
                "DELETE FROM effects",
                "UPDATE spec_transitions SET reason = 'x'",
                "DELETE FROM spec_transitions",
                "UPDATE chat SET text = 'x'",
                "DELETE FROM chat",
                "UPDATE connections SET refused = ''",
                "DELETE FROM connections",
                "UPDATE approvals SET person = 'x'",
                "DELETE FROM approvals",
            })
    void doesNotChangeWhatWasWritten(String sql) throws SQLException {
        store.recordTransition(
                Samples.transition("042", 1, CoderState.WAITING, CoderState.SETUP),
                Samples.story("042", 1, CoderState.SETUP));
        store.recordMessage(Samples.message("042", "[]"));
        store.recordToolExecution(Samples.toolExecution("042", "c1"));
        store.recordConnection(Samples.connection("042", Samples.AT));
        store.recordEffect(Samples.effect("e1"));
        store.completeEffect("e1", "{}", Samples.AT);
        store.requests().open(Samples.effect("e2"), Samples.AT.plusSeconds(60), 2);
        store.requests().reply("e2", "alice", true, "", "{}", Samples.AT);
        store.recordSpecTransition(
                Samples.specTransition("spec", ArchitectState.SCOPING),
                Samples.spec("spec", ArchitectState.SCOPING),
                List.of());
        store.post(Samples.post("hello"));

        try (Connection other = Backend.connect(url);
                Statement statement = other.createStatement()) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> statement.execute(sql))
                    .withMessageMatching("(?s).*(append-only|answered once|are kept).*");
        }
    }
}
