package io.maestro.docker.internal.sandbox;

import io.maestro.docker.DockerException;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What this life knows beside the engine's labels, for all owners. Safe for use by several threads. */
final class SandboxState {
    /** Held while a name is chosen, so that two calls do not make one. */
    final ReentrantLock naming = new ReentrantLock();

    /** The names that are being made, by owner. */
    final Map<String, Set<String>> beingMade = new ConcurrentHashMap<>();

    /** Containers, by the engine's id. */
    final Map<String, Sandbox> known = new ConcurrentHashMap<>();

    private final Map<String, Deque<Runnable>> undo = new ConcurrentHashMap<>();
    private final Set<String> gone = ConcurrentHashMap.newKeySet();
    private final Map<String, String> ended = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private volatile @Nullable LayerWatch layers;
    private final Set<SshAgent> agents = ConcurrentHashMap.newKeySet();

    /**
     * Notes what is undone when a container is destroyed, or does not come to be; the last first.
     *
     * @throws DockerException when it was destroyed meanwhile; this is undone then
     */
    void onEnd(String containerId, Runnable step) {
        undo.computeIfAbsent(containerId, id -> new ConcurrentLinkedDeque<>()).push(step);
        requireThere(containerId);
    }

    /** @throws DockerException when a container was destroyed meanwhile */
    void requireThere(String containerId) {
        if (gone.contains(containerId)) {
            forget(containerId);
            throw new DockerException("the container was destroyed while it was made", null);
        }
    }

    /** Has what containers write watched as soon as there is one. */
    void watch(LayerWatch watch) {
        layers = watch;
    }

    void containerIsThere() {
        LayerWatch watch = layers;
        if (watch != null) {
            watch.begin();
        }
    }

    /** Notes why a container was ended, although it is there. */
    void ended(String containerId, String why) {
        ended.put(containerId, why);
    }

    /** @throws DockerException when a container was ended, with the reason */
    void requireGoesOn(String containerId, String name) {
        String why = ended.get(containerId);
        if (why != null) {
            throw new DockerException("the container '" + name + "' does not run: " + why, null);
        }
    }

    /** An agent that ends at the latest when all of this does. */
    void add(SshAgent agent) {
        agents.add(agent);
        if (closed) {
            end(agent);
        }
    }

    void end(SshAgent agent) {
        agents.remove(agent);
        agent.close();
    }

    /** Forgets a container, and undoes what was made for it. */
    void forget(String containerId) {
        gone.add(containerId);
        known.remove(containerId);
        ended.remove(containerId);
        Deque<Runnable> steps = undo.remove(containerId);
        if (steps != null) {
            undo(steps);
        }
    }

    /** Nothing is made from now on, for no owner. */
    void close() {
        closed = true;
        LayerWatch watch = layers;
        if (watch != null) {
            watch.close();
        }
        agents.forEach(this::end);
    }

    boolean isClosed() {
        return closed;
    }

    /** In turn, the last first; each only once. */
    static void undo(Deque<Runnable> steps) {
        @Nullable RuntimeException first = null;
        for (Runnable next = steps.poll(); next != null; next = steps.poll()) {
            try {
                next.run();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
