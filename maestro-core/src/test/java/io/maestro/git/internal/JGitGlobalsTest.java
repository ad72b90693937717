package io.maestro.git.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.testing.Await;
import io.maestro.testing.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
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

    /** Interrupts itself while JGit waits for git. */
    static final class IsInterrupted {
        public static void main(String[] args) throws Exception {
            Path directory = Path.of(args[0]);
            Thread work = Thread.currentThread();
            Thread interrupts = new Thread(() -> {
                Await.until("git is asked", () -> Files.exists(directory.resolve("asked")));
                work.interrupt();
                try {
                    Files.createFile(directory.resolve("answer"));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            interrupts.start();
            JGitGlobals.prepare(directory);
            new FileRepositoryBuilder()
                    .setGitDir(directory.resolve("mirror.git").toFile())
                    .setBare()
                    .build()
                    .close();
            System.out.println(Thread.interrupted());
            interrupts.join();
        }
    }

    @Test
    void anInterruptThatComesWhileItAsksGitIsNotLost() throws Exception {
        Path bin = Files.createDirectory(directory.resolve("bin"));
        Path git = Files.writeString(bin.resolve("git"), """
                #!/bin/sh
                touch "$ROOM/asked"
                until [ -e "$ROOM/answer" ]; do :; done
                echo git version 2.40.0
                """);
        assertThat(git.toFile().setExecutable(true)).isTrue();
        ProcessBuilder builder =
                ChildJvm.of(IsInterrupted.class, directory.toString()).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("PATH", bin + ":" + System.getenv("PATH"));
        builder.environment().put("ROOM", directory.toString());
        Process jvm = builder.start();
        String said = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(jvm.waitFor()).isZero();
        assertThat(said.strip()).isEqualTo("true");
        assertThat(directory.resolve("asked")).exists();
    }
}
