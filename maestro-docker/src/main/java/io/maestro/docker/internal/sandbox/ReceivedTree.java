package io.maestro.docker.internal.sandbox;

import io.maestro.docker.DockerException;
import io.maestro.docker.internal.sandbox.TarReader.Entry;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks what a container that is not trusted sends, in an empty directory. The rules:
 *
 * <ul>
 *   <li>Every name lies below that of the first entry, which is a file or a directory; others, absolute ones and those with
 *       {@code ..} end the copy. The first entry is called {@link #CONTENT} here, whatever its name was.
 *   <li>Nothing is written over something that is there, and nothing through a link: each directory is opened from the one above it.
 *   <li>A symbolic link is made when its target is relative, has {@code ..} at its beginning only, and these lead no higher than the
 *       first entry: no such link, nor a chain of them, leads out. Others are left out, and so are devices and pipes.
 *   <li>A hard link becomes a copy of a file that came before it.
 *   <li>Permissions are kept, without those to run as another user or group; the owner can always read and write.
 *   <li>More bytes, entries or levels than the limits end the copy.
 * </ul>
 *
 * For one thread at a time; whoever began it removes what is there when it fails.
 */
final class ReceivedTree {
    /** The name of the first entry. */
    static final String CONTENT = "content";

    private static final int LONGEST_NAME = 255;

    /** Enough to see what it is about. */
    private static final int MOST_NAMED = 100;

    private final Path path;
    private final SafeDirectory root;
    private final CopyLimits limits;
    private final List<String> leftOut = new ArrayList<>();

    /** The directories in which the last entry lay, from the top, with their names. */
    private final List<Level> open = new ArrayList<>();

    private @Nullable String top;
    private boolean directory;
    private long bytes;
    private int entries;

    private record Level(String name, SafeDirectory directory) {}

    /**
     * Nothing is written yet.
     *
     * @param path the directory's path
     * @param root the same, open
     */
    ReceivedTree(Path path, SafeDirectory root, CopyLimits limits) {
        this.path = path;
        this.root = root;
        this.limits = limits;
    }

    /** Whether a directory was received, and not a file. */
    boolean isDirectory() {
        return directory;
    }

    /** What was left out, at most 100 of it, as paths that begin with the name of the first entry. */
    List<String> leftOut() {
        return List.copyOf(leftOut);
    }

    /**
     * Unpacks an archive to its end.
     *
     * @throws DockerException when it breaks the rules
     * @throws IOException when it cannot be read, or something cannot be written
     */
    void receive(InputStream in) throws IOException {
        TarReader tar = new TarReader(in);
        try {
            for (Entry entry = tar.next(); entry != null; entry = tar.next()) {
                if (++entries > limits.entries()) {
                    throw tooMuch(limits.entries() + " entries");
                }
                add(tar, entry);
            }
        } finally {
            close(0);
        }
        if (top == null) {
            throw new IOException("the archive is empty");
        }
    }

    private void add(TarReader tar, Entry entry) throws IOException {
        List<String> names = names(entry.name());
        if (top == null) {
            begin(entry, names);
        }
        SafeDirectory in = enter(names);
        String name = names.size() == 1 ? CONTENT : names.get(names.size() - 1);
        switch (entry.type()) {
            case FILE -> {
                count(entry.size());
                file(in, name, names, entry.mode(), tar::copyTo);
            }
            case HARD_LINK -> copy(in, name, names, entry);
            case DIRECTORY -> directory(in, name, names, entry.mode());
            case LINK -> {
                if (staysInside(names.size() - 2, entry.target())) {
                    link(in, name, names, entry.target());
                } else {
                    leaveOut(names);
                }
            }
            case SPECIAL -> leaveOut(names);
        }
    }

    private void begin(Entry entry, List<String> names) {
        if (names.size() != 1) {
            throw refused(entry.name(), "is no single name at the beginning of the archive");
        }
        if (entry.type() != TarReader.Type.FILE && entry.type() != TarReader.Type.DIRECTORY) {
            throw refused(
                    entry.name(),
                    entry.type() == TarReader.Type.LINK
                            ? "is a symbolic link, which is not followed; name what it leads to"
                            : "is neither a file nor a directory");
        }
        top = names.get(0);
        directory = entry.type() == TarReader.Type.DIRECTORY;
    }

    /** The parts of a path in the archive. */
    private List<String> names(String raw) {
        String relative = raw.startsWith("./") ? raw.substring(2) : raw;
        String trimmed = relative.endsWith("/") ? relative.substring(0, relative.length() - 1) : relative;
        List<String> names = Arrays.asList(trimmed.split("/", -1));
        if (names.size() > CopyLimits.DEPTH) {
            throw tooMuch(CopyLimits.DEPTH + " directories in each other");
        }
        for (String name : names) {
            if (name.isEmpty()
                    || name.equals(".")
                    || name.equals("..")
                    || name.length() > LONGEST_NAME
                    || name.indexOf('\0') >= 0) {
                throw refused(raw, "is no path that stays inside");
            }
        }
        if (top != null && !names.get(0).equals(top)) {
            throw refused(raw, "is not below '" + RawName.shown(top) + "'");
        }
        return names;
    }

    /** Opens the directory in which an entry lies. */
    private SafeDirectory enter(List<String> names) throws IOException {
        int depth = names.size() - 1;
        int same = 0;
        while (same < Math.min(depth, open.size()) && open.get(same).name().equals(names.get(same))) {
            same++;
        }
        close(same);
        for (int level = same; level < depth; level++) {
            SafeDirectory above = level == 0 ? root : open.get(level - 1).directory();
            String name = level == 0 ? CONTENT : names.get(level);
            try {
                open.add(new Level(names.get(level), above.directory(name)));
            } catch (NoSuchFileException | NotDirectoryException e) {
                throw refused(String.join("/", names), "is in no directory of the archive");
            }
        }
        return depth == 0 ? root : open.get(depth - 1).directory();
    }

    private void close(int keep) throws IOException {
        while (open.size() > keep) {
            open.remove(open.size() - 1).directory().close();
        }
    }

    @FunctionalInterface
    private interface EntryContent {
        void copyTo(OutputStream out) throws IOException;
    }

    private void file(SafeDirectory in, String name, List<String> names, int mode, EntryContent content)
            throws IOException {
        requireFree(in, name, names);
        String made = fresh();
        // Java gives permissions only along a path; one that leads elsewhere by now holds an empty file more.
        Path along = path.resolve(made);
        Files.createFile(along, Permissions.attributes(path, mode | Permissions.OF_FILE));
        try (OutputStream out = root.write(made)) {
            content.copyTo(out);
        }
        in.adopt(root, made, name);
    }

    private void copy(SafeDirectory in, String name, List<String> names, Entry entry) throws IOException {
        List<String> from = names(entry.target());
        List<SafeDirectory> way = new ArrayList<>();
        try {
            SafeDirectory at = root;
            String step = CONTENT;
            for (String next : from.subList(1, from.size())) {
                at = at.directory(step);
                way.add(at);
                step = next;
            }
            BasicFileAttributes known = at.attributes(step);
            if (known == null || !known.isRegularFile()) {
                throw new NoSuchFileException(entry.target());
            }
            count(known.size());
            try (InputStream content = at.read(step)) {
                file(in, name, names, entry.mode(), content::transferTo);
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            throw refused(
                    String.join("/", names),
                    "is a hard link to '" + RawName.shown(entry.target()) + "', which is no file that came before");
        } finally {
            for (SafeDirectory each : way) {
                each.close();
            }
        }
    }

    private void directory(SafeDirectory in, String name, List<String> names, int mode) throws IOException {
        BasicFileAttributes known = in.attributes(name);
        if (known != null && known.isDirectory()) {
            return;
        }
        requireFree(in, name, names);
        String made = fresh();
        Files.createDirectory(path.resolve(made), Permissions.attributes(path, mode | Permissions.OF_DIRECTORY));
        in.adopt(root, made, name);
    }

    private void link(SafeDirectory in, String name, List<String> names, String target) throws IOException {
        requireFree(in, name, names);
        String made = fresh();
        Files.createSymbolicLink(path.resolve(made), RawName.path(target));
        in.adopt(root, made, name);
    }

    /** @param depth of the directory in which the link is; 0 for the first entry, below it when that is a link itself */
    private static boolean staysInside(int depth, String target) {
        if (target.isEmpty() || target.startsWith("/") || target.indexOf('\0') >= 0 || target.length() > 4095) {
            return false;
        }
        int up = 0;
        boolean down = false;
        for (String step : target.split("/", -1)) {
            if (step.equals("..")) {
                // Behind a name it is not known from where it leads up: that may be a link.
                if (down || ++up > depth) {
                    return false;
                }
            } else if (!step.isEmpty() && !step.equals(".")) {
                down = true;
            }
        }
        return true;
    }

    private static String fresh() {
        return "new-" + UUID.randomUUID();
    }

    private void requireFree(SafeDirectory in, String name, List<String> names) throws IOException {
        if (in.attributes(name) != null) {
            throw refused(String.join("/", names), "is there twice");
        }
    }

    private void leaveOut(List<String> names) {
        if (leftOut.size() < MOST_NAMED) {
            leftOut.add(RawName.shown(String.join("/", names)));
        }
    }

    private void count(long more) {
        if (more > limits.bytes() - bytes) {
            throw tooMuch(limits.bytes() + " bytes");
        }
        bytes += more;
    }

    private static DockerException tooMuch(String limit) {
        return new DockerException(
                "the container sends more than " + limit + ", the most that is copied; name a smaller part", null);
    }

    private static DockerException refused(String raw, String why) {
        String shown = RawName.shown(raw.substring(0, Math.min(300, raw.length())));
        return new DockerException("'" + shown + "', which the container sends, " + why, null);
    }
}
