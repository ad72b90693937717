package io.maestro.config.internal;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A configuration that was found valid, to read: by paths such as {@code agents.max_coders}. Immutable. */
public final class Config {
    /** Sets nothing. */
    public static final Config EMPTY = new Config(Map.of());

    private static final BigDecimal NANOS_PER_SECOND = BigDecimal.valueOf(1_000_000_000);

    private final Map<String, Object> root;

    private Config(Map<String, Object> root) {
        this.root = root;
    }

    /** A configuration that was found valid, as a tree of JSON types. */
    public static Config of(Map<String, Object> root) {
        return new Config(root);
    }

    /** All of it as a tree of JSON types. */
    public Map<String, Object> tree() {
        return root;
    }

    private @Nullable Object at(String path) {
        Object node = root;
        for (String step : path.split("\\.", -1)) {
            node = node instanceof Map<?, ?> map ? map.get(step) : null;
        }
        return node;
    }

    /** A text; empty when it is not set. */
    public Optional<String> text(String path) {
        return Optional.ofNullable((String) at(path));
    }

    /** A switch; empty when it is not set. */
    public Optional<Boolean> flag(String path) {
        return Optional.ofNullable((Boolean) at(path));
    }

    /** A number; empty when it is not set. */
    public Optional<BigDecimal> number(String path) {
        return Optional.ofNullable(at(path)).map(Config::decimal);
    }

    /** A number of the schema's type integer, which {@code 3.0} is too; empty when it is not set. */
    public Optional<Integer> integer(String path) {
        return number(path).map(BigDecimal::intValueExact);
    }

    /** A time that is given in seconds; empty when it is not set. */
    public Optional<Duration> seconds(String path) {
        return number(path)
                .map(seconds ->
                        Duration.ofNanos(seconds.multiply(NANOS_PER_SECOND).longValue()));
    }

    /** A list of texts; empty when it is not set. */
    public List<String> texts(String path) {
        return list(at(path)).stream().map(String::valueOf).toList();
    }

    /** A list of objects; empty when it is not set. */
    public List<Config> objects(String path) {
        return list(at(path)).stream().map(Config::section).toList();
    }

    /** An object; one that sets nothing when it is not there. */
    public Config object(String path) {
        return section(at(path));
    }

    /** An object as a tree of JSON types; empty when it is not set. */
    public Optional<Map<String, Object>> tree(String path) {
        return at(path) instanceof Map<?, ?> ? Optional.of(section(at(path)).root) : Optional.empty();
    }

    /** The values of this object, which are objects themselves, by their names. */
    public Map<String, Config> members() {
        return root.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, member -> section(member.getValue())));
    }

    /** The names of what is set in this object. */
    public List<String> names() {
        return List.copyOf(root.keySet());
    }

    private static List<?> list(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }

    @SuppressWarnings("unchecked") // names in JSON are strings
    private static Config section(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? new Config((Map<String, Object>) map) : EMPTY;
    }

    private static BigDecimal decimal(Object number) {
        return new BigDecimal(number.toString());
    }
}
