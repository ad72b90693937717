package io.maestro.git.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.testing.ChildJvm;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.eclipse.jgit.util.FS;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What JGit does to a JVM, seen in one that nobody else has used it in. */
class JGitGlobalsTest {
    @TempDir
    Path directory;

    static final class AsksJGit {
        public static void main(String[] args) {
            Path directory = Path.of(args[0]);
            JGitGlobals.prepare(directory);
            System.out.println(FS.getFileStoreAttributes(directory).getFsTimestampResolution());
        }
    }

    @Test
    void itMeasuresNoFileSystem() throws Exception {
        Process jvm = ChildJvm.of(AsksJGit.class, directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(jvm.waitFor()).isZero();
        assertThat(said.strip())
                .as("the value that is taken where nothing was measured; no file system here is that coarse")
                .isEqualTo(FS.FileStoreAttributes.FALLBACK_TIMESTAMP_RESOLUTION.toString());
    }
}
