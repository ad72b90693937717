package io.maestro.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Exclusive locks on files: against other processes by the operating system, which gives them back when this one ends, and against
 * everybody in this JVM, also where Maestro was loaded by several class loaders. The one place that locks files.
 *
 * <p>On POSIX systems a process that closes any channel of a file loses all its locks on it. So a file that is locked in this JVM
 * must not even be opened again. Which ones are, is said by system properties, the only thing that class loaders share.
 *
 * <p>Somebody may remove a file that is locked, and a lock on the new one in its place would be another lock. So a file
 * {@code <name>.owner} beside it says which process holds it, and while that process lives nobody else does.
 */
public final class FileLocks {
    private static final String HELD = "io.maestro.lock.";

    /** Channels that must not be closed: somebody in this JVM has a lock on their file. */
    private static final List<FileChannel> LEFT_OPEN = Collections.synchronizedList(new ArrayList<>());

    private FileLocks() {}

    /** A lock that is held. */
    public static final class Held implements AutoCloseable {
        private static final List<Held> REFERRED_TO = Collections.synchronizedList(new ArrayList<>());

        private final Path file;
        private final String property;
        private final FileChannel channel;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Held(Path file, String property, FileChannel channel) {
            this.file = file;
            this.property = property;
            this.channel = channel;
            // Else the garbage collector would close it while work goes on to which nobody refers.
            REFERRED_TO.add(this);
        }

        /** Gives the lock back. A second call does nothing. */
        @Override
        public void close() throws IOException {
            if (closed.compareAndSet(false, true)) {
                try (channel) {
                    LockOwner.delete(file);
                } finally {
                    REFERRED_TO.remove(this);
                    System.getProperties().remove(property);
                }
            }
        }
    }

    /**
     * Who holds a lock.
     *
     * @param file as for {@link #tryLock}
     * @return the id of a process, which may be this one; empty when nobody does, or it is not known
     */
    public static OptionalLong owner(Path file) throws IOException {
        return LockOwner.read(file).map(owner -> OptionalLong.of(owner.pid())).orElseGet(OptionalLong::empty);
    }

    /**
     * The process that holds a lock.
     *
     * @param started when it began, in milliseconds since 1970; another process may have the same id later
     */
    private record LockOwner(long pid, long started) {
        /** A machine that was asleep may see the start of a process by so much earlier or later than before. */
        private static final long INACCURACY = 2_000;

        private static final Pattern TEXT = Pattern.compile("(\\d{1,18}) (\\d{1,18})\\n");
        private static final int MOST = 64;

        static final LockOwner SELF = new LockOwner(
                ProcessHandle.current().pid(),
                started(ProcessHandle.current().info()).orElse(0));

        private static OptionalLong started(ProcessHandle.Info info) {
            return info.startInstant()
                    .map(start -> OptionalLong.of(start.toEpochMilli()))
                    .orElseGet(OptionalLong::empty);
        }

        private static Path fileOf(Path locked) {
            return locked.resolveSibling(locked.getFileName() + ".owner");
        }

        /** Empty when there is none, or what is there says nothing. */
        static Optional<LockOwner> read(Path locked) throws IOException {
            Path file = fileOf(locked);
            try {
                if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > MOST) {
                    return Optional.empty();
                }
                Matcher text = TEXT.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
                return text.matches()
                        ? Optional.of(new LockOwner(Long.parseLong(text.group(1)), Long.parseLong(text.group(2))))
                        : Optional.empty();
            } catch (NoSuchFileException e) {
                // It is being given back.
                return Optional.empty();
            }
        }

        void write(Path locked) throws IOException {
            Path file = fileOf(locked);
            PrivateFiles.makeFile(file);
            Files.writeString(file, pid + " " + started + "\n");
        }

        static void delete(Path locked) throws IOException {
            Files.deleteIfExists(fileOf(locked));
        }

        /** One that has ended, and whose parent has not noticed yet, has no command any more. */
        boolean livesElsewhere() {
            return pid != SELF.pid
                    && ProcessHandle.of(pid)
                            .map(ProcessHandle::info)
                            .filter(info -> info.command().isPresent())
                            .filter(info -> Math.abs(started(info).orElse(0) - started) <= INACCURACY)
                            .isPresent();
        }
    }

    /**
     * Takes the lock if nobody has it.
     *
     * @param file its real path; made when it is not there
     * @return empty when somebody of this JVM or another process has it, also when he has it on a file that was removed since
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
            if (channel.tryLock() == null
                    || LockOwner.read(file).filter(LockOwner::livesElsewhere).isPresent()) {
                return Optional.empty();
            }
            LockOwner.SELF.write(file);
            keep = true;
            return Optional.of(new Held(file, property, channel));
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
