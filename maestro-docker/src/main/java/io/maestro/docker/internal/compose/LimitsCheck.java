package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.docker.ContainerLimits;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The limits of a service, in the old fields and in {@code deploy}: one place afterwards, never none, never too much. */
final class LimitsCheck {
    static final Set<String> FIELDS = Set.of("cpus", "mem_limit", "pids_limit", "shm_size", "scale", "deploy");

    /** What compose does nothing with outside a swarm. */
    private static final Set<String> DEPLOY_IGNORED = Set.of(
            "mode", "restart_policy", "update_config", "rollback_config", "placement", "endpoint_mode", "labels");

    private static final BigDecimal MANY = BigDecimal.valueOf(1_000);

    private final CheckContext context;
    private final String where;
    private final JsonNode source;
    private final ObjectNode result;

    LimitsCheck(CheckContext context, String where, JsonNode source, ObjectNode result) {
        this.context = context;
        this.where = where;
        this.source = source;
        this.result = result;
    }

    void apply() {
        ContainerLimits most = context.rules().most();
        ContainerLimits defaults = context.rules().defaults();
        JsonNode limits = source.path("deploy").path("resources").path("limits");
        BigDecimal cpus = limit("cpus", source.path("cpus"), limits.path("cpus"), BigDecimal.valueOf(most.cpus()));
        BigDecimal memory = limit(
                "mem_limit", source.path("mem_limit"), limits.path("memory"), BigDecimal.valueOf(most.memoryBytes()));
        BigDecimal pids =
                limit("pids_limit", source.path("pids_limit"), limits.path("pids"), BigDecimal.valueOf(most.pids()));
        result.put("cpus", cpus == null ? defaults.cpus() : cpus.doubleValue());
        String bytes = String.valueOf(memory == null ? defaults.memoryBytes() : memory.longValue());
        result.put("mem_limit", bytes);
        result.put("memswap_limit", bytes);
        result.put("pids_limit", pids == null ? defaults.pids() : pids.intValue());
        BigDecimal shared = limit(
                "shm_size",
                source.path("shm_size"),
                source.path("shm_size"),
                memory == null ? BigDecimal.valueOf(defaults.memoryBytes()) : memory);
        if (shared != null) {
            result.put("shm_size", String.valueOf(shared.longValue()));
        }
        deploy(source.path("deploy"));
        JsonNode replicas = source.path("deploy").path("replicas");
        JsonNode scale = replicas.isMissingNode() ? source.path("scale") : replicas;
        if (!scale.isMissingNode() && !scale.isNull()) {
            // Their sum over all services has its own limit.
            if (scale.canConvertToInt() && scale.asInt() >= 0 && scale.asInt() <= MANY.intValue()) {
                result.put("scale", scale.asInt());
            } else {
                context.findings().refuse(where + ".scale", "it must be 0 or more, and few, is " + scale);
            }
        }
    }

    private @Nullable BigDecimal limit(String field, JsonNode own, JsonNode deployed, BigDecimal most) {
        JsonNode value = isUnset(own) ? deployed : own;
        if (isUnset(value)) {
            return null;
        }
        BigDecimal number;
        try {
            number = new BigDecimal(value.asText());
        } catch (NumberFormatException e) {
            context.findings().refuse(where + "." + field, "it must be a number, is " + value);
            return null;
        }
        if (number.signum() <= 0 || number.compareTo(most) > 0) {
            context.findings()
                    .refuse(
                            where + "." + field,
                            "it must be more than 0 and at most " + most.toPlainString() + ", is " + value.asText());
        }
        return number;
    }

    private static boolean isUnset(JsonNode value) {
        return value.isMissingNode() || value.isNull() || value.asText().equals("0");
    }

    private void deploy(JsonNode deploy) {
        for (Map.Entry<String, JsonNode> field : deploy.properties()) {
            if (field.getKey().equals("resources")) {
                for (Map.Entry<String, JsonNode> part : field.getValue().properties()) {
                    resources(part.getKey(), part.getValue());
                }
            } else if (!field.getKey().equals("replicas") && !DEPLOY_IGNORED.contains(field.getKey())) {
                context.unknown(where + ".deploy", field.getKey());
            }
        }
    }

    private void resources(String part, JsonNode value) {
        String path = where + ".deploy.resources." + part;
        for (Map.Entry<String, JsonNode> field : value.properties()) {
            if (!Set.of("cpus", "memory", "pids").contains(field.getKey())
                    && !ComposeChecker.isNothing(field.getValue())) {
                context.findings().refuse(path + "." + field.getKey(), "devices of the machine are not given away");
            }
        }
    }
}
