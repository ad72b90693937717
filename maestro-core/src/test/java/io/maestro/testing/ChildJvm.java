package io.maestro.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** JVMs with the class path of the tests, for what is tried on a process of its own: kills, exits, locks. They start fast. */
public final class ChildJvm {
    private ChildJvm() {}

    /**
     * A command line.
     *
     * @param main a class with a main method
     * @param arguments what it is called with
     */
    public static List<String> command(Class<?> main, String... arguments) {
        return command(List.of(), main, arguments);
    }

    /** Its process, not started yet. */
    public static ProcessBuilder of(Class<?> main, String... arguments) {
        return new ProcessBuilder(command(main, arguments));
    }

    /**
     * Its process, not started yet, with a directory for what it leaves behind when it is killed, such as SQLite's library.
     *
     * @param temporary made when it is not there
     */
    public static ProcessBuilder of(Path temporary, Class<?> main, String... arguments) throws IOException {
        return new ProcessBuilder(
                command(List.of("-Djava.io.tmpdir=" + Files.createDirectories(temporary)), main, arguments));
    }

    /**
     * A command line with further options of the JVM.
     *
     * @param options for example {@code -Duser.language=fa}; another class path takes the place of the tests'
     * @param main a class with a main method
     * @param arguments what it is called with
     */
    public static List<String> command(List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(options);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return command;
    }
}
