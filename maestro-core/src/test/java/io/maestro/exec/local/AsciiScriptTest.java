package io.maestro.exec.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.ChildJvm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text that is not ASCII reaches a command, whatever the locale of the JVM. */
class AsciiScriptTest {
    private static final String HARD = "ä\n€'\"\\$(id)`id` %s 🎼-\n\n";

    @TempDir
    private Path directory;

    @Test
    void theScriptIsAsciiAndHasTheSameEffect() {
        List<String> command = AsciiScript.command(
                List.of("sh", "-c", "printf '<%s>' \"$@\"; printf '%s' \"$V\"; exit 3", "sh", HARD, "", "-n", "\n"),
                Map.of("V", HARD));
        assertThat(String.join("", command)).matches(text -> text.chars().allMatch(c -> c < 0x80), "is ASCII");
        ExecResult result = LocalExecutor.builder(directory)
                .build()
                .run(ExecRequest.command(command).build());
        assertThat(result.stdout().text()).isEqualTo("<" + HARD + "><><-n><\n>" + HARD);
        assertThat(result.exitCode()).hasValue(3);
    }

    @Test
    void aJvmInThePosixLocalePassesTextOn() {
        List<String> java = new ArrayList<>(ChildJvm.command(PrintsThroughACommand.class, directory.toString()));
        ExecResult result = LocalExecutor.builder(directory)
                .build()
                .run(ExecRequest.command(java).environment("LC_ALL", "C").build());
        assertThat(result.stderr().text()).isEmpty();
        assertThat(result.stdout().text()).isEqualTo(HARD + "|" + HARD);
    }

    /** Runs a command with text as an argument and in a variable, and prints what the command printed. */
    static final class PrintsThroughACommand {
        private PrintsThroughACommand() {}

        public static void main(String[] arguments) {
            ExecResult result = LocalExecutor.builder(Path.of(arguments[0]))
                    .build()
                    .run(ExecRequest.command("sh", "-c", "printf '%s|%s' \"$1\" \"$V\"", "sh", HARD)
                            .environment("V", HARD)
                            .build());
            byte[] bytes = result.stdout().text().getBytes(UTF_8);
            System.out.write(bytes, 0, bytes.length);
            System.out.flush();
        }
    }
}
