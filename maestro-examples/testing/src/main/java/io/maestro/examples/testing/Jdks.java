package io.maestro.examples.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The JDKs of this machine. */
public final class Jdks {
    private static final Path ALL = Path.of("/usr/lib/jvm");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private Jdks() {}

    /**
     * The JDK of the build, and the newest one in {@code /usr/lib/jvm} where that is newer.
     *
     * @return one or two directories
     * @throws IOException when they cannot be listed
     */
    public static Stream<Path> ownAndNewest() throws IOException {
        return Stream.concat(Stream.of(Path.of(System.getProperty("java.home"))), newest().stream());
    }

    private static Optional<Path> newest() throws IOException {
        if (!Files.isDirectory(ALL)) {
            return Optional.empty();
        }
        try (Stream<Path> homes = Files.list(ALL)) {
            return homes.filter(home -> Files.isExecutable(home.resolve("bin/javac")))
                    .filter(home -> version(home) > Runtime.version().feature())
                    .max(Comparator.comparingInt(Jdks::version));
        }
    }

    private static int version(Path home) {
        Matcher number = NUMBER.matcher(home.getFileName().toString());
        return number.find() ? Integer.parseInt(number.group()) : 0;
    }
}
