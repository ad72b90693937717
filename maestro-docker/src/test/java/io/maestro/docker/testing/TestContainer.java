package io.maestro.docker.testing;

import static io.maestro.testing.AssertThat.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** A container that does nothing, removed when it is closed. */
public final class TestContainer implements AutoCloseable {
    /** An image with dash, bash and the GNU tools. */
    public static final String DEBIAN = "maestro-test/debian:latest";

    /** An image with busybox only. */
    public static final String BUSYBOX = "maestro-test/busybox:latest";

    private final String program;
    private final String name = "maestro-test-" + UUID.randomUUID();

    /**
     * Starts it; {@code /workspace} exists. Its first process is a shell, which ends orphans as {@code --init} does, and which
     * no command inside can kill: what that option starts ends with its own child, and the container with it.
     *
     * @param program {@code docker}, {@code podman} or {@code podman-rootless}
     * @param image one of the images for tests
     * @param options further options of {@code run}
     */
    public TestContainer(String program, String image, String... options) {
        this.program = program;
        List<String> words =
                new ArrayList<>(List.of(program, "run", "-d", "--name", name, "--label", "io.maestro.test=true"));
        words.addAll(Arrays.asList(options));
        words.addAll(List.of(
                program.startsWith("podman") ? "localhost/" + image : image,
                "sh",
                "-c",
                "mkdir -p /workspace; trap 'exit 0' TERM; while :; do sleep 86400 & wait; done"));
        call(words);
        call(List.of(program, "exec", name, "sh", "-c", "until test -d /workspace; do :; done"));
    }

    /**
     * Its name.
     *
     * @return a name that no other container has
     */
    public String name() {
        return name;
    }

    /**
     * Runs a command by a plain exec.
     *
     * @param line for its shell
     * @return what it printed on both outputs
     */
    public String sh(String line) {
        return call(List.of(program, "exec", name, "sh", "-c", line));
    }

    /**
     * Asks the engine something.
     *
     * @param arguments of the CLI
     * @return what it printed
     */
    public String cli(String... arguments) {
        List<String> words = new ArrayList<>(List.of(program));
        words.addAll(Arrays.asList(arguments));
        return call(words);
    }

    private static String call(List<String> words) {
        try {
            Process process =
                    new ProcessBuilder(words).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as("%s: %s", words, text).isZero();
            return text;
        } catch (IOException e) {
            throw new AssertionError(words.toString(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        call(List.of(program, "rm", "-f", name));
    }
}
