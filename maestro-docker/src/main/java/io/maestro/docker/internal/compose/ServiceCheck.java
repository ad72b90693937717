package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.docker.internal.egress.UntrustedNames;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks and rewrites one service of a compose file. */
final class ServiceCheck {
    /** What concerns nothing but the container itself. */
    private static final Set<String> HARMLESS = Set.of(
            "command",
            "entrypoint",
            "working_dir",
            "user",
            "domainname",
            "init",
            "tty",
            "stdin_open",
            "read_only",
            "expose",
            "depends_on",
            "dns",
            "dns_search",
            "dns_opt",
            "platform",
            "profiles",
            "group_add",
            "links",
            "tmpfs",
            "cap_drop");

    /** What has no use here, or is set anew: nothing is to come back after a restart of the engine. */
    private static final Set<String> LEFT_OUT =
            Set.of("restart", "attach", "mem_reservation", "mac_address", "stop_signal", "stop_grace_period");

    private static final Map<String, String> REFUSED = Map.ofEntries(
            Map.entry("privileged", "a privileged container owns the machine; leave it out"),
            Map.entry("pid", "the process ids of others are not shared; leave it out"),
            Map.entry("userns_mode", "user namespaces are not changed; leave it out"),
            Map.entry("uts", "the host name of others is not shared; leave it out"),
            Map.entry("cgroup", "control groups of others are not shared; leave it out"),
            Map.entry("cgroup_parent", "it would escape the limits; leave it out"),
            Map.entry("devices", "devices of the machine are not given away"),
            Map.entry("device_cgroup_rules", "devices of the machine are not given away"),
            Map.entry("gpus", "devices of the machine are not given away"),
            Map.entry("blkio_config", "devices of the machine are not named here"),
            Map.entry("cap_add", "no capabilities are added; use an image that needs none"),
            Map.entry("security_opt", "security options are fixed; leave it out"),
            Map.entry("runtime", "the runtime is fixed; leave it out"),
            Map.entry("sysctls", "kernel settings are not changed; leave it out"),
            Map.entry("external_links", "containers of others are not reached; leave it out"),
            Map.entry("provider", "it would run a program on this machine"),
            Map.entry("post_start", "hooks are not supported; put it into the command"),
            Map.entry("pre_stop", "hooks are not supported; put it into the command"),
            Map.entry("develop", "nothing is watched on this machine; call compose_up again after changes"),
            Map.entry("use_api_socket", "no container gets the engine's socket"),
            Map.entry("oom_kill_disable", "limits hold; leave it out"),
            Map.entry("memswap_limit", "swap counts as memory; use mem_limit"),
            Map.entry("storage_opt", "storage options are not supported"));

    private static final Pattern ADDRESS = Pattern.compile("[0-9A-Fa-f.:]{2,45}");
    private static final int MOST_PORTS = 20;
    private static final Set<String> DRIVERS = Set.of("json-file", "local", "none");

    private final CheckContext context;
    private final Findings findings;
    private final String name;
    private final String where;
    private final JsonNode source;
    private final ObjectNode volumes;
    private final ObjectNode result = JsonNodeFactory.instance.objectNode();

    /** Of a service; volumes that it mounts without a name become the stack's. */
    ServiceCheck(CheckContext context, String name, JsonNode source, ObjectNode volumes) {
        this.context = context;
        this.findings = context.findings();
        this.name = name;
        this.where = "services." + name;
        this.source = source;
        this.volumes = volumes;
    }

