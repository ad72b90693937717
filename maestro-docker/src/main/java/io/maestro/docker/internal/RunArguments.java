package io.maestro.docker.internal;

import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerException;
import io.maestro.docker.Mount;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The arguments by which a client runs a container in the background. Every setting of a {@link ContainerSpec} is used here;
 * its environment is not among them but on standard input, so that no file with it can stay behind.
 */
final class RunArguments {
    /** What apt-get, dpkg, useradd and chown need, and no more; an ordinary user has none of it. */
    private static final List<String> SET_UP =
            List.of("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID");

    private final ContainerSpec spec;
    private final EngineFacts facts;
    private final @Nullable String initPath;
    private final @Nullable Container other;
    private final Container.Grants grants;
    private final Image.Inherited inherited;

    RunArguments(ContainerSpec spec, EngineFacts facts, @Nullable String initPath) {
        this(spec, facts, initPath, null, Container.Grants.NONE, Image.Inherited.NOTHING);
    }

    /**
     * @param initPath the init program of the machine; null for the engine's own
     * @param other in whose network it is; null for the one of the description
     * @param grants what it has beyond the description
     * @param inherited what it has not of its image
     */
    RunArguments(
            ContainerSpec spec,
            EngineFacts facts,
            @Nullable String initPath,
            @Nullable Container other,
            Container.Grants grants,
            Image.Inherited inherited) {
        this.inherited = inherited;
        this.grants = grants;
        this.spec = spec;
        this.facts = facts;
        this.initPath = initPath;
        this.other = other;
    }

    /** The arguments, the program's name not among them. */
    List<String> words(Instance instance, String agentId, String name, String imageId) {
        List<String> words = new ArrayList<>(List.of("run", "--detach", "--name", name));
        addNetwork(words, agentId);
        words.add("--init");
        if (initPath != null) {
            words.addAll(List.of("--init-path", initPath));
        }
        addRights(words);
        words.addAll(List.of("--pull", "never", "--no-healthcheck", "--stop-signal", "TERM", "--stop-timeout", "2"));
        words.addAll(List.of("--log-driver", "json-file", "--log-opt", "max-size=10m"));
        addLimits(words);
        if (!grants.imageProgram()) {
            words.addAll(List.of("--workdir", spec.workingDirectory()));
            spec.user().ifPresent(user -> words.addAll(List.of("--user", user)));
        }
        if (spec.readOnlyRoot()) {
            words.add("--read-only");
        }
        spec.mounts().forEach(mount -> words.addAll(mount(mount, facts.podman())));
        spec.tmpfs()
                .forEach((target, options) ->
                        words.addAll(List.of("--tmpfs", options.isEmpty() ? target : target + ":" + options)));
        labels(spec, instance, agentId, inherited)
                .forEach((key, value) -> words.addAll(List.of("--label", key + "=" + value)));
        if (!variables().isEmpty()) {
            words.addAll(List.of("--env-file", "/dev/stdin"));
        }
        if (grants.imageProgram()) {
            words.addAll(List.of("--", imageId));
            return List.copyOf(words);
        }
        // An empty entry point would let the image's count.
        words.addAll(List.of("--entrypoint", spec.command().get(0), "--", imageId));
        words.addAll(spec.command().subList(1, spec.command().size()));
        return List.copyOf(words);
    }

