package io.maestro.exec.local;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.ExecResult.Ending;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds for the local executor beyond the contract: programs, directories, environment, threads. */
class LocalExecutorTest {
    @TempDir
    private Path directory;

    private LocalExecutor executor;

    @BeforeEach
    void makeExecutor() {
        executor = LocalExecutor.builder(directory).build();
    }

    private static ExecRequest command(String... command) {
        return ExecRequest.command(command).build();
    }

    // ---- Environment

    @Test
    void ofTheHostsEnvironmentOnlyTheAllowedNamesArePassedOn() {
        // The build sets it, see pom.xml: without it this test shows nothing.
        assertThat(System.getenv()).containsEntry("MAESTRO_TEST_API_KEY", "host-secret");
        Set<String> passed = names(executor.run(command("env")));
        assertThat(passed).contains("PATH", Cookie.VARIABLE, RootMark.VARIABLE).doesNotContain("MAESTRO_TEST_API_KEY");

        Set<String> unexpected = new HashSet<>(System.getenv().keySet());
        unexpected.retainAll(passed);
        unexpected.removeIf(name -> name.matches("PATH|HOME|USER|LOGNAME|SHELL|TZ|TMPDIR|LANG|LANGUAGE|LC_[A-Z]+"
                + "|(JAVA|MAVEN|M2|GRADLE|GRADLE_USER)_HOME|XDG_(CACHE|CONFIG|DATA|STATE)_HOME|" + Cookie.VARIABLE + "|"
                + RootMark.VARIABLE));
        assertThat(unexpected).isEmpty();
    }

    @Test
    void aVariableOfTheHostIsPassedOnWhenTheUserNamesIt() {
        LocalExecutor open = LocalExecutor.builder(directory)
                .environment("MAESTRO_TEST_API_KEY", "NOT_SET_ON_THIS_HOST_4711")
                .build();
        assertThat(open.run(ExecRequest.shell("echo $MAESTRO_TEST_API_KEY").build())
                        .stdout()
                        .text())
                .isEqualTo("host-secret\n");
    }

    @Test
    void theRequestWinsOverTheExecutorAndTheExecutorOverTheHost() {
        LocalExecutor set = LocalExecutor.builder(directory)
                .variable("HOME", "/from/executor")
                .variable("TZ", "executor")
                .build();
        ExecResult result = set.run(
                ExecRequest.shell("echo $HOME $TZ").environment("TZ", "request").build());
        assertThat(result.stdout().text()).isEqualTo("/from/executor request\n");
    }

    @Test
    void aValueThatTheSystemCannotCarryIsRefusedWithoutShowingIt() {
        ExecRequest request =
                ExecRequest.command("true").environment("KEY", "sec\0ret").build();
        assertThatThrownBy(() -> executor.run(request))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("KEY")
                .hasMessageNotContaining("sec");
    }

    // ---- Programs

    @Test
    void aProgramIsSearchedOnThePathOfTheCommand() throws Exception {
        script("bin/hello", "echo hello from $0");
        ExecRequest request = ExecRequest.command("hello")
                .environment("PATH", directory.resolve("bin") + ":/usr/bin:/bin")
                .build();
        assertThat(executor.run(request).stdout().text()).startsWith("hello from ");
        assertThatThrownBy(() -> executor.run(command("hello")))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("'hello'")
                .hasMessageContaining("PATH");
    }

    @Test
    void aProgramWithASlashStartsFromTheWorkingDirectory() throws Exception {
        script("sub/tool", "pwd");
        Files.createDirectories(directory.resolve("sub"));
        ExecRequest request =
                ExecRequest.command("./tool").workingDirectory("sub").build();
        assertThat(executor.run(request).stdout().text())
                .isEqualTo(directory.resolve("sub").toRealPath() + "\n");
        assertThatThrownBy(() -> executor.run(command("./tool")))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining(directory.resolve("./tool").toString());
    }

    @Test
    void aFileThatIsNotExecutableIsNamedWithWhatToDo() throws Exception {
        Files.writeString(directory.resolve("plain"), "echo x");
        for (ExecRequest request : List.of(
                command(directory.resolve("plain").toString()),
                ExecRequest.command("plain")
                        .environment("PATH", directory.toString())
                        .build())) {
            assertThatThrownBy(() -> executor.run(request))
                    .isInstanceOf(ExecException.class)
                    .hasMessageContaining(directory.resolve("plain").toString())
                    .hasMessageContaining("chmod +x");
        }
        assertThatThrownBy(() -> executor.run(command("./"))).isInstanceOf(ExecException.class);
    }

