package io.maestro.docker;

import io.maestro.exec.ExecRequest;
import java.time.Duration;

/** A program that runs a command in a container until somebody kills it: container, "fast" or "slow", shell line. */
final class RunsInContainer {
    private RunsInContainer() {}

    public static void main(String[] arguments) {
        try (DockerExecutor executor = DockerExecutor.builder(arguments[0])
                .fastPath(arguments[1].equals("fast"))
                .build()) {
            executor.run(ExecRequest.shell(arguments[2])
                    .timeLimit(Duration.ofMinutes(2))
                    .build());
        }
    }
}
