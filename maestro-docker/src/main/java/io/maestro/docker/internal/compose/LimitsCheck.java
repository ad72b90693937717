package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.docker.ContainerLimits;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a service, in the old fields and in {@code deploy}: one place afterwards, never none, never too much. The numbers that
 * are sent are checked, in the unit in which they are sent: the ranges are those of {@link ContainerLimits}.
 */
final class LimitsCheck {
    static final Set<String> FIELDS =
            Set.of("cpus", "cpu_shares", "mem_limit", "pids_limit", "shm_size", "scale", "deploy");

    /** What compose does nothing with outside a swarm. */
    private static final Set<String> DEPLOY_IGNORED = Set.of(
            "mode", "restart_policy", "update_config", "rollback_config", "placement", "endpoint_mode", "labels");

    /** What engines give a container that asks for no weight ("docker run --cpu-shares"), and so what all others have. */
    private static final BigDecimal COMMON_WEIGHT = BigDecimal.valueOf(1_024);

    private static final int MANY = 1_000;

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

    /** How many containers a service has, where it says so in numbers that are taken. */
    static int containers(JsonNode service) {
        JsonNode scale = scale(service);
        return isScale(scale) ? scale.asInt() : 1;
    }

    private static JsonNode scale(JsonNode service) {
        JsonNode replicas = service.path("deploy").path("replicas");
        return replicas.isMissingNode() ? service.path("scale") : replicas;
    }

    /** The sum over all services has its own limit. */
    private static boolean isScale(JsonNode scale) {
        return scale.isIntegralNumber() && scale.asLong() >= 0 && scale.asLong() <= MANY;
    }

    void apply() {
        ContainerLimits most = context.stack().rules().most();
        ContainerLimits sent = context.stack().rules().defaults();
        JsonNode limits = source.path("deploy").path("resources").path("limits");
        BigDecimal cpus = number("cpus", limits.path("cpus"), BigDecimal.valueOf(most.cpus()));
        BigDecimal memory = number("mem_limit", limits.path("memory"), BigDecimal.valueOf(most.memoryBytes()));
        BigDecimal pids = number("pids_limit", limits.path("pids"), BigDecimal.valueOf(most.pids()));
        try {
            sent = new ContainerLimits(
                    cpus == null ? sent.cpus() : cpus.doubleValue(),
                    memory == null ? sent.memoryBytes() : memory.longValue(),
                    pids == null ? sent.pids() : pids.intValue());
        } catch (IllegalArgumentException e) {
            context.findings().refuse(where, String.valueOf(e.getMessage()));
        }
        result.put("cpus", sent.cpus());
        String bytes = String.valueOf(sent.memoryBytes());
        result.put("mem_limit", bytes);
        result.put("memswap_limit", bytes);
        result.put("pids_limit", sent.pids());
        BigDecimal shared = number("shm_size", MissingNode.getInstance(), BigDecimal.valueOf(sent.memoryBytes()));
        if (shared != null) {
            result.put("shm_size", String.valueOf(shared.longValue()));
        }
        BigDecimal weight = number("cpu_shares", MissingNode.getInstance(), COMMON_WEIGHT);
        if (weight != null) {
            result.put("cpu_shares", weight.intValue());
        }
        deploy(source.path("deploy"));
        JsonNode scale = scale(source);
        if (isScale(scale)) {
            result.put("scale", scale.asInt());
        } else if (!scale.isMissingNode() && !scale.isNull()) {
            context.findings().refuse(where + ".scale", "it must be 0 or more, and few, is " + scale);
        }
    }

    /** The field's number, or that of {@code deploy}; null where it is refused or not set. */
    private @Nullable BigDecimal number(String field, JsonNode deployed, BigDecimal most) {
        JsonNode own = source.path(field);
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
            return null;
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
