package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.compose.ComposeRefusedException;
import io.maestro.docker.internal.compose.ComposeStack;
import io.maestro.docker.internal.compose.StackReport;
import io.maestro.docker.internal.workspace.BoundWorkspace;
import io.maestro.docker.internal.workspace.WorkspaceTransport;
import io.maestro.exec.ExecException;
import io.maestro.internal.Uninterrupted;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What there is around the containers of one attempt on one engine: services, the workspace's way there, its place there. */
final class AttemptServices implements Services {
    private final Supplier<ComposeStack> stacks;
    private final BiFunction<Path, WorkspaceTransport, ComposeStack> stacksForTests;
    private final Duration upTime;
    private final WorkspaceTransport transport;
    private final AttemptNetworks networks;
    private final Engines.Lease lease;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable ComposeStack stack;

    /**
     * Nothing is made yet.
     *
     * @param stacks makes the agent's stack, which may carry the workspace to the engine
     * @param stacksForTests makes one of a checkout
     * @param upTime how long it may take to start one for what is judged
     */
    AttemptServices(
            Supplier<ComposeStack> stacks,
            BiFunction<Path, WorkspaceTransport, ComposeStack> stacksForTests,
            Duration upTime,
            WorkspaceTransport transport,
            AttemptNetworks networks,
            Engines.Lease lease) {
        this.stacks = stacks;
        this.stacksForTests = stacksForTests;
        this.upTime = upTime;
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
    public Optional<ComposeStack.Start> start() {
        return Optional.ofNullable(known()).flatMap(ComposeStack::start);
    }

    @Override
    public @Nullable ComposeStack startForTests(Path checkout, WorkspaceTransport files) {
        ComposeStack.Start start = start().orElse(null);
        String inside = start == null ? "" : start.path().replaceFirst("^" + BoundWorkspace.TARGET + "/", "");
        if (start == null || !Files.isRegularFile(checkout.resolve(inside), LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        ComposeStack stack = stacksForTests.apply(checkout, files);
        boolean good = false;
        try {
            StackReport report = stack.up(inside, start.services(), upTime);
            if (!report.ok()) {
                throw new ExecException("the services of " + start + " do not work: " + report.problem(), null);
            }
            good = true;
            return stack;
        } catch (ComposeRefusedException e) {
            throw new ExecException("the services of " + start + " cannot be started: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ExecException("the services of " + start + " were not started: the thread was interrupted", e);
        } finally {
            if (!good) {
                Uninterrupted.closing(stack.toString(), stack::down);
            }
        }
    }

    @Override
    public void failed() {
        lease.failed();
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
