package io.maestro.docker.internal.workspace;

import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.ClientStream;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.internal.RawName;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A workspace's volume and the container beside it, in which git looks after the files: from the safe image, as the owner of
 * the files, without a network and without any capability. The container is made again when it is gone. For one thread at a
 * time.
 */
final class VolumeContainer {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeContainer.class);
    private static final String SYNC = resource("sync.sh");
    private static final String DELETE = resource("delete.sh");
    private static final String ROOT = "/maestro";
    private static final String ROLE = "workspace";
    private static final Duration LIMIT = Duration.ofMinutes(15);
    /** Git does not take a file; the exit code of the script for that. */
    private static final int REFUSED = 3;
    /** Twice what the script prints at most. */
    private static final int LOOK_LIMIT = 16 << 20;

    /** Where the volume is, as a tar that is unpacked at the root has it. */
    static final String PREFIX = "maestro/w/";

    /** Where the names of files are that git has to take as they are, ignored or not. */
    static final String ADDED = "tmp/maestro-sync/added";

    /** Where the names of files are that git has to forget. */
    static final String REMOVED = "tmp/maestro-sync/removed";

    private final Engine engine;
    private final String image;
    private final String agentId;
    private final int uid;
    private final int gid;

    private @Nullable String volume;
    private @Nullable Container helper;
    private @Nullable DockerExecutor shell;

    /** @param user {@code uid:gid} of the workspace's owner in containers, as numbers */
    VolumeContainer(Engine engine, String image, String agentId, String user) {
        if (!user.matches("\\d{1,9}:\\d{1,9}")) {
            throw new IllegalArgumentException("the owner of a volume must be uid:gid in numbers, is '" + user + "'");
        }
        this.engine = engine;
        this.image = image;
        this.agentId = agentId;
        this.uid = Integer.parseInt(user.substring(0, user.indexOf(':')));
        this.gid = Integer.parseInt(user.substring(user.indexOf(':') + 1));
    }

    /** What had to be made. */
    enum Made {
        /** Nothing. */
        NOTHING,
        /** The container: the files are there, but git knows nothing of them. */
        CONTAINER,
        /** The volume: it is empty. */
        VOLUME
    }

    /** Makes what is not there. A volume that somebody has removed is not taken for one in which all files were deleted. */
    Made prepare() throws IOException {
        if (helper != null) {
            return Made.NOTHING;
        }
        Made made = Made.CONTAINER;
        if (volume == null || !engine.hasVolume(volume)) {
            volume = engine.createVolume(agentId, ROLE, Map.of()).name();
            made = Made.VOLUME;
        }
        Container started = engine.start(
                agentId,
                ContainerSpec.builder(image, ROLE)
                        .mount(Mount.volume(volume, ROOT + "/w"))
                        .user(uid + ":" + gid)
                        .limits(ContainerLimits.CODING)
                        .build());
        try {
            if (made == Made.VOLUME) {
                own(started);
            }
            shell = DockerExecutor.builder(engine.cli().host(), started.id())
                    .workingDirectory("/")
                    .channels(1)
                    .build();
            helper = started;
            return made;
        } finally {
            if (helper == null) {
                engine.remove(started);
            }
        }
    }

    /** A new volume's directory is root's. The engine, which may, gives it to its owner. */
    private void own(Container container) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarWriter tar = new TarWriter(bytes, "", uid, gid)) {
            tar.directory("w", 0755, FileTime.fromMillis(System.currentTimeMillis()));
        }
        engine.copyIn(container, ROOT, bytes.toByteArray());
    }

    /** The volume's name, once it was {@linkplain #prepare prepared}. */
    String volume() {
        if (volume == null) {
            throw new IllegalStateException("the volume of " + agentId + " is not made yet");
        }
        return volume;
    }

    /** What the other side has. */
    record Side(String tree, String commit) {}

    /** Takes a tar to the volume, and says what is there then. */
    Side push(Side known, ClientStream.Source tar) {
        return sync("push", known, tar, in -> side(in));
    }

    /** Reads what was changed. */
    interface Receiver {
        /** Takes a bundle. */
        void receive(Side theirs, InputStream bundle) throws IOException;
    }

    /** Says what is there; when that is another tree than the known one, it is received. */
    Side pull(Side known, Receiver receiver) throws IOException {
        InputStream looked = look(known);
        Side theirs = side(looked);
        if (theirs.tree().equals(known.tree())) {
            return theirs;
        }
        if (looked.available() == 0) {
            return stream(known, receiver);
        }
        boolean received = false;
        try {
            receiver.receive(theirs, looked);
            received = true;
            return theirs;
        } finally {
            if (!received) {
                // Git there takes for known what was refused here; a new one does not.
                dropHelper();
            }
        }
    }

    /** The quick way, for all that is not large. */
    private InputStream look(Side known) throws IOException {
        DockerExecutor quick = shell;
        if (quick == null) {
            throw new IllegalStateException("nothing is prepared for " + agentId);
        }
        boolean usable = false;
        try {
            ExecResult result = quick.run(ExecRequest.command(command("look", known))
                    .timeLimit(LIMIT)
                    .outputLimit(LOOK_LIMIT)
                    .build());
            // Then it says so itself, and has left nothing half done.
            usable = result.exitCode().orElse(-1) == 0 || result.exitCode().orElse(-1) == REFUSED;
            if (!result.succeeded() || result.stdout().omittedBytes() > 0) {
                throw new IOException("looking for changes in the volume " + volume + " ended ("
                        + result.ending() + SyncedExecutor.exit(result.exitCode()) + "): "
                        + result.stderr().text().strip());
            }
            return new ByteArrayInputStream(result.stdout().bytes());
        } catch (ExecException e) {
            throw failure("looking for changes in the volume " + volume + " failed: " + e.getMessage(), e);
        } finally {
            if (!usable) {
                dropHelper();
            }
        }
    }

    private Side stream(Side known, Receiver receiver) {
        return sync("pull", known, out -> {}, in -> {
            Side theirs = side(in);
            if (!theirs.tree().equals(known.tree())) {
                receiver.receive(theirs, in);
            }
            return theirs;
        });
    }

    private Side sync(String mode, Side known, ClientStream.Source source, ClientStream.Target<Side> target) {
        return exec(
                (mode.equals("push") ? "taking files to" : "bringing files back from") + " the volume " + volume,
                command(mode, known),
                source,
                target);
    }

    private static List<String> command(String mode, Side known) {
        return List.of("sh", "-c", SYNC, "sh", mode, orDash(known.tree()), orDash(known.commit()));
    }

    private static String orDash(String id) {
        return id.isEmpty() ? "-" : id;
    }

    private static Side side(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n' && line.length() < 200; c = in.read()) {
            line.append((char) c);
        }
        String[] words = line.toString().split(" ", -1);
        if (words.length != 3
                || !words[0].equals("maestro-sync")
                || !words[1].matches("[0-9a-f]{40}")
                || !words[2].matches("[0-9a-f]{40}")) {
            throw new IOException("it answered '" + RawName.shown(line.toString()) + "'");
        }
        return new Side(words[1], words[2]);
    }

    /** Deletes files, and directories that are empty then. */
    void delete(List<String> paths) {
        exec(
                "deleting files in the volume " + volume,
                List.of("sh", "-c", DELETE),
                out -> writeNames(out, paths),
                in -> true);
    }

    /** Raw names, NUL after each. */
    static void writeNames(OutputStream out, List<String> paths) throws IOException {
        for (String path : paths) {
            out.write(RawName.bytes(path));
            out.write(0);
        }
    }

    private <T> T exec(String what, List<String> command, ClientStream.Source source, ClientStream.Target<T> target) {
        Container container = helper;
        if (container == null) {
            throw new IllegalStateException("nothing is prepared for " + agentId);
        }
        List<String> words = new ArrayList<>(List.of("exec", "-i", container.id()));
        words.addAll(command);
        boolean usable = false;
        try {
            T result = ClientStream.run(engine.cli(), what, words, LIMIT, source, target);
            usable = true;
            return result;
        } catch (ClientStream.FailedException e) {
            // It says so itself, and has left nothing half done.
            usable = e.exitCode() == REFUSED;
            throw usable ? e : failure(String.valueOf(e.getMessage()), e);
        } finally {
            if (!usable) {
                dropHelper();
            }
        }
    }

    /** The container has ended, as all do when their engine ends: with a new one it can be done. */
    static final class LostException extends DockerException {
        private static final long serialVersionUID = 1L;

        LostException(String message, MaestroException cause) {
            super(message, cause);
        }
    }

    private MaestroException failure(String message, MaestroException cause) {
        Container container = helper;
        if (container != null && !engine.isRunning(container)) {
            return new LostException(message, cause);
        }
        return cause instanceof DockerException ? cause : new DockerException(message, cause);
    }

    /** What runs in it may be half done and still running. */
    private void dropHelper() {
        Container container = helper;
        helper = null;
        closeShell();
        if (container != null) {
            try {
                engine.remove(container);
            } catch (MaestroException e) {
                LOG.debug("the container {} is left to the sweep", container.name(), e);
            }
        }
    }

    private void closeShell() {
        DockerExecutor quick = shell;
        shell = null;
        if (quick != null) {
            quick.close();
        }
    }

    /** Whether the container beside the volume is there, as far as is known. */
    boolean isPrepared() {
        return helper != null;
    }

    /** Removes both. */
    void close() {
        closeShell();
        Container container = helper;
        if (container != null) {
            engine.remove(container);
            helper = null;
        }
        String name = volume;
        if (name != null) {
            engine.removeVolume(name);
            volume = null;
        }
    }

    /** The failure of what came after a command, with its kind kept. */
    static MaestroException failed(String message, MaestroException cause) {
        return cause instanceof RetriableException
                ? new DockerUnavailableException(message, cause)
                : new DockerException(message, cause);
    }

    private static String resource(String name) {
        try (InputStream in = VolumeContainer.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the jar of maestro-docker has no " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
