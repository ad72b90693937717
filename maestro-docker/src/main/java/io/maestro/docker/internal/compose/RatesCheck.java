package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a service may ask of the kernel and of the engine's clock. Only the two resource limits that limits of memory and processes
 * bound anyway are taken over: a real-time priority beats the limit of the processor, locked memory and core files reach beyond the
 * container. A probe of health runs outside of the limits, so that it does not run more often than once a second.
 */
final class RatesCheck {
    /** What programs ask for, and what kernels give at most without being told otherwise. */
    private static final Map<String, Long> MOST = Map.of("nofile", 1L << 20, "nproc", 1L << 16);

    private static final Set<String> PROBE =
            Set.of("test", "interval", "timeout", "retries", "start_period", "start_interval", "disable");
    private static final Set<String> INTERVALS = Set.of("interval", "start_interval");
    private static final Pattern DURATION = Pattern.compile("(\\d+(?:\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h|d|w)");
    private static final Map<String, BigDecimal> SECONDS = Map.of(
            "ns",
            new BigDecimal("1e-9"),
            "us",
            new BigDecimal("1e-6"),
            "µs",
            new BigDecimal("1e-6"),
            "μs",
            new BigDecimal("1e-6"),
            "ms",
            new BigDecimal("1e-3"),
            "s",
            BigDecimal.ONE,
            "m",
            BigDecimal.valueOf(60),
            "h",
            BigDecimal.valueOf(3_600),
            "d",
            BigDecimal.valueOf(86_400),
            "w",
            BigDecimal.valueOf(604_800));

    private final CheckContext context;
    private final String where;
    private final ObjectNode result;

    RatesCheck(CheckContext context, String where, ObjectNode result) {
        this.context = context;
        this.where = where;
        this.result = result;
    }

    void ulimits(JsonNode ulimits) {
        ObjectNode target = result.putObject("ulimits");
        for (Map.Entry<String, JsonNode> limit : ulimits.properties()) {
            String path = where + ".ulimits." + limit.getKey();
            Long most = MOST.get(limit.getKey());
            JsonNode value = limit.getValue();
            if (most == null) {
                context.findings().note(path + " is left out; only " + MOST.keySet() + " can be set");
            } else if (value.isObject()) {
                ObjectNode pair = target.putObject(limit.getKey());
                for (String part : new String[] {"soft", "hard"}) {
                    pair.put(part, within(path + "." + part, value.path(part), most));
                }
            } else {
                target.put(limit.getKey(), within(path, value, most));
            }
        }
    }

    private long within(String path, JsonNode value, long most) {
        long number = value.canConvertToLong() ? value.asLong() : -1;
        if (number < 0 || number > most) {
            context.findings().refuse(path, "it must be a number from 0 to " + most + ", is " + value);
        }
        return number;
    }

    void healthcheck(JsonNode probe) {
        ObjectNode target = result.putObject("healthcheck");
        for (Map.Entry<String, JsonNode> field : probe.properties()) {
            String path = where + ".healthcheck." + field.getKey();
            JsonNode value = field.getValue();
            if (!PROBE.contains(field.getKey())) {
                context.unknown(where + ".healthcheck", field.getKey());
            } else if (INTERVALS.contains(field.getKey()) && isTooShort(value.asText())) {
                context.findings().note(path + " is 1 s instead of " + value.asText() + ", the shortest that there is");
                target.put(field.getKey(), "1s");
            } else {
                target.set(field.getKey(), value);
            }
        }
    }

    /** An image can bring a probe of its own, which would run as often as the image says. */
    static void probeOfImage(ObjectNode service) {
        ObjectNode probe =
                service.get("healthcheck") instanceof ObjectNode own ? own : service.putObject("healthcheck");
        if (!probe.path("disable").asBoolean() && !probe.has("interval")) {
            probe.put("interval", "30s");
        }
    }

    /** As compose writes it; nothing but zero stands for the default, and what is not understood counts as too short. */
    private static boolean isTooShort(String duration) {
        BigDecimal sum = BigDecimal.ZERO;
        Matcher part = DURATION.matcher(duration);
        int end = 0;
        while (part.lookingAt()) {
            sum = sum.add(new BigDecimal(part.group(1)).multiply(SECONDS.get(part.group(2))));
            end = part.end();
            part.region(end, duration.length());
        }
        return end < duration.length() || sum.compareTo(BigDecimal.ONE) < 0;
    }
}
