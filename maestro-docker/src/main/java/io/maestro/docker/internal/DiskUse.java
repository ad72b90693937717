package io.maestro.docker.internal;

import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.Mount;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures what an agent holds on the disk of an engine. The agent may be root in its containers, and changes files meanwhile:
 * nothing of it is asked. Layers are measured by the engine, files by a container of Maestro's that reads everything, runs
 * nothing and has a time limit. Safe for use by several threads.
 */
public final class DiskUse {
    private static final Logger LOG = LoggerFactory.getLogger(DiskUse.class);
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String ROLE = "disk";

    /** What layers hold, and the volumes of a container, which need not have labels. */
    private static final String FORMAT =
            "{{.SizeRw}}{{range .Mounts}}{{if eq .Type \"volume\"}} {{.Name}}{{end}}{{end}}";

    /**
     * Prints a line for each place, and how often something had too long a path to be counted, as busybox finds of more than 4096
     * bytes. What is deleted meanwhile is no error.
     */
    private static final String COUNT =
            "{ LC_ALL=C du -sk /disk/w /disk/v* 2>&1 >&3 | grep -c 'too long$'; } 3>&1; exit 0";

    private final Engine engine;
    private final String agentId;

    /** Measures nothing yet. */
    public DiskUse(Engine engine, String agentId) {
        this.engine = engine;
        this.agentId = agentId;
    }

    /**
     * How many bytes an agent holds.
     *
     * @param layers beside all mounts, in its containers and services
     * @param workspace in its workspace
     * @param volumes in its volumes
     */
    public record Usage(long layers, long workspace, long volumes) {
        /** All. */
        public long sum() {
            return layers + workspace + volumes;
        }

        /** What is left when its containers are gone. */
        public long kept() {
            return workspace + volumes;
        }

        /** For a person and for a model. */
        @Override
        public String toString() {
            return megabytes(sum()) + " (" + megabytes(workspace) + " in the workspace, " + megabytes(volumes)
                    + " in volumes, " + megabytes(layers) + " elsewhere in containers)";
        }
    }

    /** For a person and for a model. */
    public static String megabytes(long bytes) {
        return (bytes + (1 << 20) - 1 >> 20) + " MB";
    }

    /**
     * Measures.
     *
     * @param workspace where the engine has it
     * @param image the id of an image of Maestro's, with {@code sh} and {@code du}
     * @return empty when it takes too long: there are more files than anybody could count
     * @throws DockerUnavailableException when the engine does not answer
     */
    public Optional<Usage> measure(Mount workspace, String image) {
        Set<String> volumes = new LinkedHashSet<>(ids("volume", "ls", "-q"));
        List<String> containers = ids("ps", "-aq", "--no-trunc");
        long layers = 0;
        if (!containers.isEmpty()) {
            List<String> words = new ArrayList<>(List.of("container", "inspect", "--size", "--format", FORMAT));
            words.addAll(containers);
            ExecResult result = engine.cli()
                    .run(engine.cli().command(words).timeLimit(LIMIT).build());
            if (result.ending() == ExecResult.Ending.TIMED_OUT) {
                return Optional.empty();
            }
            // One that is gone meanwhile is left out of what is printed, and makes the call fail.
            for (String line : result.stdout().text().lines().toList()) {
                String[] parts = line.strip().split(" ", -1);
                layers += parts[0].matches("\\d{1,18}") ? Long.parseLong(parts[0]) : 0;
                volumes.addAll(List.of(parts).subList(1, parts.length));
            }
        }
        volumes.remove(workspace.source());
        return files(workspace, List.copyOf(volumes), image, layers);
    }

    /** Stops all that runs in the agent's containers, so that nothing is written; what cannot be stopped goes on. */
    public void pause() {
        try {
            all("running", "pause");
        } catch (MaestroException e) {
            LOG.warn("the containers of {} go on while the disk is short: {}", agentId, e.getMessage());
        }
    }

    /**
     * Lets it go on.
     *
     * @throws MaestroException when something may still stand
     */
    public void resume() {
        all("paused", "unpause");
    }

    private void all(String status, String word) {
        List<String> words = new ArrayList<>(List.of(word));
        words.addAll(ids("ps", "-q", "--no-trunc", "--filter", "status=" + status));
        if (words.size() > 1) {
            engine.cli().output(words.toArray(String[]::new));
        }
    }

    private Optional<Usage> files(Mount workspace, List<String> volumes, String image, long layers) {
        String helper = engine.instance().uniqueName(agentId, ROLE);
        List<String> words = new ArrayList<>(List.of("run", "--rm", "--pull", "never", "--name", helper));
        words.addAll(List.of("--network", "none", "--cap-drop", "ALL", "--cap-add", "DAC_READ_SEARCH"));
        words.addAll(List.of("--security-opt", "no-new-privileges", "--read-only", "--user", "0:0"));
        words.addAll(List.of("--pids-limit", "16", "--memory", "128m", "--cpus", "1"));
        engine.instance().labels().forEach((key, value) -> words.addAll(List.of("--label", key + "=" + value)));
        words.addAll(List.of("--label", Labels.AGENT + "=" + agentId, "--label", Labels.ROLE + "=" + ROLE));
        words.addAll(RunArguments.mount(
                new Mount(workspace.kind(), workspace.source(), "/disk/w", true),
                engine.facts().podman()));
        for (int i = 0; i < volumes.size(); i++) {
            words.addAll(RunArguments.mount(
                    Mount.volume(volumes.get(i), "/disk/v" + i).asReadOnly(),
                    engine.facts().podman()));
        }
        words.addAll(List.of("--entrypoint", "sh", "--", image, "-c", COUNT));
        ExecResult result;
        try {
            result = engine.cli()
                    .run(engine.cli().command(words).timeLimit(LIMIT).build());
        } finally {
            engine.removeContainer(helper);
        }
        if (result.ending() == ExecResult.Ending.TIMED_OUT) {
            return Optional.empty();
        }
        if (!result.succeeded()) {
            throw engine.cli().failure(result, "run", "du");
        }
        long inWorkspace = 0;
        long inVolumes = 0;
        int places = 0;
        boolean whole = false;
        for (String line : result.stdout().text().lines().toList()) {
            String[] parts = line.strip().split("\\s+", -1);
            whole |= parts.length == 1 && parts[0].equals("0");
            if (parts.length == 2 && parts[0].matches("\\d{1,15}")) {
                long bytes = Long.parseLong(parts[0]) << 10;
                places++;
                if (parts[1].equals("/disk/w")) {
                    inWorkspace = bytes;
                } else {
                    inVolumes += bytes;
                }
            }
        }
        // One is missing when the memory does not suffice.
        return whole && places == 1 + volumes.size()
                ? Optional.of(new Usage(layers, inWorkspace, inVolumes))
                : Optional.empty();
    }

    private List<String> ids(String... query) {
        List<String> words = new ArrayList<>(List.of(query));
        words.addAll(List.of(
                "--filter", "label=" + Labels.INSTANCE + "=" + engine.instance().id()));
        words.addAll(List.of("--filter", "label=" + Labels.AGENT + "=" + agentId));
        return engine.cli().output(words.toArray(String[]::new)).lines().toList();
    }
}
