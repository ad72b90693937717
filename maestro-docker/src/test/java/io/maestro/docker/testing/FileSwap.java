package io.maestro.docker.testing;

import static io.maestro.testing.AssertThat.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A process in a container that replaces a file of a workspace by a pipe, by a link to a file of this machine and by itself, in
 * turn and as fast as it can; the name is there all the time. Ends when it is closed; then the file is what it was.
 */
public final class FileSwap implements AutoCloseable {
    private static final String SCRIPT = """
            chdir "/workspace"; my $f = shift; my $d = ".git/swap";
            while (1) { for my $k (qw(pipe link file)) { link("$d/$k", "$d/next"); rename("$d/next", $f); } }
            """;

    private final TestContainer container;
    private final Path file;
    private final Path parts;

    /**
     * Begins.
     *
     * @param container has the workspace, and does nothing else
     * @param workspace has a directory {@code .git}, in which the parts are kept
     * @param name of a regular file in it
     * @param canary where the link leads to
     */
    public FileSwap(TestContainer container, Path workspace, String name, Path canary) throws IOException {
        this.container = container;
        file = workspace.resolve(name);
        parts = Files.createDirectory(workspace.resolve(".git/swap"));
        Files.copy(file, parts.resolve("file"));
        Files.createSymbolicLink(parts.resolve("link"), canary);
        container.sh("mkfifo /workspace/.git/swap/pipe");
        container.cli("exec", "--detach", container.name(), "perl", "-e", SCRIPT, name);
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!Files.isSymbolicLink(file)) {
            assertThat(System.nanoTime()).as("it has begun").isLessThan(end);
            LockSupport.parkNanos(1000);
        }
    }

    @Override
    public void close() throws IOException {
        // All but the shell that it began with, and this one.
        container.sh("kill -9 -1; while grep -qs perl /proc/[0-9]*/comm; do sleep 0.1; done");
        if (!Files.exists(parts)) {
            // A story that was merged has emptied its workspace.
            return;
        }
        Files.move(parts.resolve("file"), file, StandardCopyOption.REPLACE_EXISTING);
        for (String part : new String[] {"pipe", "link", "next", "file"}) {
            Files.deleteIfExists(parts.resolve(part));
        }
        Files.delete(parts);
    }

    /** A container for this. */
    public static TestContainer container(Path workspace) {
        return new TestContainer("docker", TestContainer.DEBIAN, "--volume", workspace + ":/workspace");
    }

    /** Whether a thread of this machine still waits for a file to open. */
    public static boolean isWaitedFor() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith("maestro-open"));
    }
}
