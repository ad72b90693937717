package io.maestro.docker.internal.exec;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecOutput;
import io.maestro.exec.ExecResult;
import io.maestro.internal.Uninterrupted;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The channels to one container, opened when they are needed and used again. Safe for use by several threads. */
public final class Channels implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Channels.class);

    private final ExecTarget target;
    private final int most;
    private final ReentrantLock lock = new ReentrantLock();
    /** By user; the empty name is the container's own one. */
    private final Map<String, Deque<Channel>> idle = new HashMap<>();

    private final Set<Channel> busy = new HashSet<>();
    private int open;
    private boolean closed;
    private boolean warned;

    /**
     * No channel yet.
     *
     * @param target the container
     * @param most how many channels there may be at once; 0 for none at all
     */
    public Channels(ExecTarget target, int most) {
        this.target = target;
        this.most = most;
    }

    /**
     * Runs a command through a channel, or by an exec of its own: when its input is large, all channels are busy, or none can
     * be opened.
     *
     * @param command what to run
     * @param uninterrupted notes an interruption
     * @return its result
     */
    public ExecResult run(ContainerCommand command, Uninterrupted uninterrupted) {
        requireOpen();
        Channel channel = command.hasLargeInput() ? null : take(command.user(), uninterrupted);
        if (channel == null) {
            return uninterrupted.wasInterrupted() ? cancelled() : new SingleExec(target, command).run(uninterrupted);
        }
        try {
            return uninterrupted.wasInterrupted() ? cancelled() : channel.run(command, uninterrupted);
        } finally {
            give(command.user(), channel);
        }
    }

    /**
     * The result of a command that is not started.
     *
     * @return no output
     */
    public static ExecResult cancelled() {
        ExecOutput nothing = ExecOutput.of("");
        return new ExecResult(ExecResult.Ending.CANCELLED, OptionalInt.empty(), nothing, nothing, Duration.ZERO);
    }

    private void requireOpen() {
        lock.lock();
        try {
            if (closed) {
                throw new ExecException("the executor of " + target + " is closed; make a new one", null);
            }
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Channel take(@Nullable String user, Uninterrupted uninterrupted) {
        lock.lock();
        try {
            Deque<Channel> channels = idle.computeIfAbsent(user == null ? "" : user, key -> new ArrayDeque<>());
            for (Channel channel = channels.pollFirst(); channel != null; channel = channels.pollFirst()) {
                if (channel.isUsable()) {
                    busy.add(channel);
                    return channel;
                }
                channel.close();
                open--;
            }
            if (open >= most) {
                closeOneOfAnother(user == null ? "" : user);
            }
            if (open >= most) {
                return null;
            }
            open++;
        } finally {
            lock.unlock();
        }
        return opened(user, uninterrupted);
    }

    /** A user who ran something long ago does not keep others from having a channel. */
    private void closeOneOfAnother(String own) {
        for (Map.Entry<String, Deque<Channel>> others : idle.entrySet()) {
            Channel channel =
                    others.getKey().equals(own) ? null : others.getValue().pollLast();
            if (channel != null) {
                channel.close();
                open--;
                return;
            }
        }
    }

    private @Nullable Channel opened(@Nullable String user, Uninterrupted uninterrupted) {
        Channel channel = null;
        try {
            channel = Channel.open(target, user, uninterrupted);
        } finally {
            lock.lock();
            try {
                if (channel == null) {
                    open--;
                    if (!warned) {
                        warned = true;
                        LOG.info("no channel to {} can be opened; commands are run by an exec each", target);
                    }
                } else {
                    busy.add(channel);
                }
            } finally {
                lock.unlock();
            }
        }
        return channel;
    }

    private void give(@Nullable String user, Channel channel) {
        lock.lock();
        try {
            busy.remove(channel);
            if (!closed && channel.isUsable()) {
                // The last one first: it is the most likely to be awake.
                idle.computeIfAbsent(user == null ? "" : user, key -> new ArrayDeque<>())
                        .addFirst(channel);
            } else {
                channel.close();
                open--;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends all channels. Commands that run in them are ended too, and are reported as lost. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            idle.values().forEach(channels -> channels.forEach(Channel::close));
            idle.clear();
            busy.forEach(Channel::close);
        } finally {
            lock.unlock();
        }
    }
}
