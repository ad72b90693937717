package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.compose.ComposeStack;
import io.maestro.docker.internal.workspace.WorkspaceTransport;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What there is around the containers of one attempt on one engine: services, the workspace's way there, its place there. */
final class AttemptServices implements Services {
    private final Supplier<ComposeStack> stacks;
    private final WorkspaceTransport transport;
    private final AttemptNetworks networks;
    private final Fleet.Lease lease;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable ComposeStack stack;

    /**
     * Nothing is made yet.
     *
     * @param stacks makes the agent's stack, which may carry the workspace to the engine
     */
    AttemptServices(
            Supplier<ComposeStack> stacks, WorkspaceTransport transport, AttemptNetworks networks, Fleet.Lease lease) {
        this.stacks = stacks;
        this.transport = transport;
        this.networks = networks;
        this.lease = lease;
    }

    @Override
    public ComposeStack stack() {
        lock.lock();
        try {
            ComposeStack known = stack;
            if (known == null) {
                known = stacks.get();
                stack = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable ComposeStack known() {
        lock.lock();
        try {
            return stack;
        } finally {
            lock.unlock();
        }
    }

    /** The names by which services are reached; empty when there are none. */
    List<String> names() {
        ComposeStack known = known();
        return known == null ? List.of() : known.names();
    }

    @Override
    public void join(Container container) {
        ComposeStack known = known();
        if (known != null) {
            known.connect(networks.guest(container.id()));
        }
    }

    @Override
    public void end() {
        ComposeStack known = known();
        if (known != null) {
            known.down();
        }
    }

    @Override
    public void close() {
        try {
            transport.close();
        } finally {
            lease.close();
        }
    }
}
