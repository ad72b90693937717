package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.StoreException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** In a JVM of its own, since the library is loaded once for each. */
@Timeout(60)
class MissingLibraryTest {
    @TempDir
    Path directory;

    /** Opens a record twice, and prints what is said. */
    public static final class Child {
        private Child() {}

        public static void main(String[] args) {
            for (int time = 1; time <= 2; time++) {
                try {
                    Store.sqlite(Path.of(args[0]), text -> text).close();
                } catch (StoreException e) {
                    System.out.println(e.getMessage().replace('\n', ' '));
                }
            }
        }
    }

    @Test
    void saysThatTheTemporaryDirectoryIsOfNoUse() throws Exception {
        Path file = directory.resolve("maestro.db");
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + directory.resolve("missing"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<String> messages;
        try {
            messages = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } finally {
            child.destroyForcibly();
            assertThat(child.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(messages)
                .hasSize(2)
                .allSatisfy(message -> assertThat(message)
                        .contains(file.toString(), "native library", "-Dorg.sqlite.tmpdir", "-Djava.io.tmpdir"));
    }
}
