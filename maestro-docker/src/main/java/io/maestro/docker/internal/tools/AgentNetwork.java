package io.maestro.docker.internal.tools;

import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.sandbox.SandboxNetwork;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The network of the containers that one agent makes: apart from that of its own commands, so that what is judged there does not
 * reach them. Made when the first of them needs it. Safe for use by several threads.
 */
final class AgentNetwork implements SandboxNetwork, AutoCloseable {
    private static final String ROLE = "boxes";

    private final Engine engine;
    private final String agentId;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable String own;
    private boolean closed;

    AgentNetwork(Engine engine, String agentId) {
        this.engine = engine;
        this.agentId = agentId;
    }

    @Override
    public boolean isAgents() {
        return true;
    }

    @Override
    public String bridge() {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the containers of " + agentId + " were ended");
            }
            String known = own;
            if (known == null || !engine.hasNetwork(known)) {
                known = engine.createSharedNetwork(agentId, ROLE, Map.of(), false)
                        .name();
                own = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    /** The containers are gone. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            if (own != null) {
                engine.removeNetwork(own);
                own = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
