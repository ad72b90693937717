package io.maestro.environment.internal;

import io.maestro.environment.Environment;
import io.maestro.environment.HostRoute;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.exec.Executor;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An executor on a workspace. What a program needs beside it is on this machine, and so is the program. */
final class LocalEnvironment implements Environment {
    private static final String LOOPBACK = "127.0.0.1";

    private final Workplace place;
    private final Function<Path, Executor> executors;
    private final Executor executor;
    private final LocalState state;
    private final boolean isHere;
    private @Nullable Path stateDirectory;
    private boolean closed;

    LocalEnvironment(Workplace place, Function<Path, Executor> executors, LocalState state) {
        this.place = place;
        this.executors = executors;
        this.executor = executors.apply(place.directory());
        this.state = state;
        // An executor of the host's may run commands elsewhere: such a one has other paths.
        this.isHere = executor.workingDirectory().equals(place.directory().toString());
    }

    @Override
    public void enter(Phase phase) {
        // There is nothing to make.
    }

    @Override
    public Executor executor() {
        return executor;
    }

    @Override
    public <T> T runFresh(Path checkout, @Nullable String image, Function<Executor, T> commands) {
        Executor there = executors.apply(checkout);
        return isHere ? FreshHome.around(there, checkout, commands) : commands.apply(there);
    }

    @Override
    public Optional<String> stateDirectory() {
        if (!place.equipment().keepsState() || !isHere || closed) {
            return Optional.empty();
        }
        Path known = stateDirectory;
        if (known == null) {
            known = state.open(place);
            stateDirectory = known;
        }
        return Optional.of(known.toString());
    }

    @Override
    public Optional<String> socketDirectory() {
        return isHere ? place.equipment().sockets().map(Path::toString) : Optional.empty();
    }

    @Override
    public Optional<HostRoute> hostRoute() {
        if (!place.equipment().reachesHost() || !isHere) {
            return Optional.empty();
        }
        try {
            return Optional.of(new HostRoute(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), LOOPBACK));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    /** There is nothing to give back. */
    @Override
    public void close() {
        closed = true;
    }

    @Override
    public void remove() {
        close();
        if (place.equipment().keepsState()) {
            state.remove(place);
        }
    }
}