    /**
     * What is run instead.
     *
     * @param builtImage the name of the image when it is built here
     * @param images the id of another one; throws {@link IllegalArgumentException} when it may not be used
     */
    ObjectNode effective(@Nullable String builtImage, UnaryOperator<String> images) throws IOException {
        context.requireName(where, name);
        for (Map.Entry<String, JsonNode> field : source.properties()) {
            if (HARMLESS.contains(field.getKey())) {
                result.set(field.getKey(), field.getValue());
            } else if (!ComposeChecker.isNothing(field.getValue())) {
                field(field.getKey(), field.getValue());
            }
        }
        result.put("image", image(builtImage, images));
        // What is not there has been fetched or built before.
        result.put("pull_policy", "never");
        // Where it has the network of another service it has the resolver of that one, too.
        if (context.stack().rules().confined()
                && !result.path("network_mode").asText().startsWith("service:")) {
            // The engine would ask the resolvers of this machine, and names can carry anything.
            result.putArray("dns").add("127.0.0.1");
        }
        new LimitsCheck(context, where, source, result).apply();
        RatesCheck.probeOfImage(result);
        // The least that keeps root of an image from making devices or files with capabilities in the workspace.
        ArrayNode dropped = result.get("cap_drop") instanceof ArrayNode own ? own : result.putArray("cap_drop");
        dropped.add("MKNOD").add("SETFCAP").add("NET_RAW").add("AUDIT_WRITE");
        result.putArray("security_opt").add("no-new-privileges:true");
        if (!result.has("logging")) {
            ObjectNode logging = result.putObject("logging");
            logging.put("driver", "json-file");
            logging.putObject("options").put("max-size", "10m").put("max-file", "2");
        }
        if (writesWorkspace()) {
            asOwner(dropped);
        }
        context.putLabels(result);
        return result;
    }

    private String image(@Nullable String builtImage, UnaryOperator<String> images) throws IOException {
        if (builtImage != null) {
            new BuildCheck(context, name, source.path("build")).note(builtImage);
            return builtImage;
        }
        String image = source.path("image").asText("");
        try {
            return images.apply(image);
        } catch (IllegalArgumentException e) {
            findings.refuse(where + ".image", image.isEmpty() ? "it is missing" : String.valueOf(e.getMessage()));
            return "";
        }
    }

    private boolean writesWorkspace() {
        if (!result.path("volumes_from").isEmpty()) {
            return true;
        }
        String workspace = MountCheck.workspaceSource(context.stack().mount());
        for (JsonNode mount : result.path("volumes")) {
            if (mount.path("source").asText().equals(workspace)
                    && !mount.path("read_only").asBoolean()) {
                return true;
            }
        }
        return false;
    }

    /**
     * What another user, such as the root of an image, or a member of another group makes in the workspace could have the rights
     * of that user or group for whoever runs it on the host, and could not be deleted there.
     */
    private void asOwner(ArrayNode dropped) {
        dropped.removeAll();
        dropped.add("ALL");
        if (!context.stack().owner().equals(source.path("user").asText())) {
            findings.note(where + ": it can write to the workspace, so it runs as the workspace's owner, "
                    + context.stack().owner() + ", and without capabilities");
        }
        result.put("user", context.stack().owner());
        if (result.remove("group_add") != null) {
            findings.note(where + ": group_add is left out, since it can write to the workspace");
        }
    }

    private void field(String key, JsonNode value) throws IOException {
        String reason = REFUSED.get(key);
        if (reason != null) {
            findings.refuse(where + "." + key, reason);
        } else if (!LEFT_OUT.contains(key) && !LimitsCheck.FIELDS.contains(key)) {
            switch (key) {
                case "image", "build", "pull_policy" -> {}
                case "hostname" -> {
                    context.requireName(where + "." + key, value.asText());
                    result.set(key, value);
                }
                case "container_name" -> {
                    context.requireName(where + "." + key, value.asText());
                    if (context.stack().rules().containerNames()) {
                        result.set(key, value);
                    } else {
                        findings.note(where + ": container_name is left out; services reach it as '" + name + "'");
                    }
                }
                case "environment" -> environment(value);
                case "ports" -> ports(value);
                case "ulimits" -> new RatesCheck(context, where, result).ulimits(value);
                case "healthcheck" -> new RatesCheck(context, where, result).healthcheck(value);
                case "labels" -> context.leaveOutLabels(where, value);
                case "network_mode" -> networkMode(value.asText());
                case "networks" -> networks(value);
                case "ipc" -> {
                    if (!Set.of("private", "none", "shareable").contains(value.asText())) {
                        findings.refuse(where + ".ipc", "only its own memory is shared; leave it out");
                    }
                }
                case "extra_hosts" -> extraHosts(value);
                case "logging" -> logging(value);
                case "secrets", "configs" -> result.set(key, value);
                case "volumes" -> new MountCheck(context, name, result, volumes).apply(value);
                case "volumes_from" -> volumesFrom(value);
                default -> context.unknown(where, key);
            }
        }
    }

