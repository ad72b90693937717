package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A small disk of its own, where the machine lets us mount one; the test is skipped elsewhere. */
public final class Tmpfs implements AutoCloseable {
    private final Path path;

    private Tmpfs(Path path) {
        this.path = path;
    }

    /** Mounts it below a directory; skips the test where that is not permitted. */
    public static Tmpfs mount(Path parent, String size) throws Exception {
        Path path = Files.createDirectory(parent.resolve("disk"));
        boolean mounted = false;
        try {
            mounted = run("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", path.toString());
        } catch (IOException e) {
            assertThat(e).as("there is no mount command").hasMessageContaining("mount");
        }
        assumeTrue(mounted, "no permission to mount a tmpfs");
        return new Tmpfs(path);
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    /** Where it is mounted. */
    public Path path() {
        return path;
    }

    /** Uses up the space and names the file that does. */
    public Path fill() throws IOException {
        Path ballast = path.resolve("ballast");
        try (OutputStream out = Files.newOutputStream(ballast)) {
            while (true) {
                out.write(new byte[1024]);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("space");
        }
        return ballast;
    }

    /** Makes it read-only. */
    public void readOnly() throws Exception {
        assertThat(run("mount", "-o", "remount,ro", path.toString())).isTrue();
    }

    @Override
    public void close() throws Exception {
        assertThat(run("umount", path.toString()))
                .as("nothing holds a file open")
                .isTrue();
    }
}
