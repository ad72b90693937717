package io.maestro.examples.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tool jar as it is built, on the class path of a JVM that runs nothing but core; and a broken jar beside it. */
class TicketToolIT {
    @TempDir
    Path directory;

    @Test
    void theToolIsFoundOfferedAndCalledAndABrokenJarIsNamed() throws Exception {
        Path origin = repository();
        Path ticketJar = Path.of(System.getProperty("ticket.jar"));
        Path brokenJar = jarThatNamesAMissingClass();

        String output =
                run(List.of(ticketJar, brokenJar), directory.resolve("project").toString(), origin.toString());

        assertThat(output)
                .contains("offered ticket_read", "offered shell", "NO_CHANGE")
                .contains("Greet in the user's language")
                .contains("$.key: is missing but required")
                .containsPattern("problem .*" + brokenJar.getFileName());
    }

    private String run(List<Path> jars, String... arguments) throws IOException, InterruptedException {
        String own = File.separator + "ticket-tool" + File.separator + "target" + File.separator;
        // The tests' class path without this module's own classes: the tool must come from the jar.
        String classPath = Arrays.stream(
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                                .split(File.pathSeparator))
                .filter(entry -> !entry.contains(own) || entry.endsWith("test-classes"))
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath
                        + File.pathSeparator
                        + jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
                Host.class.getName()));
        command.addAll(List.of(arguments));
        return output(command);
    }

    private Path repository() throws IOException, InterruptedException {
        Path work = directory.resolve("work");
        output(List.of("git", "init", "--quiet", "--initial-branch=main", work.toString()));
        Files.writeString(work.resolve("README.md"), "a project\n");
        output(List.of("git", "-C", work.toString(), "add", "--all"));
        output(List.of(
                "git",
                "-C",
                work.toString(),
                "-c",
                "user.name=T",
                "-c",
                "user.email=t@example.org",
                "commit",
                "-qm",
                "one"));
        Path bare = directory.resolve("origin.git");
        output(List.of("git", "clone", "--quiet", "--bare", work.toString(), bare.toString()));
        return bare;
    }

    private Path jarThatNamesAMissingClass() throws IOException {
        Path jar = directory.resolve("broken-tools.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry("META-INF/services/io.maestro.tools.ToolFactory"));
            out.write("org.example.NoSuchTool\n".getBytes(StandardCharsets.UTF_8));
            out.closeEntry();
        }
        return jar;
    }

    private static String output(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
        return output;
    }
}
