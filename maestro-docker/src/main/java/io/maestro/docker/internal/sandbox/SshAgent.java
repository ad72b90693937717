package io.maestro.docker.internal.sandbox;

import io.maestro.docker.DockerException;
import io.maestro.docker.Mount;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the host's SSH agent on to a container: by a socket of its own in a directory of its own, since the agent's lies among
 * those of the host's other programs, and admits the host's user only. Keys never leave the agent. Safe for use by several
 * threads; ends with the container, or this program.
 */
final class SshAgent implements AutoCloseable {
    /** Where a container finds it. */
    static final String TARGET = "/run/maestro-ssh/agent";

    private static final String DIRECTORY = "/run/maestro-ssh";

    private static final Logger LOG = LoggerFactory.getLogger(SshAgent.class);

    private static final String SELF = "";

    private static final int MOST = 32;

    private final Path agent;
    private final Path directory;
    private final ServerSocketChannel server;
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();

    private SshAgent(Path agent, Path directory, ServerSocketChannel server) {
        this.agent = agent;
        this.directory = directory;
        this.server = server;
    }

    /**
     * Begins to pass it on.
     *
     * @param agent the host's socket
     * @param user who may use it, {@code uid:gid}
     * @param rootless whether root in a container is this program's user
     */
    static SshAgent of(Path agent, String user, boolean rootless) {
        @Nullable Path directory = null;
        @Nullable ServerSocketChannel opened = null;
        try {
            directory = Files.createTempDirectory("maestro-ssh");
            Path socket = directory.resolve("agent");
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            opened = server;
            server.bind(UnixDomainSocketAddress.of(socket));
            own(directory, rootless ? SELF : user);
            own(socket, rootless ? SELF : user);
            SshAgent relay = new SshAgent(agent, directory, server);
            thread("accept", relay::accept);
            return relay;
        } catch (IOException e) {
            if (opened != null) {
                closeQuietly(opened);
            }
            if (directory != null) {
                remove(directory);
            }
            throw new DockerException("the SSH agent cannot be passed on: " + e.getMessage(), e);
        }
    }

    /** Nobody else of the machine may use it. Where the owner cannot be changed, the container runs as this user. */
    private static void own(Path path, String user) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
        String[] ids = user.split(":", 2);
        if (!user.equals(SELF)
                && !String.valueOf(Files.getAttribute(path, "unix:uid")).equals(ids[0])) {
            Files.setAttribute(path, "unix:uid", Integer.valueOf(ids[0]));
            Files.setAttribute(path, "unix:gid", Integer.valueOf(ids[1]));
        }
    }

    Mount mount() {
        return Mount.bind(directory, DIRECTORY).asReadOnly();
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                SocketChannel inside = server.accept();
                if (connections.incrementAndGet() > MOST) {
                    connections.decrementAndGet();
                    inside.close();
                } else {
                    thread("relay", () -> relay(inside));
                }
            } catch (IOException e) {
                return;
            }
        }
    }

    private void relay(SocketChannel inside) {
        try (inside;
                SocketChannel outside = SocketChannel.open(UnixDomainSocketAddress.of(agent))) {
            open.add(inside);
            open.add(outside);
            Thread back = thread("answer", () -> pass(outside, inside));
            pass(inside, outside);
            back.join();
        } catch (IOException e) {
            LOG.debug("the SSH agent did not answer: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.removeIf(channel -> !channel.isOpen());
            connections.decrementAndGet();
        }
    }

    private static void pass(SocketChannel from, SocketChannel to) {
        ByteBuffer buffer = ByteBuffer.allocate(16 << 10);
        try {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.clear();
            }
            to.shutdownOutput();
        } catch (IOException e) {
            LOG.trace("a connection to the SSH agent ended: {}", e.toString());
            close(from);
            close(to);
        }
    }

    private static Thread thread(String what, Runnable task) {
        Thread thread = new Thread(task, "maestro-ssh-" + what);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.trace("a connection was broken already: {}", e.toString());
        }
    }

    private static void remove(Path directory) {
        try {
            Files.deleteIfExists(directory.resolve("agent"));
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            LOG.debug("{} is left: {}", directory, e.toString());
        }
    }

    private static void closeQuietly(ServerSocketChannel server) {
        try {
            server.close();
        } catch (IOException e) {
            LOG.debug("the socket of the SSH agent was closed already: {}", e.toString());
        }
    }

    @Override
    public void close() {
        closeQuietly(server);
        open.forEach(SshAgent::close);
        remove(directory);
    }
}
