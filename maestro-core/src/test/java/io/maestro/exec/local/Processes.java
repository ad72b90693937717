package io.maestro.exec.local;

import static io.maestro.testing.AssertThat.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Looks at processes in tests. */
public final class Processes {
    private Processes() {}

    /** Polls until something holds; fails after a minute. */
    static void await(Callable<Boolean> condition, String what) {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        try {
            while (!condition.call()) {
                assertThat(System.nanoTime())
                        .as("waited too long until " + what)
                        .isLessThan(deadline);
                LockSupport.parkNanos(1_000_000);
            }
        } catch (Exception e) {
            throw new AssertionError("while waiting until " + what, e);
        }
    }

    /** Asserts that processes have ended; a zombie has. */
    static void assertGone(List<Long> pids) {
        for (long pid : pids) {
            await(() -> !isAlive(pid), "process " + pid + " is gone");
        }
    }

    public static boolean isAlive(long pid) {
        return Proc.isAvailable()
                ? Proc.processes().stream().anyMatch(process -> process.pid() == pid)
                : ProcessHandle.of(pid).isPresent();
    }

    /** The numbers in a text, as a shell printed them with {@code echo $!}. */
    static List<Long> pids(String text) {
        return text.lines()
                .flatMap(line -> List.of(line.split(" ")).stream())
                .filter(word -> word.matches("[0-9]+"))
                .map(Long::valueOf)
                .toList();
    }

    /** The numbers in a file, once it has so many lines. */
    static List<Long> pids(Path file, int lines) {
        List<Long> pids = new ArrayList<>();
        await(
                () -> {
                    String text = Files.exists(file) ? Files.readString(file, StandardCharsets.UTF_8) : "";
                    pids.clear();
                    pids.addAll(pids(text));
                    return text.chars().filter(c -> c == '\n').count() >= lines;
                },
                file + " has " + lines + " lines");
        return pids;
    }
}