    /** Without a value compose would take that of this machine. */
    private void environment(JsonNode variables) {
        ObjectNode own = result.putObject("environment");
        for (Map.Entry<String, JsonNode> variable : variables.properties()) {
            if (variable.getValue().isNull()) {
                findings.note(where + ": " + variable.getKey() + " of environment has no value and is left out");
            } else {
                own.set(variable.getKey(), variable.getValue());
            }
        }
    }

    private void ports(JsonNode ports) {
        if (!context.stack().rules().publishPorts()) {
            findings.note(
                    where + ": its ports are not published; reach it by its name '" + name + "' and port from here");
            return;
        }
        if (ports.size() > MOST_PORTS) {
            findings.refuse(
                    where + ".ports",
                    ports.size() + " are more than the " + MOST_PORTS + " that one service may publish, as each takes"
                            + " processes of this machine");
            return;
        }
        ArrayNode published = result.putArray("ports");
        for (JsonNode port : ports) {
            ObjectNode one = published.addObject();
            for (String key : new String[] {"target", "published", "protocol"}) {
                if (port.has(key)) {
                    one.set(key, port.get(key));
                }
            }
            // Nobody beyond the engine's machine is to reach what an agent tries out.
            one.put("host_ip", "127.0.0.1");
        }
    }

    private void networkMode(String mode) {
        boolean own = mode.equals("none") || mode.startsWith("service:");
        if (own) {
            result.put("network_mode", mode);
        } else {
            findings.refuse(
                    where + ".network_mode",
                    "'" + mode + "' leaves the stack's network; only none and service: are allowed");
        }
    }

    private void networks(JsonNode networks) {
        ObjectNode target = result.putObject("networks");
        for (Map.Entry<String, JsonNode> network : networks.properties()) {
            if (network.getValue().isNull()) {
                target.putNull(network.getKey());
                continue;
            }
            ObjectNode one = target.putObject(network.getKey());
            for (Map.Entry<String, JsonNode> field : network.getValue().properties()) {
                if (Set.of("aliases", "priority").contains(field.getKey())) {
                    field.getValue()
                            .forEach(alias -> context.requireName(
                                    where + ".networks." + network.getKey() + ".aliases", alias.asText()));
                    one.set(field.getKey(), field.getValue());
                } else if (Set.of("ipv4_address", "ipv6_address", "link_local_ips", "mac_address")
                        .contains(field.getKey())) {
                    findings.note(where + ": " + field.getKey() + " is left out; services reach it as '" + name + "'");
                } else if (!ComposeChecker.isNothing(field.getValue())) {
                    context.unknown(where + ".networks." + network.getKey(), field.getKey());
                }
            }
        }
    }

    /** Each is a name and an address, with an equals sign between them, or a colon, as older versions of compose write it. */
    private void extraHosts(JsonNode hosts) {
        for (JsonNode host : hosts) {
            String[] parts = host.asText().split("[=:]", 2);
            String address = parts.length < 2 ? "" : parts[1];
            if (UntrustedNames.isMachine(address)) {
                findings.refuse(where + ".extra_hosts", "host-gateway reaches services of the machine; leave it out");
            } else if (!ADDRESS.matcher(address).matches()) {
                findings.refuse(where + ".extra_hosts", "'" + host.asText() + "' is no name with an IP address");
            }
        }
        result.set("extra_hosts", hosts);
    }

    private void logging(JsonNode logging) {
        String driver = logging.path("driver").asText("json-file");
        if (!DRIVERS.contains(driver)) {
            findings.refuse(where + ".logging.driver", "'" + driver + "' sends logs elsewhere; use json-file");
            return;
        }
        ObjectNode target = result.putObject("logging");
        target.put("driver", driver);
        ObjectNode options = target.putObject("options");
        if (!driver.equals("none")) {
            options.put("max-size", "10m").put("max-file", "2");
        }
    }

    private void volumesFrom(JsonNode all) {
        for (JsonNode one : all) {
            if (one.asText().startsWith("container:")) {
                findings.refuse(
                        where + ".volumes_from", "volumes of others are not mounted; name a service of the file");
            }
        }
        result.set("volumes_from", all);
    }
}
