package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.MaestroException;
import io.maestro.testing.Await;
import io.maestro.testing.ChildJvm;
import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProjectLockTest {
    @TempDir
    Path directory;

    /** Another process: says whether it got the lock, and holds it until it is killed or its input ends. */
    static final class OtherProcess {
        public static void main(String[] arguments) throws Exception {
            try (ProjectLock lock = ProjectLock.acquire(Path.of(arguments[0]))) {
                System.out.println("held");
                System.in.read();
            } catch (MaestroException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    private Process other() throws Exception {
        return ChildJvm.of(OtherProcess.class, directory.toString())
                .redirectErrorStream(true)
                .start();
    }

    private static String inUseBy(String owner, Path directory) {
        return "another Maestro (" + owner + ") uses the project directory " + directory
                + "; close it first, or give this one a directory of its own";
    }

    @Test
    void anotherProcessThatHoldsItIsNamedAndItsDeathFreesTheDirectory() throws Exception {
        Process other = other();
        try {
            assertThat(new String(other.getInputStream().readNBytes(4), StandardCharsets.UTF_8))
                    .isEqualTo("held");
            assertThatThrownBy(() -> ProjectLock.acquire(directory))
                    .isInstanceOf(MaestroException.class)
                    .hasMessage(inUseBy("process " + other.pid(), directory));
        } finally {
            other.destroyForcibly().waitFor();
        }
        assertThat(directory.resolve(".maestro/lock.owner")).content().startsWith(other.pid() + " ");
        try (ProjectLock lock = ProjectLock.acquire(directory)) {
            assertThat(directory.resolve(".maestro/lock")).exists();
        }
        assertThat(directory.resolve(".maestro/lock.owner")).doesNotExist();
    }

    /** A clean-up script, say. Its parent has not noticed that the process has ended, as in a container without an init. */
    @Test
    void aRemovedFileLetsNobodyInWhileItsHolderLives() throws Exception {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "exec 3<&0; \"$@\" <&3 & exec sleep 300", "sh"));
        command.addAll(ChildJvm.command(OtherProcess.class, directory.toString()));
        Process parent = new ProcessBuilder(command).redirectErrorStream(true).start();
        ProcessHandle other = null;
        try {
            assertThat(new String(parent.getInputStream().readNBytes(4), StandardCharsets.UTF_8))
                    .isEqualTo("held");
            other = parent.children().findFirst().orElseThrow();
            for (int again = 0; again < 2; again++) {
                Files.delete(directory.resolve(".maestro/lock"));
                assertThatThrownBy(() -> ProjectLock.acquire(directory))
                        .isInstanceOf(MaestroException.class)
                        .hasMessage(inUseBy(
                                "process "
                                        + parent.children()
                                                .findFirst()
                                                .orElseThrow()
                                                .pid(),
                                directory));
            }
            other.destroyForcibly();
            Await.until("its death frees the directory", () -> {
                try (ProjectLock lock = ProjectLock.acquire(directory)) {
                    return true;
                } catch (MaestroException e) {
                    return false;
                }
            });
        } finally {
            if (other != null) {
                other.destroyForcibly();
            }
            parent.destroyForcibly().waitFor();
        }
    }

    /** On POSIX, closing any channel of the file drops every lock that the process has on it. */
    @Test
    void aSecondOneOfThisProcessDoesNotFreeItForOthers() throws Exception {
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
        try (ProjectLock lock = ProjectLock.acquire(directory)) {
            for (Path path : new Path[] {directory, link, directory.resolve("x/..")}) {
                assertThatThrownBy(() -> ProjectLock.acquire(path.normalize()))
                        .isInstanceOf(MaestroException.class)
                        .hasMessage(inUseBy("in this JVM", path.normalize()));
            }
            Process other = other();
            try {
                other.getOutputStream().close();
                assertThat(new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip())
                        .isEqualTo(inUseBy("process " + ProcessHandle.current().pid(), directory));
            } finally {
                other.destroyForcibly().waitFor();
            }
        }
    }

    /** As two plug-ins of one build tool, or two web applications, load Maestro. */
    @Test
    void aSecondClassLoaderDoesNotFreeItForOthers() throws Exception {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            classPath.add(Path.of(entry).toUri().toURL());
        }
        try (ProjectLock lock = ProjectLock.acquire(directory);
                URLClassLoader second =
                        new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Class<?> type = second.loadClass(ProjectLock.class.getName());
            assertThat(type).isNotEqualTo(ProjectLock.class);
            Method acquire = type.getDeclaredMethod("acquire", Path.class);
            acquire.setAccessible(true);
            assertThatThrownBy(() -> acquire.invoke(null, directory))
                    .rootCause()
                    .hasMessage(inUseBy("in this JVM", directory));
            Process other = other();
            try {
                other.getOutputStream().close();
                assertThat(new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip())
                        .isEqualTo(inUseBy("process " + ProcessHandle.current().pid(), directory));
            } finally {
                other.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void itIsGivenBackOnce() {
        ProjectLock first = ProjectLock.acquire(directory);
        first.close();
        ProjectLock second = ProjectLock.acquire(directory);
        first.close();
        assertThatThrownBy(() -> ProjectLock.acquire(directory)).isInstanceOf(MaestroException.class);
        second.close();
        ProjectLock.acquire(directory).close();
    }

    @Test
    void whatADeadProcessHasLeftIsNoObstacle() throws Exception {
        Files.createDirectories(directory.resolve(".maestro"));
        Files.writeString(directory.resolve(".maestro/lock"), "");
        Path owner = directory.resolve(".maestro/lock.owner");
        long parent = ProcessHandle.current().parent().orElseThrow().pid();
        for (String left : List.of("4194303999 1\n", parent + " 1\n", "longer than a number\n", "1".repeat(1000), "")) {
            Files.writeString(owner, left);
            try (ProjectLock lock = ProjectLock.acquire(directory)) {
                assertThat(owner)
                        .content()
                        .startsWith(ProcessHandle.current().pid() + " ")
                        .hasSizeLessThan(64);
            }
        }
    }

    @Test
    void aDirectoryThatCannotBeUsedIsNamed() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "");
        Path project = Files.createDirectories(directory.resolve("project"));
        Files.writeString(project.resolve(".maestro"), "");
        Path locked = Files.createDirectories(directory.resolve("locked"));
        Files.createDirectories(locked.resolve(".maestro/lock"));
        for (Path path : new Path[] {file, file.resolve("below"), project, locked}) {
            for (int again = 0; again < 2; again++) {
                assertThatThrownBy(() -> ProjectLock.acquire(path))
                        .isInstanceOf(MaestroException.class)
                        .hasMessageStartingWith("the project directory " + path + " cannot be used: ")
                        .hasMessageEndingWith("it must be a directory that can be written");
            }
        }
    }
}
