package io.maestro.exec.local;

import static io.maestro.testing.AssertThat.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.ChildJvm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
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
        Map<String, String> variables = new HashMap<>(Map.of("V", HARD, "KEY", "sk-ant-SECRET", "a.b", "plain"));
        List<String> command = AsciiScript.command(
                List.of("sh", "-c", "printf '<%s>' \"$@\"; printf '%s' \"$V$KEY\"; exit 3", "sh", HARD, "", "-n", "\n"),
                variables);
        assertThat(String.join("", command) + variables)
                .matches(text -> text.chars().allMatch(c -> c < 0x80), "is ASCII");
        ExecRequest.Builder request = ExecRequest.command(command);
        variables.forEach(request::environment);
        ExecResult result = LocalExecutor.builder(directory).build().run(request.build());
        assertThat(result.stdout().text()).isEqualTo("<" + HARD + "><><-n><\n>" + HARD + "sk-ant-SECRET");
        assertThat(result.exitCode()).hasValue(3);
    }

    /** Everybody on the machine can read the words of a command. */
    @Test
    void noValueIsAmongTheWords() {
        String secret = "sk-ant-grün";
        Map<String, String> variables = new HashMap<>(Map.of("KEY", secret, "OTHER", "sk-ant-SECRET"));
        String words = String.join(" ", AsciiScript.command(List.of("grün"), variables));
        assertThat(words).contains("KEY").doesNotContain("OTHER", "sk", "163\\153", "ant", "SECRET", "123\\105");
        assertThatThrownBy(() -> AsciiScript.command(List.of("x"), new HashMap<>(Map.of("a.b", "grün"))))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("the variable 'a.b' cannot be passed on")
                .hasMessageContaining("LC_ALL=C.UTF-8");
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
