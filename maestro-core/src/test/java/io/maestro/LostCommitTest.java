package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.AuditLog;
import io.maestro.record.PostgresServer;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A connection to PostgreSQL that is lost between COMMIT and its answer: nobody notices, whatever was being written. */
@Timeout(180)
class LostCommitTest {
    private static final int STORIES = 6;

    @TempDir
    Path directory;

    private final AtomicInteger commits = new AtomicInteger();
    private final AtomicBoolean counts = new AtomicBoolean();

    /** Whether the answer to a commit is lost; the first one that counts is number 1. */
    private IntPredicate lost = number -> false;

    /** Whether a commit whose answer is lost has arrived. */
    private IntPredicate arrives = number -> true;

    private <T> T proxy(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (real instanceof Connection connection
                            && method.getName().equals("commit")
                            && counts.get()
                            && lost.test(commits.incrementAndGet())) {
                        if (arrives.test(commits.get())) {
                            connection.commit();
                        }
                        connection.close();
                        throw new SQLException("An I/O error occurred while sending to the backend.", "08006");
                    }
                    Object result = call(real, method, arguments);
                    return result instanceof Connection connection ? proxy(Connection.class, connection) : result;
                }));
    }

    private static Object call(Object real, Method method, Object... arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Story story(int number) {
        return Story.builder("s" + number, "Story " + number)
                .content("do it")
                .express()
                .build();
    }

    private void allStoriesAreMergedOnce() {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "a project"));
        ScriptedLlm.Builder coder = ScriptedLlm.builder("coder");
        for (int i = 1; i <= STORIES; i++) {
            String file = i + ".txt";
            coder.story(
                    "s" + i,
                    script -> script.turn(Reply.toolCall("write_file", Map.of("path", file, "content", "x")))
                            .turn(Reply.toolCall("done", Map.of("summary", "wrote it"))));
        }
        ScriptedLlm model = coder.build();
        DataSource database = proxy(DataSource.class, PostgresServer.connectTo(PostgresServer.newRecordUrl()));
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .record(record -> record.dataSource(database))
                .coderModel(model)
                .architect(new Approving())
                .testCommand("true")
                // Otherwise one that is overtaken at its merge prepares it again.
                .maxCoders(1)
                .tools(tools -> tools.discover(false))
                .build()) {
            List<Submission<StoryResult>> all = new ArrayList<>();
            for (int i = 1; i <= STORIES; i++) {
                all.add(maestro.submit(story(i)));
            }
            assertThat(all.get(0).await().outcome()).isEqualTo(Outcome.MERGED);
            counts.set(true);
            for (Submission<StoryResult> one : all) {
                StoryResult result = one.await();
                assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
                assertThat(result.attempt()).isEqualTo(1);
                assertThat(maestro.auditLog().transitions(one.id()))
                        .extracting(AuditLog.StateTransition::to)
                        .doesNotHaveDuplicates()
                        .endsWith(CoderState.DONE);
            }
            assertThat(repository.git("rev-list", "--count", "--merges", "main"))
                    .isEqualTo("" + STORIES);
            // Nothing was paid twice.
            assertThat(model.requests()).hasSize(2 * STORIES);
            assertThat(commits.get()).isGreaterThan(40);
        }
    }

    @Test
    void manyInARunOfWhichSomeHaveArrived() {
        lost = number -> number % 5 == 0;
        arrives = number -> number % 2 == 0;
        allStoriesAreMergedOnce();
    }

    static IntStream first40() {
        return IntStream.rangeClosed(1, 40);
    }

    @ParameterizedTest
    @MethodSource("first40")
    @Full("forty times the time of the other one, which loses the answers of as many kinds of writes")
    void eachByItself(int number) {
        lost = commit -> commit == number;
        allStoriesAreMergedOnce();
    }
}
