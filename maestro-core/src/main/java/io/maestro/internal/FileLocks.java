package io.maestro.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Exclusive locks on files: against other processes by the operating system, which gives them back when this one ends, and against
 * everybody in this JVM, also where Maestro was loaded by several class loaders. The one place that locks files.
 *
 * <p>On POSIX systems a process that closes any channel of a file loses all its locks on it. So a file that is locked in this JVM
 * must not even be opened again. Which ones are, is said by system properties, the only thing that class loaders share.
 */
public final class FileLocks {
    private static final String HELD = "io.maestro.lock.";

    /** Channels that must not be closed: somebody in this JVM has a lock on their file. */
    private static final List<FileChannel> LEFT_OPEN = Collections.synchronizedList(new ArrayList<>());

    private FileLocks() {}

    /** A lock that is held. */
    public static final class Held implements AutoCloseable {
        private static final List<Held> REFERRED_TO = Collections.synchronizedList(new ArrayList<>());

        private final String property;
        private final FileChannel channel;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Held(String property, FileChannel channel) {
            this.property = property;
            this.channel = channel;
            // Else the garbage collector would close it while work goes on to which nobody refers.
            REFERRED_TO.add(this);
        }

        /** The file, open for reading and writing; not to be closed. */
        public FileChannel channel() {
            return channel;
        }

        /** Gives the lock back. A second call does nothing. */
        @Override
        public void close() throws IOException {
            if (closed.compareAndSet(false, true)) {
                try {
                    channel.close();
                } finally {
                    REFERRED_TO.remove(this);
                    System.getProperties().remove(property);
                }
            }
        }
    }

    /**
     * What a file says that another process has locked.
     *
     * @param file its real path
     * @return empty when it is locked in this JVM, by whatever class loader's Maestro
     */
    public static Optional<String> textOf(Path file) throws IOException {
        String property = property(file);
        if (System.getProperties().putIfAbsent(property, "read") != null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.readString(file));
        } finally {
            System.getProperties().remove(property);
        }
    }

    /**
     * Takes the lock if nobody has it.
     *
     * @param file its real path; made when it is not there
     * @return empty when somebody of this JVM or another process has it
     */
    public static Optional<Held> tryLock(Path file) throws IOException {
        String property = property(file);
        if (System.getProperties().putIfAbsent(property, "held") != null) {
            return Optional.empty();
        }
        Optional<Held> held = Optional.empty();
        try {
            held = open(file, property);
            return held;
        } finally {
            if (held.isEmpty()) {
                System.getProperties().remove(property);
            }
        }
    }

    private static Optional<Held> open(Path file, String property) throws IOException {
        // Closed to others: who may read a file may lock it.
        FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PrivateFiles.fileMode(file));
        boolean keep = false;
        try {
            keep = channel.tryLock() != null;
            return keep ? Optional.of(new Held(property, channel)) : Optional.empty();
        } catch (OverlappingFileLockException e) {
            // The host has replaced the system properties.
            keep = true;
            LEFT_OPEN.add(channel);
            return Optional.empty();
        } finally {
            if (!keep) {
                channel.close();
            }
        }
    }

    private static String property(Path file) {
        return HELD + file;
    }
}
