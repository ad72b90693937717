package io.maestro.docker.testing;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An image with git and tar, on the engine that {@code docker} reaches. It stays there for the next run, as its base does. */
public final class GitImage {
    /** Its name. */
    public static final String NAME = "maestro-test/git:latest";

    private static final String DOCKERFILE = """
            FROM maestro-test/debian:latest
            LABEL io.maestro.test=true
            RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends git && rm -rf /var/lib/apt/lists/*
            """;

    private GitImage() {}

    /** Builds it when it is not there. */
    public static void require() throws Exception {
        if (run(List.of("docker", "image", "inspect", NAME), "") != 0
                && run(List.of("docker", "build", "--quiet", "--tag", NAME, "-"), DOCKERFILE) != 0) {
            throw new IllegalStateException("cannot build " + NAME);
        }
    }

    private static int run(List<String> command, String input) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (var out = process.getOutputStream()) {
            out.write(input.getBytes(StandardCharsets.UTF_8));
        }
        if (!process.waitFor(10, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new IllegalStateException(command + " does not end");
        }
        return process.exitValue();
    }
}
