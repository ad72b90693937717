package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.testing.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScratchDirectoryTest {
    @TempDir
    Path directory;

    static final class Uses {
        public static void main(String[] arguments) {
            ScratchDirectory.use(scratch -> {
                try {
                    Files.writeString(
                            Files.createDirectory(scratch.resolve("a")).resolve("b"), "text");
                    System.out.println("made");
                    if (arguments[0].equals("ends")) {
                        return "";
                    }
                    Thread.sleep(600_000);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return "";
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ends", "is stopped"})
    void nothingIsLeftOfIt(String how) throws Exception {
        Path temporary = Files.createDirectory(directory.resolve("tmp"));
        Process process = ChildJvm.of(temporary, Uses.class, how)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(process.inputReader().readLine()).isEqualTo("made");
            if (!how.equals("ends")) {
                // As Ctrl-C does.
                process.destroy();
            }
            process.waitFor();
        } finally {
            process.destroyForcibly().waitFor();
        }
        try (var left = Files.list(temporary)) {
            assertThat(left.filter(path -> path.toString().contains("maestro-")).toList())
                    .isEqualTo(List.of());
        }
    }
}
