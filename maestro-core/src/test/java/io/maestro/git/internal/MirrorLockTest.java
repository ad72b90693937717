package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.git.GitUnavailableException;
import io.maestro.git.internal.lock.MirrorLock;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One mirror, several threads and several processes. */
class MirrorLockTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    /** What another process does: it counts up in a file, or refreshes a mirror and checks out of it. */
    static final class OtherProcess {
        public static void main(String[] arguments) throws Exception {
            switch (arguments[0]) {
                case "hold" -> {
                    try (MirrorLock lock = MirrorLock.acquire(Path.of(arguments[1]), LONG)) {
                        System.out.println("held");
                        System.in.read();
                    }
                }
                case "count" -> count(Path.of(arguments[1]));
                case "refresh" -> refresh(Path.of(arguments[1]), arguments[2], arguments[3]);
                default -> throw new IllegalArgumentException(arguments[0]);
            }
        }
    }

    private static Process start(String... arguments) throws IOException {
        return ChildJvm.of(OtherProcess.class, arguments)
                .redirectErrorStream(true)
                .start();
    }

    private static void finish(Process process) throws Exception {
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
    }

    /** Reads, waits a moment, writes: updates get lost unless everybody has the lock. */
    private static Void count(Path mirror) throws IOException {
        Path counter = mirror.resolveSibling("counter");
        for (int i = 0; i < 50; i++) {
            try (MirrorLock lock = MirrorLock.acquire(mirror, LONG)) {
                int n = Files.exists(counter) ? Integer.parseInt(Files.readString(counter)) : 0;
                Thread.yield();
                Files.writeString(counter, Integer.toString(n + 1));
            }
        }
        return null;
    }

    private static Void refresh(Path work, String url, String agent) {
        for (int i = 1; i <= 3; i++) {
            GitRepository repository = new GitRepository(work, url);
            repository.checkout(agent, agent, i, repository.refresh()).snapshot();
        }
        return null;
    }

    private static void together(List<Callable<Void>> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(work.size());
        try {
            for (Future<Void> future : threads.invokeAll(work)) {
                future.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void noUpdateIsLostBetweenThreadsAndProcesses() throws Exception {
        Path mirror = directory.resolve("app.git");
        Process one = start("count", mirror.toString());
        Process two = start("count", mirror.toString());
        together(List.of(() -> count(mirror), () -> count(mirror), () -> count(mirror)));
        finish(one);
        finish(two);
        assertThat(Files.readString(directory.resolve("counter"))).isEqualTo("250");
    }

    @Test
    void theLockBelongsToThePathAndIsNotWaitedForForEver() throws Exception {
        Path mirror = directory.resolve("app.git");
        Process other =
                start("hold", directory.resolve("x/../app.git").toString().replace("x/..", "."));
        try {
            byte[] held = other.getInputStream().readNBytes(4);
            assertThat(new String(held)).isEqualTo("held");
            assertThatThrownBy(() -> MirrorLock.acquire(mirror, Duration.ofMillis(200)))
                    .isInstanceOf(GitUnavailableException.class)
                    .hasMessageContaining("in use");
            other.destroyForcibly();
            MirrorLock.acquire(mirror, LONG).close();
            try (MirrorLock mine = MirrorLock.acquire(mirror, LONG)) {
                assertThatThrownBy(() -> MirrorLock.acquire(mirror, LONG)).isInstanceOf(IllegalStateException.class);
                together(List.of(() -> {
                    assertThatThrownBy(() -> MirrorLock.acquire(mirror, Duration.ofMillis(100)))
                            .isInstanceOf(GitUnavailableException.class);
                    return null;
                }));
                MirrorLock.acquire(directory.resolve("other.git"), LONG).close();
            }
            MirrorLock.acquire(mirror, LONG).close();
        } finally {
            other.destroyForcibly().waitFor();
        }
    }

    @Test
    @Full("JVMs; the other tests hold the lock in one")
    void threadsAndProcessesRefreshAndCheckOutAtTheSameTime() throws Exception {
        TestRepository people = TestRepository.create(directory.resolve("remote"));
        Path work = directory.resolve("work");
        String url = people.bare.toString();
        Process one = start("refresh", work.toString(), url, "coder-1");
        Process two = start("refresh", work.toString(), url, "coder-2");
        together(List.of(() -> refresh(work, url, "coder-3"), () -> refresh(work, url, "coder-4"), () -> {
            for (int i = 0; i < 5; i++) {
                people.commit("More " + i, Map.of("more.txt", "more " + i));
            }
            return null;
        }));
        finish(one);
        finish(two);
        GitRepository repository = new GitRepository(work, url);
        repository.refresh();
        git(repository.mirror(), "fsck", "--strict");
        for (int i = 1; i <= 4; i++) {
            assertThat(git(work.resolve("coder-" + i), "status", "--porcelain")).isEmpty();
        }
    }
}
