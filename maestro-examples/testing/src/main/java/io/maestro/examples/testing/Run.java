package io.maestro.examples.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A program that has ended.
 *
 * @param exit its exit code
 * @param out what it wrote to its standard output
 * @param err what it wrote to its standard error
 */
public record Run(int exit, String out, String err) {
    /**
     * Runs a program to its end.
     *
     * @param directory where
     * @param environment further variables; it does not inherit a key
     * @param command program and arguments
     * @return how it ended
     * @throws IOException when it cannot be started
     * @throws InterruptedException when the thread is interrupted
     */
    public static Run of(Path directory, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Path err = Files.createTempFile("err", ".txt");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command).directory(directory.toFile()).redirectError(err.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("ANTHROPIC_"));
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Run(process.waitFor(), out, Files.readString(err));
        } finally {
            Files.delete(err);
        }
    }

    /**
     * Runs a Java program to its end with the JDK of the tests.
     *
     * @param directory where
     * @param environment further variables
     * @param arguments of the JVM and of the program
     * @return how it ended
     * @throws IOException when it cannot be started
     * @throws InterruptedException when the thread is interrupted
     */
    public static Run java(Path directory, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        return java(Path.of(System.getProperty("java.home")), directory, environment, arguments);
    }

    /**
     * Runs a Java program to its end.
     *
     * @param home the JDK
     * @param directory where
     * @param environment further variables
     * @param arguments of the JVM and of the program
     * @return how it ended
     * @throws IOException when it cannot be started
     * @throws InterruptedException when the thread is interrupted
     */
    public static Run java(Path home, Path directory, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        // It ends before a better compiler pays.
        List<String> command = new ArrayList<>(
                List.of(home.resolve("bin/java").toString(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of(arguments));
        return of(directory, environment, command);
    }

    /**
     * All that it said.
     *
     * @return both outputs
     */
    public String output() {
        return out + err;
    }
}
