package io.maestro.files.internal;

import io.maestro.internal.RawName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The one spelling of a path on which policies decide and which files are opened by. Two texts that open the same file have the
 * same canonical form, or all but one are refused: links by {@link SafeDirectory}, other cases by {@link #storedName}.
 */
public final class CanonicalPath {
    /** Whether the disks of this system usually ignore case: those of macOS and Windows do. */
    public static final boolean IGNORES_CASE =
            System.getProperty("os.name", "").toLowerCase(Locale.ROOT).matches("(mac|win).*");

    private CanonicalPath() {}

    /**
     * The canonical form of a path: without {@code .}, {@code //} and a slash at the end, with {@code ..} at the beginning only,
     * and with {@code ?} in place of a surrogate without its pair, as in the file's name.
     *
     * @param path relative or absolute, with {@code /}; a blank one stays as it is
     * @return {@code .} for the directory where relative paths start
     */
    public static String of(String path) {
        if (path.isBlank()) {
            return path;
        }
        String text = new String(path.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        boolean absolute = text.startsWith("/");
        Deque<String> names = new ArrayDeque<>();
        for (String name : text.split("/", -1)) {
            if (!name.equals("..")) {
                if (!name.isEmpty() && !name.equals(".")) {
                    names.addLast(name);
                }
            } else if (!names.isEmpty() && !names.getLast().equals("..")) {
                names.removeLast();
            } else if (!absolute) {
                names.addLast(name);
            }
        }
        String joined = String.join("/", names);
        return absolute ? "/" + joined : joined.isEmpty() ? "." : joined;
    }

    /** The entries of a directory, as the disk finds them by name. */
    public interface Directory {
        /** Which file a name opens; empty when it opens none, or the system does not tell. */
        Optional<Object> file(String name) throws IOException;

        /** The names as they are stored. */
        List<String> names() throws IOException;
    }

    /**
     * Looks whether a disk that ignores case, or forms of Unicode, opens an entry by a name that is not the entry's own.
     *
     * @param name a raw name
     * @return the raw name of the entry; empty when it is this one, or there is no such entry
     */
    public static Optional<String> storedName(Directory directory, String name) throws IOException {
        Optional<Object> file = directory.file(name);
        if (file.isEmpty() || !isFoundOtherwise(directory, name, file.get())) {
            return Optional.empty();
        }
        List<String> names = directory.names();
        if (names.contains(name)) {
            return Optional.empty();
        }
        for (String other : names) {
            if (directory.file(other).equals(file)) {
                return Optional.of(other);
            }
        }
        return Optional.empty();
    }

    private static boolean isFoundOtherwise(Directory directory, String raw, Object file) throws IOException {
        String name = RawName.text(raw);
        String upper = name.toUpperCase(Locale.ROOT);
        for (String other : Arrays.asList(
                upper.equals(name) ? name.toLowerCase(Locale.ROOT) : upper,
                Normalizer.normalize(name, Normalizer.Form.NFC),
                Normalizer.normalize(name, Normalizer.Form.NFD))) {
            if (!other.equals(name)
                    && directory
                            .file(RawName.ofText(other))
                            .filter(file::equals)
                            .isPresent()) {
                return true;
            }
        }
        return false;
    }
}
