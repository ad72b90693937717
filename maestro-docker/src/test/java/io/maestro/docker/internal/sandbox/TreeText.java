package io.maestro.docker.internal.sandbox;

import io.maestro.internal.RawName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Trees of files: random ones, and what one is, to compare it with another. */
final class TreeText {
    private static final String[] NAMES = {
        "plain",
        "with space",
        "it's",
        "say \"x\"",
        "line\nbreak",
        "-rf",
        "$(id)",
        "back\\slash",
        "*",
        "n".repeat(200),
        "t\u00e4\u4e2d",
        "EOF",
        ".hidden",
        ";"
    };

    private TreeText() {}

    /** By raw relative path: the kind, whether the owner may run it, and the content or target. Nothing is followed. */
    static Map<String, String> of(Path root) throws IOException {
        Map<String, String> all = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : paths.toList()) {
                String name = path.equals(root) ? "." : RawName.of(root.relativize(path));
                if (Files.isSymbolicLink(path)) {
                    all.put(name, "link to " + RawName.of(Files.readSymbolicLink(path)));
                } else if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                    all.put(name, "directory");
                } else {
                    boolean runs = Files.getPosixFilePermissions(path).contains(PosixFilePermission.OWNER_EXECUTE);
                    all.put(name, (runs ? "program " : "file ") + RawName.of(Files.readAllBytes(path)));
                }
            }
        }
        return all;
    }

    /** Fills a directory, which is there. All links lead to somewhere in it, or to nothing there. */
    static void fill(Path root, Random random) throws IOException {
        List<Path> directories = new ArrayList<>(List.of(root));
        for (int entry = 0; entry < 60; entry++) {
            Path directory = directories.get(random.nextInt(directories.size()));
            Path path = directory.resolve(RawName.path(name(random)));
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                continue;
            }
            switch (random.nextInt(5)) {
                case 0, 1 -> directories.add(Files.createDirectory(path));
                case 2 -> {
                    String up =
                            "../".repeat(random.nextInt(root.relativize(path).getNameCount()));
                    Files.createSymbolicLink(path, RawName.path(up + name(random)));
                }
                default -> {
                    byte[] content = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(3000)];
                    random.nextBytes(content);
                    Files.write(path, content);
                    if (random.nextBoolean()) {
                        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-x---"));
                    }
                }
            }
        }
    }

    private static String name(Random random) {
        int which = random.nextInt(NAMES.length + 1);
        // The last one is no UTF-8.
        return (which == NAMES.length ? "raw\u00ff" : RawName.ofText(NAMES[which]))
                + (random.nextInt(3) == 0 ? random.nextInt(9) : "");
    }
}