    /** What goes to standard input: a line for each variable. */
    byte[] environment() {
        StringBuilder lines = new StringBuilder();
        variables()
                .forEach((name, value) ->
                        lines.append(name).append('=').append(value).append('\n'));
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    private Map<String, String> variables() {
        Map<String, String> variables = new LinkedHashMap<>();
        inherited.variables().forEach(name -> variables.put(name, ""));
        variables.putAll(spec.environment());
        return variables;
    }

    private void addNetwork(List<String> words, String agentId) {
        if (other != null) {
            words.addAll(List.of("--network", "container:" + other.id()));
            return;
        }
        if (grants.hostNetwork()) {
            words.addAll(List.of("--network", "host"));
            return;
        }
        String alias = grants.alias();
        words.addAll(List.of("--hostname", alias == null ? hostname(agentId) : alias, "--network", spec.network()));
        if (alias != null && !spec.network().equals("none") && !spec.network().equals("bridge")) {
            words.addAll(List.of("--network-alias", alias));
        }
        grants.ports()
                .forEach((port, at) ->
                        words.addAll(List.of("--publish", "127.0.0.1:" + (at == 0 ? "" : at) + ":" + port)));
        spec.addedHosts().forEach(host -> words.addAll(List.of("--add-host", host)));
        spec.ports().forEach(port -> words.addAll(List.of("--publish", "127.0.0.1::" + port)));
        if (grants.inside() && facts.podman()) {
            // By an address that every link has the machine would be reached.
            words.addAll(List.of("--sysctl", "net.ipv6.conf.all.disable_ipv6=1"));
            words.addAll(List.of("--sysctl", "net.ipv6.conf.default.disable_ipv6=1"));
        }
        if ((spec.network().equals("none") || grants.inside()) && !facts.podman()) {
            // It may join a network later, where the engine would ask the resolvers of this machine for it. Nobody
            // answers there, which is not waited for by each lookup of a name that is no service's.
            words.addAll(List.of("--dns", "127.0.0.1", "--dns-opt", "timeout:1", "--dns-opt", "attempts:2"));
        }
    }

    private void addRights(List<String> words) {
        if (grants.privileged()) {
            words.add("--privileged");
            return;
        }
        words.addAll(List.of("--security-opt", "no-new-privileges", "--cap-drop", "ALL"));
        if (grants.setUp()) {
            SET_UP.forEach(capability -> words.addAll(List.of("--cap-add", capability)));
        }
        if (grants.gpu()) {
            words.addAll(facts.podman() ? List.of("--device", "nvidia.com/gpu=all") : List.of("--gpus", "all"));
        }
    }

    private void addLimits(List<String> words) {
        // Docker refuses more processors than there are, which no setting for many machines can know.
        double cpus = Math.min(spec.limits().cpus(), facts.cpus());
        String text = BigDecimal.valueOf(cpus)
                .setScale(2, RoundingMode.HALF_UP)
                .max(new BigDecimal("0.01"))
                .toPlainString();
        String memory = Long.toString(spec.limits().memoryBytes());
        words.addAll(List.of("--cpus", text, "--memory", memory, "--memory-swap", memory));
        words.addAll(List.of("--pids-limit", Integer.toString(spec.limits().pids())));
    }

    /** Whose it is wins over what the description says, and that over what the image says. */
    static Map<String, String> labels(
            ContainerSpec spec, Instance instance, String agentId, Image.Inherited inherited) {
        Map<String, String> labels = new LinkedHashMap<>();
        inherited.labels().forEach(name -> labels.put(name, ""));
        labels.putAll(spec.labels());
        labels.putAll(instance.labels());
        labels.put(Labels.AGENT, agentId);
        labels.put(Labels.ROLE, spec.role());
        return labels;
    }

    private String hostname(String agentId) {
        String host = (agentId + "-" + spec.role()).replaceAll("[^A-Za-z0-9-]", "-");
        host = host.substring(0, Math.min(63, host.length()));
        return host.replaceAll("^-+|-+$", "");
    }

    /** What a client is told for a mount. */
    static List<String> mount(Mount mount, boolean podman) {
        String type = mount.kind() == Mount.Kind.BIND ? "bind" : "volume";
        if (!podman) {
            // One record of CSV.
            return List.of(
                    "--mount",
                    "type=" + type + "," + field("source", mount.source()) + "," + field("target", mount.target())
                            + (mount.readOnly() ? ",readonly" : ""));
        }
        if (!(mount.source() + mount.target()).contains(",")) {
            return List.of(
                    "--mount",
                    "type=" + type + ",source=" + mount.source() + ",target=" + mount.target()
                            + (mount.readOnly() ? ",readonly" : ""));
        }
        // Podman 4 splits at every comma; the short form splits at colons.
        if ((mount.source() + mount.target()).contains(":")) {
            throw new DockerException(
                    "podman cannot mount '" + mount.source() + "' at '" + mount.target()
                            + "', which hold both a comma and a colon; rename the directory",
                    null);
        }
        return List.of("--volume", mount.source() + ":" + mount.target() + (mount.readOnly() ? ":ro" : ""));
    }

    private static String field(String key, String value) {
        return value.contains(",") ? "\"" + key + "=" + value + "\"" : key + "=" + value;
    }
}
