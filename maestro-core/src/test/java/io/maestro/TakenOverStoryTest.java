package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.record.AuditLog;
import io.maestro.record.PostgresServer;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two Maestros with one PostgreSQL: one of them, thought to be dead, has lost a story that it still works on. */
@Timeout(180)
class TakenOverStoryTest {
    private static final String THIEF = "thief";

    @TempDir
    Path directory;

    private final DataSource database = PostgresServer.newDatabase();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);

    /** A model that thinks until it is interrupted, and speaks all the same. */
    private final LlmClient stubborn = new LlmClient() {
        private final ScriptedLlm words = coder();

        @Override
        public String model() {
            return "stubborn";
        }

        @Override
        public LlmResponse complete(LlmRequest request) {
            asked.countDown();
            try {
                new CountDownLatch(1).await();
                throw new AssertionError();
            } catch (InterruptedException e) {
                stopped.countDown();
                return words.complete(request);
            }
        }
    };

    private static ScriptedLlm coder() {
        return ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("write_file", Map.of("path", "a.txt", "content", "a")))
                .turn(Reply.toolCall("done", Map.of("summary", "wrote a.txt")))
                .build();
    }

    private Maestro maestro(String name, TestRepository repository, LlmClient model) {
        return Maestro.builder()
                .projectDirectory(directory.resolve(name))
                .repository(repository.url())
                .record(record -> record.dataSource(database))
                .record(record -> record.leaseTime(Duration.ofSeconds(10)))
                .coderModel(model)
                .architect(new Approving())
                .testCommand("true")
                .tools(tools -> tools.discover(false))
                .build();
    }

    private static Story story() {
        return Story.builder("1", "Story 1").content("do it").express().build();
    }

    /** Gives the lease to somebody else, as the database does when it has expired and another process asks for it. */
    private void steal() throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement update = connection.prepareStatement("UPDATE leases SET session_id = ?,"
                        + " expires_at = expires_at + 3600000 WHERE name = ? AND expires_at IS NOT NULL")) {
            update.setString(1, THIEF);
            update.setString(2, Leases.story("1"));
            assertThat(update.executeUpdate()).isEqualTo(1);
        }
    }

    @Test
    void whoHasLostAStoryStopsWithoutAWordAndTheOtherMergesItOnce() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "a project"));
        try (Maestro loser = maestro("one", repository, stubborn);
                Maestro winner = maestro("two", repository, coder());
                Store record = Store.postgres(database, null, text -> text)) {
            record.beginSession(new AuditLog.Session(THIEF, repository.url(), Instant.now(), 1, null));
            Submission<StoryResult> lost = loser.submit(story());
            assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
            Submission<StoryResult> won = winner.submit(story());
            AuditLog.StoryRecord before = record.story("1").orElseThrow();
            assertThat(before.state()).isEqualTo(CoderState.CODING);

            steal();

            assertThat(stopped.await(60, TimeUnit.SECONDS)).as("it is stopped").isTrue();
            lost.cancel();
            StoryResult left = lost.await();
            assertThat(left.outcome()).isEqualTo(Outcome.CANCELLED);
            assertThat(left.error()).contains("cancelled here; another process works on it");
            // What it wanted to say of the story is not in the record.
            assertThat(record.story("1")).contains(before);
            assertThat(record.transitions("1"))
                    .extracting(AuditLog.StateTransition::to)
                    .containsExactly(CoderState.SETUP, CoderState.CODING);

            record.leases().release(Leases.story("1"), THIEF);

            StoryResult result = won.await();
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            // The workspace is not in this project directory.
            assertThat(result.attempt()).isEqualTo(2);
            assertThat(record.transitions("1"))
                    .filteredOn(row -> row.attempt() == 1 && row.to() == CoderState.ERROR)
                    .singleElement()
                    .satisfies(row -> {
                        assertThat(row.reason())
                                .isEqualTo("its process ended in CODING, and its workspace is not here");
                        assertThat(row.sessionId()).isEqualTo(winner.sessionId());
                    });
            // Who asks again hears of it.
            assertThat(loser.run(story()).mergeCommit()).isEqualTo(result.mergeCommit());
            assertThat(loser.auditLog().stories()).hasSize(1);
        }
        assertThat(repository.git("rev-list", "--count", "--merges", "main")).isEqualTo("1");
    }

    @Test
    void bothSeeTheSameEndOfAStoryThatBothWereGiven() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "a project"));
        try (Maestro one = maestro("one", repository, coder());
                Maestro two = maestro("two", repository, coder())) {
            Submission<StoryResult> first = one.submit(story());
            Submission<StoryResult> second = two.submit(story());
            StoryResult result = first.await();
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            StoryResult same = second.await();
            assertThat(same.mergeCommit()).isEqualTo(result.mergeCommit());
            assertThat(same.attempt()).isEqualTo(result.attempt());
        }
        assertThat(repository.git("rev-list", "--count", "--merges", "main")).isEqualTo("1");
    }
}
