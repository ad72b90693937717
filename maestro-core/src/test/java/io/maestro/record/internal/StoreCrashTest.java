package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.AuditLog.Message;
import io.maestro.testing.ChildJvm;
import java.io.BufferedReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
@ParameterizedClass
@EnumSource(Backend.class)
class StoreCrashTest {
    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    /** Writes for ever with eight threads, and prints each row's content once it is acknowledged. */
    public static final class Child {
        private Child() {}

        public static void main(String[] args) {
            Store store = Backend.open(args[0]);
            Samples.begin(store);
            for (int thread = 0; thread < 8; thread++) {
                int number = thread;
                new Thread(() -> write(store, number)).start();
            }
        }

        private static void write(Store store, int thread) {
            PrintStream out = System.out;
            for (int row = 0; ; row++) {
                String content = thread + " " + row;
                store.recordMessage(Samples.message("042", content));
                out.print(content + "\n");
                out.flush();
            }
        }
    }

    @Test
    void losesNoAcknowledgedRowWhenItsProcessIsKilled() throws Exception {
        String url = backend.newRecord(directory);
        Process child = ChildJvm.of(directory, Child.class, url)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> acknowledged = new ArrayList<>();
        try (BufferedReader lines = child.inputReader()) {
            while (acknowledged.size() < 2_000) {
                acknowledged.add(Objects.requireNonNull(lines.readLine(), "the child ended too early"));
            }
            child.toHandle().destroyForcibly(); // unlike the process's own method, it leaves the stream readable
            // What was acknowledged between the last line read and the kill. The last line may be cut.
            StringBuilder rest = new StringBuilder();
            for (int c = lines.read(); c >= 0; c = lines.read()) {
                rest.append((char) c);
            }
            rest.substring(0, rest.lastIndexOf("\n") + 1).lines().forEach(acknowledged::add);
        } finally {
            child.destroyForcibly();
            assertThat(child.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }

        try (Store store = Backend.open(url)) {
            assertThat(store.messages("042")).extracting(Message::content).containsAll(acknowledged);
        }
    }
}
