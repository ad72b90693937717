package io.maestro.docker;

import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.preflight.EngineChecks;
import io.maestro.docker.internal.preflight.Platform;

/**
 * Looks whether containers can be made on a host, before any is: client, engine, permissions, versions, Compose, buildx, disk,
 * memory, and says what to do about what is missing.
 *
 * <pre>{@code
 * PreflightReport report = Preflight.of(DockerHost.local());
 * if (!report.ready()) {
 *     System.err.println(report);
 * }
 * }</pre>
 *
 * <p>Nothing is changed, unless {@link #mending} is asked to. It takes a second or two where the engine answers.
 */
public final class Preflight {
    private Preflight() {}

    /**
     * Looks.
     *
     * @param host the engine
     * @return what was found; whatever goes wrong is a finding
     */
    public static PreflightReport of(DockerHost host) {
        return new EngineChecks(new DockerCli(host), Platform.here(), false).report();
    }

    /**
     * Looks, and starts an engine of this machine that does not run, where systemd knows it and this user may.
     *
     * @param host the engine
     * @return what was found afterwards, and what was done
     */
    public static PreflightReport mending(DockerHost host) {
        return new EngineChecks(new DockerCli(host), Platform.here(), true).report();
    }
}
