package io.maestro.docker.internal.environment;

import io.maestro.docker.ContainerNetwork;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.Engine;
import io.maestro.environment.Equipment;
import io.maestro.environment.HostRoute;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What the program of an attempt has in its containers beside the workspace, on one engine: a place for its state, sockets,
 * programs, caches, ports, a name of this machine, and empty directories that hide the image's. The architect and throwaway
 * containers get nothing of it. Safe for use by several threads.
 */
final class ContainerExtras {
    /** Where programs keep their state: Claude Code wants its own directory there. */
    static final String STATE = "/tmp/.claude";

    private static final String SOCKETS = "/run/maestro";
    private static final String PROGRAMS = "/run/maestro-programs";
    private static final String HOST = "host.docker.internal";

    /** An empty directory over whatever an image has there. */
    private static final String MASK = "ro,nosuid,nodev,noexec,mode=555,size=4k";

    private final Engine engine;
    private final Settings settings;
    private final Equipment equipment;
    private final StateVolume state;
    private final CacheVolumes caches;
    private final BooleanSupplier isHere;
    private final AttemptNetworks networks;
    private final Map<String, Optional<InetAddress>> gateways = new ConcurrentHashMap<>();

    /**
     * Nothing is made yet.
     *
     * @param user as whom commands run
     * @param safeImage the id of the safe image
     * @param isHere whether the engine's containers run on this machine itself; asked when it matters
     * @param networks what its containers reach
     */
    ContainerExtras(
            Engine engine,
            Settings settings,
            Workplace place,
            String user,
            Supplier<String> safeImage,
            BooleanSupplier isHere,
            AttemptNetworks networks) {
        this.engine = engine;
        this.settings = settings;
        this.equipment = place.equipment();
        this.state = new StateVolume(engine, place, user, safeImage);
        this.caches = new CacheVolumes(
                engine, place.agentId(), user, settings.container().caches(), safeImage, CacheVolumes.Keep.ALL);
        this.isHere = isHere;
        this.networks = networks;
    }

    /** Where an attempt keeps its state, on whatever engine; empty when it has none. */
    static Optional<String> stateDirectory(Workplace place) {
        return place.equipment().keepsState() ? Optional.of(STATE) : Optional.empty();
    }

    /** Makes what containers mount, unless it is there; before every one of them, since somebody may have removed it. */
    void prepare(Phase phase) {
        if (equipment.keepsState() && phase != Phase.ARCHITECT) {
            state.prepare();
        }
        if (phase == Phase.CODING) {
            caches.prepare();
        }
    }

    /** Where a container has the program's state in a phase, which must be writable. */
    Optional<String> stateDirectory(Phase phase) {
        return equipment.keepsState() && phase != Phase.ARCHITECT ? Optional.of(STATE) : Optional.empty();
    }

    /** Adds everything to a container. */
    void applyTo(ContainerSpec.Builder spec, Phase phase) {
        if (phase == Phase.ARCHITECT) {
            return;
        }
        if (equipment.keepsState()) {
            spec.mount(state.mount(STATE));
        }
        if (phase == Phase.CODING) {
            caches.mounts().forEach(spec::mount);
            settings.container().ports().forEach(spec::publish);
        }
        visibleSockets()
                .ifPresent(
                        directory -> spec.mount(Mount.bind(directory, SOCKETS).asReadOnly()));
        visiblePrograms()
                .forEach((name, file) ->
                        spec.mount(Mount.bind(file, PROGRAMS + "/" + name).asReadOnly()));
        // Podman fills one with what the image has there unless it is told not to.
        String mask = engine.facts().podman() ? MASK + ",notmpcopyup" : MASK;
        equipment.maskedDirectories().forEach(directory -> spec.tmpfs(directory, mask));
        gateway(phase).ifPresent(address -> spec.addHost(HOST, address.getHostAddress()));
    }

    private Optional<Path> visibleSockets() {
        return equipment.sockets().filter(directory -> isHere.getAsBoolean());
    }

    private Map<String, Path> visiblePrograms() {
        Map<String, Path> programs = equipment.programs();
        return programs.isEmpty() || !isHere.getAsBoolean() ? Map.of() : programs;
    }

    Optional<String> programDirectory() {
        return visiblePrograms().isEmpty() ? Optional.empty() : Optional.of(PROGRAMS);
    }

    Optional<String> socketDirectory() {
        return visibleSockets().map(directory -> SOCKETS);
    }

    /** A rootless engine's networks are somewhere below this machine. */
    private Optional<InetAddress> gateway(Phase phase) {
        ContainerNetwork allowed = settings.network(phase);
        if (!equipment.reachesHost() || allowed.isConfined() || engine.facts().rootless() || !isHere.getAsBoolean()) {
            return Optional.empty();
        }
        String network = networks.name(allowed);
        // Asked for outside of the map, which would hold a monitor meanwhile.
        Optional<InetAddress> known = gateways.get(network);
        if (known == null) {
            known = engine.gateway(network);
            gateways.put(network, known);
        }
        return known;
    }

    /** How containers of a phase, of which one runs, reach this machine. */
    Optional<HostRoute> route(Phase phase) {
        return phase == Phase.ARCHITECT
                ? Optional.empty()
                : gateway(phase).filter(ContainerExtras::isOurs).map(address -> new HostRoute(address, HOST));
    }

    private static boolean isOurs(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }
}
