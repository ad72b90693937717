package io.maestro.claude.testing;

import io.maestro.exec.ExecRequest;
import io.maestro.exec.local.LocalExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The real CLI on this machine. It is looked for at the system property {@code maestro.claude.program}, then where {@code
 * .ci/claude} installs it: the oldest one that is supported, or with {@code -Dmaestro.claude.release=newest} the newest one.
 */
public final class RealClaude {
    /** The versions that {@code .ci/claude} installs, by the names of their directories. */
    public enum Release {
        /** The oldest that is supported, which the facts were measured on. */
        OLDEST("2.1.197"),
        /** The newest on npm when it was installed. */
        NEWEST("newest");

        private final String directory;

        Release(String directory) {
            this.directory = directory;
        }

        /**
         * The real file; a test that needs it fails where it is not there. Where {@code maestro.claude.program} names one it is
         * that, for each release.
         */
        public Path program() {
            return real(named().orElseGet(() -> cache().resolve(directory).resolve("claude")));
        }
    }

    /** The release that tests run on which name none. */
    public static final Release RELEASE = Release.valueOf(
            System.getProperty("maestro.claude.release", "oldest").toUpperCase(Locale.ROOT));

    /** A key that is none. */
    public static final String KEY = "sk-ant-fake";

    private RealClaude() {}

    /** Where it is. A program that is named by the system property but is not there is an error. */
    public static Optional<Path> find() {
        return named().or(() -> Optional.of(cache().resolve(RELEASE.directory).resolve("claude"))
                .filter(Files::isExecutable));
    }

    private static Optional<Path> named() {
        Optional<Path> named = Optional.of(System.getProperty("maestro.claude.program", ""))
                .filter(Predicate.not(String::isBlank))
                .map(Path::of);
        if (named.isPresent() && !Files.isExecutable(named.get())) {
            throw new IllegalStateException("maestro.claude.program names no program: " + named.get());
        }
        return named;
    }

    /** Whether it is the oldest version that is supported; what newer ones do otherwise was measured on 2.1.330. */
    public static boolean isOldest() {
        return isOldest(program());
    }

    /** The same of another program. */
    public static boolean isOldest(Path program) {
        return LocalExecutor.builder(program.getParent())
                .build()
                .run(ExecRequest.command(List.of(program.toString(), "--version"))
                        .environment("HOME", "/nonexistent")
                        .environment("DISABLE_AUTOUPDATER", "1")
                        .build())
                .stdout()
                .text()
                .startsWith(Release.OLDEST.directory + " ");
    }

    private static Path cache() {
        String cache = Optional.ofNullable(System.getenv("MAESTRO_CI_CACHE"))
                .filter(value -> !value.isBlank())
                .orElse("/var/cache/maestro-ci");
        return Path.of(cache, "claude");
    }

    /** Where it is, with all symbolic links resolved: a file that can be mounted or linked. */
    public static Path program() {
        return real(find().orElseThrow(() -> new IllegalStateException("no CLI here; run .ci/claude")));
    }

    private static Path real(Path found) {
        try {
            return found.toRealPath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * All that the CLI's environment should hold, beside {@code PATH}.
     *
     * @param home an own directory; made if it is not there
     * @param baseUrl where the API is, for example {@link io.maestro.testkit.api.StubApi#baseUrl()}
     */
    public static Map<String, String> environment(Path home, String baseUrl) {
        try {
            Files.createDirectories(home);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, String> variables = environment(baseUrl);
        variables.put("HOME", home.toString());
        return variables;
    }

    /** The same without {@code HOME}, for a container. */
    public static Map<String, String> environment(String baseUrl) {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("ANTHROPIC_BASE_URL", baseUrl);
        variables.put("ANTHROPIC_API_KEY", KEY);
        variables.put("DISABLE_AUTOUPDATER", "1");
        variables.put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        variables.put("DISABLE_TELEMETRY", "1");
        variables.put("DISABLE_ERROR_REPORTING", "1");
        // A test that runs as root is in a sandbox as far as the CLI is concerned.
        variables.put("IS_SANDBOX", "1");
        return variables;
    }

    /**
     * A run of the CLI, for an executor on this machine.
     *
     * @param home an own directory; made if it is not there
     * @param baseUrl where the API is
     * @param arguments what follows the program's name
     */
    public static ExecRequest.Builder request(Path home, String baseUrl, List<String> arguments) {
        ExecRequest.Builder request = ExecRequest.command(
                        Stream.concat(Stream.of(program().toString()), arguments.stream())
                                .toList())
                .timeLimit(Duration.ofMinutes(2));
        environment(home, baseUrl).forEach(request::environment);
        return request;
    }
}
