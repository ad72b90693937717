package io.maestro.project.internal;

import io.maestro.files.internal.FileWalk;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The directories of a workspace that have build files: its root, and two levels below it. */
public final class BuildDirectories {
    private static final int LEVELS = 2;
    private static final int MOST_LOOKED_AT = 20_000;

    /** What tools make or fetch, where no .gitignore says so. */
    private static final Set<String> LEFT_OUT =
            Set.of("node_modules", "target", "build", "dist", "vendor", "venv", "__pycache__");

    private BuildDirectories() {}

    /**
     * Finds them.
     *
     * @return by their path, empty for the root, with their build files
     */
    public static SortedMap<String, List<String>> in(Path workspace) throws IOException {
        SortedMap<String, List<String>> found = new TreeMap<>();
        FileWalk.walk(workspace, MOST_LOOKED_AT, true, new FileWalk.WalkReader() {
            @Override
            public boolean enters(String directory) {
                String path = directory.substring(0, directory.length() - 1);
                String name = path.substring(path.lastIndexOf('/') + 1);
                return path.chars().filter(c -> c == '/').count() < LEVELS
                        && !name.startsWith(".")
                        && !LEFT_OUT.contains(name);
            }

            @Override
            public void file(String path, BasicFileAttributes attributes, SafeDirectory directory, String name) {
                if (attributes.isRegularFile() && BuildFiles.system(name).isPresent()) {
                    String parent = path.substring(0, Math.max(0, path.lastIndexOf('/')));
                    found.computeIfAbsent(RawName.shown(parent), key -> new ArrayList<>())
                            .add(name);
                }
            }
        });
        return found;
    }
}
