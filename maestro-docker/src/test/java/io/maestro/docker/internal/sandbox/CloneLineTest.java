package io.maestro.docker.internal.sandbox;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.TestRepository;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The line by which strangers' repositories are cloned; here on this machine. */
class CloneLineTest {
    @TempDir
    Path directory;

    private ExecResult clone(Path repository, Path to, int kibibytes) {
        return LocalExecutor.builder(directory)
                .build()
                .run(ExecRequest.command(
                                "sh",
                                "-c",
                                TriedRepository.CLONE_LINE,
                                "sh",
                                "file://" + repository,
                                to.toString(),
                                String.valueOf(kibibytes))
                        .build());
    }

    @Test
    @Full("clones by size; ContainerFilesTest has the limit of what is copied")
    void whatIsTooLargeIsNotLeft() throws IOException {
        byte[] noise = new byte[3 << 20];
        new Random(7).nextBytes(noise);
        TestRepository large = TestRepository.create(
                directory, Map.of("README.md", "a".repeat(10), "noise", new String(noise, "ISO-8859-1")));
        Path to = directory.resolve("to");
        ExecResult refused = clone(Path.of(large.url()), to, 1024);
        assertThat(refused.succeeded()).as("%s", refused).isFalse();
        assertThat(refused.stderr().text()).contains("more than 1024 KiB");
        assertThat(to).doesNotExist();
        assertThat(clone(Path.of(large.url()), to, 100_000).succeeded()).isTrue();
        assertThat(Files.size(to.resolve("noise"))).isGreaterThan(3 << 20);
        ExecResult there = clone(Path.of(large.url()), to, 1024);
        assertThat(there.exitCode()).hasValue(128);
        assertThat(there.stderr().text()).contains("is there already");
        assertThat(to.resolve("noise")).exists();
        ExecResult missing = clone(directory.resolve("nowhere"), directory.resolve("no"), 1024);
        assertThat(missing.exitCode()).hasValue(128);
        assertThat(missing.stderr().text()).contains("nowhere");
    }
}
