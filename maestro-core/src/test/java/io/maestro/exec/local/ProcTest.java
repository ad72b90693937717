package io.maestro.exec.local;

import static io.maestro.testing.AssertThat.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class ProcTest {
    @TempDir
    Path directory;

    /** The kernel shows no environment between the old program and the new one. */
    @Test
    void aProcessThatBecomesAnotherProgramHasItsEnvironment() throws Exception {
        Path script = Files.writeString(directory.resolve("again"), "exec sh " + directory.resolve("again") + "\n");
        ProcessBuilder builder = new ProcessBuilder("sh", script.toString());
        builder.environment().put("MARK", "of-a-test");
        Process process = builder.start();
        try {
            int without = 0;
            for (int i = 0; i < 300; i++) {
                Optional<ProcStat> stat = Proc.processes().stream()
                        .filter(one -> one.pid() == process.pid())
                        .findFirst();
                if (stat.isPresent()
                        && !Proc.environment(stat.get(), Proc.lookAgainUntil()).contains("MARK=of-a-test")) {
                    without++;
                }
            }
            assertThat(process.isAlive()).isTrue();
            assertThat(without).as("looks at a process without its environment").isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aPassOverAllIsNotHeldUpByThoseWithoutOne() throws Exception {
        Process process = new ProcessBuilder("env", "-i", "sleep", "300").start();
        try {
            ProcStat bare = Proc.processes().stream()
                    .filter(one -> one.pid() == process.pid())
                    .findFirst()
                    .orElseThrow();
            long over = System.nanoTime() - 1;
            long looks = 0;
            for (long end = System.nanoTime() + 10_000_000_000L; System.nanoTime() < end && looks < 5000; looks++) {
                String unused = Proc.environment(bare, over);
            }
            assertThat(looks).as("one look each, and not twenty with pauses").isEqualTo(5000);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void threadsOfTheKernelAreNotWaitedFor() {
        assertThat(Proc.processes().stream().filter(ProcStat::isOfTheKernel))
                .allSatisfy(thread -> assertThat(Proc.environment(thread, Proc.lookAgainUntil()))
                        .isEmpty());
    }
}
