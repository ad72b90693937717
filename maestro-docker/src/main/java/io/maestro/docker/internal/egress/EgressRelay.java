package io.maestro.docker.internal.egress;

import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerException;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.exec.ExecResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A container without a network, whose loopback is that of the agent's containers, and in which a port leads to a proxy of this
 * machine over a socket. So the agent's image needs nothing for it, and what carries the bytes is out of the agent's reach.
 */
public final class EgressRelay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EgressRelay.class);
    private static final int PORT = 3128;
    private static final String DIRECTORY = "/run/maestro-egress";
    private static final String PROXY = "http://127.0.0.1:" + PORT;
    private static final ContainerLimits LIMITS = new ContainerLimits(1, 256L << 20, 256);
    private static final Duration READY = Duration.ofSeconds(60);

    private final Engine engine;
    private final EgressSocket socket;
    private final EgressProxy proxy;
    private final Container container;

    private EgressRelay(Engine engine, EgressSocket socket, EgressProxy proxy, Container container) {
        this.engine = engine;
        this.socket = socket;
        this.proxy = proxy;
        this.container = container;
    }

    /**
     * Starts it; of one that does not start nothing is left.
     *
     * @param image the id of the safe image, which has a compiler
     * @param directory for its socket; nothing else is put there
     * @throws DockerException when it does not start
     */
    public static EgressRelay start(
            Engine engine,
            String agentId,
            String image,
            String user,
            Path directory,
            EgressRules rules,
            Consumer<Egress> record) {
        EgressSocket socket = null;
        EgressProxy proxy = null;
        Container container = null;
        boolean good = false;
        try {
            socket = new EgressSocket(directory);
            proxy = EgressProxy.open(socket.socket(), rules, record);
            socket.open();
            container = engine.start(
                    agentId,
                    ContainerSpec.builder(image, "egress")
                            .user(user)
                            .limits(LIMITS)
                            .readOnlyRoot(true)
                            .tmpfs("/tmp", "exec,nosuid,nodev,size=16m")
                            .mount(Mount.bind(socket.mounted(), DIRECTORY).asReadOnly())
                            .command(List.of("sh", "-c", script()))
                            .build());
            EgressRelay relay = new EgressRelay(engine, socket, proxy, container);
            relay.awaitReady();
            good = true;
            return relay;
        } catch (IOException e) {
            throw new DockerException("the way out of " + agentId + " cannot be made in " + directory + ": " + e, e);
        } finally {
            if (!good) {
                close(engine, socket, proxy, container);
            }
        }
    }

    private static String script() {
        try (InputStream in = EgressRelay.class.getResourceAsStream("/io/maestro/docker/internal/egress/relay.c")) {
            if (in == null) {
                throw new IllegalStateException("relay.c is not in this jar");
            }
            return "cc -O1 -o /tmp/relay -x c - <<'END' || exit 1\n"
                    + new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    + "END\nexec /tmp/relay " + PORT + " " + DIRECTORY + "/" + EgressSocket.NAME + " /tmp/ready";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitReady() {
        ExecResult result = engine.cli()
                .run(engine.cli()
                        .command(List.of(
                                "exec", container.id(), "sh", "-c", "until test -e /tmp/ready; do sleep 0.05; done"))
                        .timeLimit(READY)
                        .build());
        if (!result.succeeded()) {
            throw new DockerException(
                    "what leads " + container.agentId()
                            + " to the names that it may reach does not start in the safe image; its base needs a C"
                            + " compiler (cc): " + engine.logs(container, 20),
                    null);
        }
    }

    /** Whose network others have. */
    public Container container() {
        return container;
    }

    /** Whether it leads anywhere. */
    public boolean isRunning() {
        return engine.isRunning(container);
    }

    /**
     * What programs need to be told.
     *
     * @param direct names that are reached without the proxy, as those of services
     * @param others variables that they have; options of Java among them are kept
     */
    public static Map<String, String> environment(List<String> direct, Map<String, String> others) {
        List<String> names = new ArrayList<>(List.of("localhost", "127.0.0.1", "::1"));
        names.addAll(direct);
        Map<String, String> environment = new LinkedHashMap<>();
        for (String name :
                List.of("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")) {
            environment.put(name, PROXY);
        }
        environment.put("NO_PROXY", String.join(",", names));
        environment.put("no_proxy", String.join(",", names));
        String java = "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=" + PORT + " -Dhttps.proxyHost=127.0.0.1"
                + " -Dhttps.proxyPort=" + PORT + " -Dhttp.nonProxyHosts=localhost|127.*|[::1]"
                + direct.stream().map(name -> "|" + name).collect(Collectors.joining());
        environment.put(
                "MAVEN_OPTS",
                java + " -Daether.connector.http.useSystemProperties=true " + others.getOrDefault("MAVEN_OPTS", ""));
        environment.put("GRADLE_OPTS", java + " " + others.getOrDefault("GRADLE_OPTS", ""));
        environment.put("npm_config_proxy", PROXY);
        environment.put("npm_config_https_proxy", PROXY);
        environment.put("PIP_PROXY", PROXY);
        environment.put("CARGO_HTTP_PROXY", PROXY);
        return environment;
    }

    /** Cuts what runs over it, and removes it. */
    @Override
    public void close() {
        close(engine, socket, proxy, container);
    }

    private static void close(
            Engine engine, @Nullable EgressSocket socket, @Nullable EgressProxy proxy, @Nullable Container container) {
        try {
            if (proxy != null) {
                proxy.close();
            }
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            LOG.warn("the socket of a way out could not be deleted: {}", e.toString());
        } finally {
            if (container != null) {
                engine.remove(container);
            }
        }
    }
}