    @Test
    void aProgramSeesTheNameItWasCalledBy() {
        ExecResult result = executor.run(command("sh", "-c", "echo $0"));
        assertThat(result.stdout().text()).isEqualTo("sh\n");
    }

    @Test
    void argumentsThatAreTooLongAreAnExceptionWithoutTheEnvironment() {
        ExecRequest request = ExecRequest.command("true", "x".repeat(3_000_000))
                .environment("KEY", "top-secret")
                .build();
        assertThatThrownBy(() -> executor.run(request))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("'true'")
                .hasMessageContaining("standard input")
                .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("top-secret"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\0b", "/bin/a\0b"})
    void aNameThatIsNoPathIsRefused(String name) {
        assertThatThrownBy(() -> executor.run(command(name))).isInstanceOf(ExecException.class);
    }

    @Test
    void anArgumentWithANulCharacterIsRefused() {
        assertThatThrownBy(() -> executor.run(command("echo", "a\0b"))).isInstanceOf(ExecException.class);
    }

    // ---- Directories

    @Test
    void aWorkingDirectoryThatCannotBeUsedIsNamed() throws Exception {
        Files.writeString(directory.resolve("file"), "");
        for (String wrong : List.of("file", "none", "a\0b")) {
            ExecRequest request =
                    ExecRequest.command("true").workingDirectory(wrong).build();
            assertThatThrownBy(() -> executor.run(request))
                    .isInstanceOf(ExecException.class)
                    .hasMessageContaining("working directory")
                    .hasMessageContaining("'true'");
        }
    }

    @Test
    void theDirectoryOfTheExecutorMayBeMadeLater() throws Exception {
        LocalExecutor later =
                LocalExecutor.builder(directory.resolve("x/../later")).build();
        assertThat(later.workingDirectory())
                .isEqualTo(directory.resolve("later").toString());
        assertThatThrownBy(() -> later.run(command("true")))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining(directory.resolve("later").toString());
        Files.createDirectory(directory.resolve("later"));
        assertThat(later.run(command("true")).succeeded()).isTrue();
    }

    // ---- Limits and leftovers

    @Test
    void aTimeLimitMayBeLongerThanTheClockCounts() {
        ExecRequest request = ExecRequest.command("true")
                .timeLimit(Duration.ofSeconds(Long.MAX_VALUE))
                .build();
        assertThat(executor.run(request).ending()).isEqualTo(Ending.EXITED);
    }

    @Test
    void noThreadIsLeftBehind() {
        executor.run(ExecRequest.shell("sleep 60 & cat; echo err >&2")
                .stdin(new byte[100_000])
                .build());
        Processes.await(
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("maestro-exec")),
                "the threads of the command have ended");
    }

    /** It has left its session, its parent and the environment by which it would be found, and holds an output open. */
    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @ValueSource(strings = {"exec sleep 300", "trap \"\" PIPE; while :; do echo yes >&2; done"})
    void aProcessThatEscapesHoldsNeitherTheCommandNorAThread(String what) throws Exception {
        Path pid = directory.resolve("escaped");
        String escape = "( env -i PATH=\"$PATH\" setsid sh -c 'echo $$ > escaped; " + what + "' & ) ;"
                + " while ! test -s escaped; do sleep 0.01; done; echo out";
        List<Long> escaped = List.of();
        try {
            ExecResult result = executor.run(ExecRequest.shell(escape).build());

            escaped = Processes.pids(pid, 1);
            assertThat(result.stdout().text()).isEqualTo("out\n");
            Processes.await(
                    () -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().startsWith("maestro-exec")),
                    "the threads of the command have ended");
            assertThat(Processes.isAlive(escaped.get(0))).as("it has escaped").isTrue();
        } finally {
            escaped.forEach(process -> ProcessHandle.of(process).ifPresent(ProcessHandle::destroyForcibly));
        }
    }

    @Test
    void thereIsNoTerminalToAskForAPasswordOn() {
        ExecResult result = executor.run(
                ExecRequest.shell("if : < /dev/tty; then echo terminal; fi").build());
        assertThat(result.stdout().text()).isEmpty();
    }

    private void script(String name, String line) throws Exception {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + line + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Set<String> names(ExecResult result) {
        return result.stdout()
                .text()
                .lines()
                .filter(line -> line.indexOf('=') > 0)
                .map(line -> line.substring(0, line.indexOf('=')))
                .collect(Collectors.toSet());
    }

    private static String stackTrace(Throwable e) {
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
