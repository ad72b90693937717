package io.maestro.docker.internal;

import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerException;
import io.maestro.docker.Mount;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.exec.ExecResult;
import io.maestro.files.internal.RawName;
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
final class VolumeBox {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeBox.class);
    private static final String SYNC = resource("workspace-sync.sh");
    private static final String DELETE = resource("workspace-delete.sh");
    private static final String ROOT = "/maestro";
    private static final String ROLE = "workspace";
    private static final Duration LIMIT = Duration.ofMinutes(15);

    /** Where the volume is, as a tar that is unpacked at the root has it. */
    static final String PREFIX = "maestro/w/";

    /** Where the names of files that count even when they are ignored are. */
    static final String ADDED = "tmp/maestro-sync/added";

    private final Engine engine;
    private final String image;
    private final String agentId;
    private final int uid;
    private final int gid;

    private @Nullable String volume;
    private @Nullable Container helper;

    /** @param user {@code uid:gid} of the workspace's owner in containers, as numbers */
    VolumeBox(Engine engine, String image, String agentId, String user) {
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
    Made prepare() {
        if (helper != null) {
            return Made.NOTHING;
        }
        Made made = Made.CONTAINER;
        if (volume == null || !volumeExists(volume)) {
            volume = makeVolume();
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
        } catch (RuntimeException e) {
            engine.remove(started);
            throw e;
        }
        helper = started;
        return made;
    }

    private boolean volumeExists(String name) {
        return engine.inspector().find(Inspector.Kind.VOLUME, name).isPresent();
    }

    private String makeVolume() {
        String name = engine.instance().uniqueName(agentId, ROLE);
        List<String> words = new ArrayList<>(List.of("volume", "create"));
        for (Map.Entry<String, String> label : engine.instance().labels().entrySet()) {
            words.addAll(List.of("--label", label.getKey() + "=" + label.getValue()));
        }
        words.addAll(List.of("--label", Labels.AGENT + "=" + agentId, "--label", Labels.ROLE + "=" + ROLE));
        words.add(name);
        engine.cli().output(words.toArray(String[]::new));
        return name;
    }

    /** A new volume's directory is root's. The engine, which may, gives it to its owner. */
    private void own(Container container) {
        ClientStream.run(
                engine.cli(),
                "preparing the volume " + volume,
                List.of("cp", "-", container.id() + ":" + ROOT),
                LIMIT,
                out -> {
                    try (TarWriter tar = new TarWriter(out, "", uid, gid)) {
                        tar.directory("w", 0755, FileTime.fromMillis(System.currentTimeMillis()));
                    }
                },
                in -> true);
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
    Side pull(Side known, Receiver receiver) {
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
                List.of("sh", "-c", SYNC, "sh", mode, orDash(known.tree()), orDash(known.commit())),
                source,
                target);
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
            usable = e.exitCode() == 3;
            throw e;
        } finally {
            if (!usable) {
                dropHelper();
            }
        }
    }

    /** What runs in it may be half done and still running. */
    private void dropHelper() {
        Container container = helper;
        helper = null;
        if (container != null) {
            try {
                engine.remove(container);
            } catch (MaestroException e) {
                LOG.debug("the container {} is left to the sweep", container.name(), e);
            }
        }
    }

    /** Whether the container beside the volume is there, as far as is known. */
    boolean isPrepared() {
        return helper != null;
    }

    /** Removes both. */
    void close() {
        Container container = helper;
        if (container != null) {
            engine.remove(container);
            helper = null;
        }
        String name = volume;
        if (name != null) {
            ExecResult result = engine.cli().run("volume", "rm", name);
            if (!result.succeeded() && !Inspector.isMissing(result)) {
                throw engine.cli().failure(result, "volume", "rm", name);
            }
            volume = null;
        }
    }

    /** The failure of what came after a command, with its kind kept. */
    static MaestroException failed(String message, MaestroException cause) {
        return cause instanceof RetriableException
                ? new io.maestro.docker.DockerUnavailableException(message, cause)
                : new DockerException(message, cause);
    }

    private static String resource(String name) {
        try (InputStream in = VolumeBox.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the jar of maestro-docker has no " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
