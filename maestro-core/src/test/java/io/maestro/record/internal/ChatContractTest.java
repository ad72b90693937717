package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.AuditLog.ChatPost;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
@ParameterizedClass
@EnumSource(Backend.class)
class ChatContractTest {
    private static final int THREADS = 8;
    private static final int POSTS = 50;

    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    /** A reader that asks only for what comes after the last one must miss none, whoever writes at that moment. */
    @Test
    void showsNoNumberBeforeASmallerOne() throws Exception {
        String url = backend.newRecord(directory);
        ConcurrentLinkedQueue<Long> numbers = new ConcurrentLinkedQueue<>();
        List<ChatPost> read = new ArrayList<>();
        var threads = Executors.newSingleThreadExecutor();
        try (Store first = Backend.open(url);
                Store second = Backend.open(url);
                Store reader = Backend.open(url)) {
            Samples.begin(first);
            var reading = threads.submit(() -> {
                long last = 0;
                while (read.size() < THREADS * POSTS && !Thread.interrupted()) {
                    for (ChatPost post : reader.chat(last, 7)) {
                        assertThat(post.number()).isGreaterThan(last);
                        last = post.number();
                        read.add(post);
                    }
                }
            });
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                String name = thread + " ";
                Store mine = thread % 2 == 0 ? first : second;
                tasks.add(() -> {
                    long before = 0;
                    for (int i = 0; i < POSTS; i++) {
                        long number = mine.post(Samples.post(name + i));
                        assertThat(number).isGreaterThan(before);
                        before = number;
                        numbers.add(number);
                    }
                    return null;
                });
            }

            Parallel.run(tasks);
            reading.get();
        } finally {
            threads.shutdownNow();
        }

        assertThat(read)
                .extracting(ChatPost::number)
                .containsExactlyElementsOf(numbers.stream().sorted().toList());
        assertThat(read).extracting(ChatPost::text).doesNotHaveDuplicates();
    }
}
