package io.maestro.docker.internal.exec;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How an engine is asked.
 *
 * @param cli the program and its first arguments, for example {@code docker --context x}
 * @param environment what is added to the program's environment, for example {@code DOCKER_HOST}
 */
public record Engine(List<String> cli, Map<String, String> environment) {
    /** Copies both. */
    public Engine {
        cli = List.copyOf(cli);
        environment = Map.copyOf(environment);
        if (cli.isEmpty()) {
            throw new IllegalArgumentException("cli must name a program, is empty");
        }
    }

    /**
     * Starts the program.
     *
     * @param arguments what follows {@link #cli}
     * @return the process, whose streams are pipes
     * @throws IOException when the system refuses
     */
    Process start(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(cli);
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Without the environment. */
    @Override
    public String toString() {
        return String.join(" ", cli);
    }
}
