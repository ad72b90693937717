package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.StoreException;
import io.maestro.testing.ChildJvm;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The driver is a host's dependency and may be older than the one that Maestro is built with. */
class OlderSqliteTest {
    @TempDir
    Path directory;

    @Test
    void leasesHoldOnOneThatKnowsNoPartsOfASecond() throws Exception {
        assertThat(child("3.41.2.2")).containsExactly("leased [a]", "renewed [a]", "left for others []");
    }

    @Test
    void oneThatIsTooOldIsNamed() throws Exception {
        assertThat(child("3.36.0.3"))
                .singleElement()
                .asString()
                .contains("maestro.db cannot be opened", "brings SQLite 3.36.0", "use its version 3.37 or later");
    }

    private List<String> child(String version) throws Exception {
        Path older = Path.of("target", "older-sqlite", "sqlite-jdbc-" + version + ".jar");
        assertThat(older).as("what Maven has copied").isRegularFile();
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("sqlite-jdbc"))
                .collect(Collectors.joining(File.pathSeparator));
        // Of two class paths the last one counts.
        List<String> options = List.of(
                "-Djava.io.tmpdir=" + directory, "-cp", older.toAbsolutePath() + File.pathSeparator + classPath);
        Process child = new ProcessBuilder(ChildJvm.command(options, Child.class, directory.toString()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            return new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    /** Works with a lease, and prints what came of it. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            Duration hour = Duration.ofHours(1);
            try (Store store = Store.sqlite(Path.of(arguments[0], "maestro.db"), text -> text)) {
                Leases leases = store.leases();
                System.out.println("leased "
                        + leases.acquire(List.of("a"), "mine", hour).stream().toList());
                System.out.println("renewed " + leases.renew("mine", hour));
                System.out.println("left for others "
                        + leases.acquire(List.of("a"), "another", hour).stream().toList());
            } catch (StoreException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
