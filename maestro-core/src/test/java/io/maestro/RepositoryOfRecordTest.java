package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.maestro.error.MaestroException;
import io.maestro.record.PostgresServer;
import io.maestro.story.Story;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which repository a record belongs to. */
@Timeout(90)
class RepositoryOfRecordTest {
    @TempDir
    Path directory;

    private static Story story(String id) {
        return Story.builder(id, "Nothing").content("nothing").express().build();
    }

    /** A Maestro whose coder finds that there is nothing to do. */
    private MaestroBuilder builder(String project, String url) {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("done", Map.of("summary", "nothing to do")))
                .build();
        return Maestro.builder()
                .projectDirectory(directory.resolve(project))
                .repository(url)
                .coderModel(coder)
                .architect(new Approving())
                .testCommand("true")
                .tools(tools -> tools.discover(false));
    }

    @Test
    void isTheSameAfterItHasMovedWhenTheHostSaysSo() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("a", "b"));
        try (Maestro maestro = builder("project", repository.url()).build()) {
            assertThat(maestro.run(story("1")).outcome()).isEqualTo(Outcome.NO_CHANGE);
        }
        Path old = Path.of(repository.url().replaceFirst("^file://", ""));
        Path moved = Files.move(old, directory.resolve("moved.git"));

        assertThatExceptionOfType(MaestroException.class)
                .isThrownBy(() -> builder("project", moved.toString()).build())
                .withMessageContaining("belongs to the repository " + repository.url())
                .withMessageContaining("previousRepository(\"" + repository.url() + "\")");
        try (Maestro maestro = builder("project", moved.toString())
                .record(record -> record.previousRepository(repository.url()))
                .build()) {
            assertThat(maestro.run(story("1")).attempt())
                    .as("the result of then")
                    .isEqualTo(1);
            assertThat(maestro.run(story("2")).outcome()).isEqualTo(Outcome.NO_CHANGE);
            assertThat(maestro.auditLog().repositories()).containsExactlyInAnyOrder(repository.url(), moved.toString());
        }
        // Both are known now, whichever session was the last.
        builder("project", moved.toString()).build().close();
        try (Maestro maestro = builder("project", "file://" + moved).build()) {
            assertThat(maestro.run(story("2")).attempt()).isEqualTo(1);
        }
    }

    @Test
    void isOneOfManyInADatabaseWhenEachHasItsSchema() throws Exception {
        DataSource database = PostgresServer.newDatabase();
        TestRepository one = TestRepository.create(Files.createDirectory(directory.resolve("one")), Map.of("a", "1"));
        TestRepository two = TestRepository.create(Files.createDirectory(directory.resolve("two")), Map.of("a", "2"));
        try (Maestro first = builder("p1", one.url())
                        .record(record -> record.dataSource(database).schema("one"))
                        .build();
                Maestro second = builder("p2", two.url())
                        .record(record -> record.dataSource(database).schema("two"))
                        .build()) {
            Submission<?> running = first.submit(story("1"));
            assertThat(second.run(story("1")).outcome()).isEqualTo(Outcome.NO_CHANGE);
            running.await();
            assertThat(first.auditLog().sessions()).hasSize(1);
            assertThat(second.auditLog().repositories()).containsExactly(two.url());
            assertThat(second.auditLog().location()).endsWith("(schema two)");
        }

        assertThatExceptionOfType(MaestroException.class)
                .isThrownBy(() -> builder("p3", two.url())
                        .record(record -> record.dataSource(database).schema("one"))
                        .build())
                .withMessageStartingWith("the record jdbc:postgresql://")
                .withMessageContaining("(schema one) belongs to the repository " + one.url())
                .withMessageContaining("give each repository a schema of its own")
                .withMessageContaining("record.schema(\"its-name\")");
    }
}
