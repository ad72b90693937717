package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Fleet;
import io.maestro.docker.internal.WorkspaceTransport;

/** What there is around the containers of one attempt on one engine. */
final class AttemptServices implements Services {
    private final WorkspaceTransport transport;
    private final Fleet.Lease lease;

    AttemptServices(WorkspaceTransport transport, Fleet.Lease lease) {
        this.transport = transport;
        this.lease = lease;
    }

    @Override
    public void join(Container container) {}

    @Override
    public void end() {}

    @Override
    public void close() {
        try {
            transport.close();
        } finally {
            lease.close();
        }
    }
}
