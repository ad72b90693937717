package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.maestro.record.AuditLog.Message;
import io.maestro.record.StoreException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
@ParameterizedClass
@EnumSource(Backend.class)
class GroupCommitTest {
    private static final int THREADS = 64;
    private static final int ROWS = 50;

    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    private String url;
    private Store store;

    @BeforeEach
    void open() {
        url = backend.newRecord(directory);
        store = Backend.open(url);
        Samples.begin(store);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void writesTheRowsOfManyThreads() throws Exception {
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int number = thread;
            tasks.add(() -> {
                for (int row = 0; row < ROWS; row++) {
                    store.recordMessage(Samples.message("042", number + " " + row));
                }
                return null;
            });
        }

        Parallel.run(tasks);

        Map<String, Integer> next = new HashMap<>();
        for (Message message : store.messages("042")) {
            String[] parts = message.content().split(" ");
            assertThat(Integer.parseInt(parts[1]))
                    .as("the order within thread " + parts[0])
                    .isEqualTo(next.merge(parts[0], 1, Integer::sum) - 1);
        }
        assertThat(next)
                .hasSize(THREADS)
                .allSatisfy((thread, rows) -> assertThat(rows).isEqualTo(ROWS));
    }

    @Test
    void failsOnlyTheCallerOfABadRow() throws Exception {
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int number = thread;
            tasks.add(() -> {
                for (int row = 0; row < 20; row++) {
                    if (number % 4 == 0) {
                        assertThatExceptionOfType(StoreException.class)
                                .isThrownBy(() -> store.completeEffect("no such effect", "{}", Samples.AT));
                    } else {
                        store.recordEffect(Samples.effect(number + " " + row));
                    }
                }
                return null;
            });
        }

        Parallel.run(tasks);

        assertThat(store.effects("042")).hasSize(THREADS * 3 / 4 * 20);
    }

    @Test
    void seesWhatItHasWritten() throws Exception {
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int thread = 0; thread < 8; thread++) {
            String story = "story-" + thread;
            tasks.add(() -> {
                for (int row = 1; row <= 50; row++) {
                    store.recordMessage(Samples.message(story, "[]"));
                    assertThat(store.messages(story)).hasSize(row);
                }
                return null;
            });
        }

        Parallel.run(tasks);
    }

    @Test
    void writesAlthoughTheCallerIsInterruptedAndKeepsTheFlag() {
        Thread.currentThread().interrupt();
        store.recordMessage(Samples.message("042", "[]"));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(store.messages("042")).hasSize(1);
    }

    @Test
    void writesWhatWaitsWhenItIsClosed() throws Exception {
        List<Callable<Void>> tasks = new ArrayList<>();
        List<String> acknowledged = new ArrayList<>();
        for (int thread = 0; thread < 16; thread++) {
            int number = thread;
            tasks.add(() -> {
                try {
                    for (int row = 0; row < ROWS; row++) {
                        String content = number + " " + row;
                        store.recordMessage(Samples.message("042", content));
                        synchronized (acknowledged) {
                            acknowledged.add(content);
                        }
                    }
                } catch (StoreException closed) {
                    assertThat(closed).hasMessageContaining("is closed");
                }
                return null;
            });
        }
        tasks.add(() -> {
            store.close();
            return null;
        });

        Parallel.run(tasks);

        store = Backend.open(url);
        assertThat(store.messages("042"))
                .extracting(Message::content)
                .containsExactlyInAnyOrderElementsOf(acknowledged);
    }

    @Test
    void leavesNoThreadBehind() {
        assertThat(writers()).isPositive();

        store.close();

        assertThat(writers()).isZero();
    }

    private static long writers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("maestro-record-writer"))
                .count();
    }
}
