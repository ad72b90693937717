package io.maestro.files.internal;

import io.maestro.internal.RawName;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.UUID;
import java.util.regex.Pattern;

/** Writes files so that whoever looks sees what was there before or what is there now, also after a crash or on a full disk. */
public final class WholeFile {
    private static final String PREFIX = ".maestro-new-";
    private static final Pattern UNFINISHED = Pattern.compile(Pattern.quote(PREFIX) + "[0-9a-f-]{36}");

    private WholeFile() {}

    /** A name for what takes another name when it is finished. */
    static String unfinished() {
        return PREFIX + UUID.randomUUID();
    }

    /** Whether a name is that of a file or directory which a process that was killed did not finish. */
    public static boolean isUnfinished(String name) {
        return name.startsWith(PREFIX) && UNFINISHED.matcher(name).matches();
    }

    /**
     * Writes a file. One that is there keeps its permissions, owner and group; where they cannot be kept, or nothing can be made
     * in the directory, it is written in place.
     */
    public static void write(SafeDirectory directory, String name, byte[] content) throws IOException {
        BasicFileAttributes before = directory.attributes(name);
        if (before != null && !before.isRegularFile()) {
            throw new FileSystemException(RawName.shown(name), null, "No regular file");
        }
        String made = unfinished();
        try {
            fill(directory, made, content);
            if (!(before instanceof PosixFileAttributes posix) || takes(directory, made, posix)) {
                directory.adopt(directory, made, name);
                return;
            }
        } catch (AccessDeniedException e) {
            // The file may be ours where the directory is not.
        } finally {
            if (directory.attributes(made) != null) {
                directory.delete(made, false);
            }
        }
        fill(directory, name, content);
    }

    private static void fill(SafeDirectory directory, String name, byte[] content) throws IOException {
        try (OutputStream out = directory.write(name)) {
            out.write(content);
        }
    }

    private static boolean takes(SafeDirectory directory, String made, PosixFileAttributes before) throws IOException {
        PosixFileAttributeView view = directory.view(SafeDirectory.entry(made), PosixFileAttributeView.class);
        if (view == null) {
            return false;
        }
        try {
            PosixFileAttributes now = view.readAttributes();
            if (!now.owner().equals(before.owner())) {
                view.setOwner(before.owner());
            }
            if (!now.group().equals(before.group())) {
                view.setGroup(before.group());
            }
            // After the owner, who loses some of them when he changes.
            view.setPermissions(before.permissions());
            return true;
        } catch (FileSystemException e) {
            return false;
        }
    }
}
