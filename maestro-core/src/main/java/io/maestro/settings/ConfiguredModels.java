package io.maestro.settings;

import io.maestro.config.internal.Config;
import io.maestro.error.MaestroException;
import io.maestro.llm.AnthropicClient;
import io.maestro.llm.ConnectionOptions;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmException;
import io.maestro.llm.OpenAiClient;
import io.maestro.llm.Price;
import io.maestro.llm.PriceTable;
import io.maestro.llm.resilience.LlmClients;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** What a configuration says of models: which, how they are asked, what they cost. Not safe for use by several threads. */
final class ConfiguredModels {
    private static final String ANTHROPIC = "anthropic";
    private static final String OPENAI = "openai";
    private static final Pattern OPENAI_NAME = Pattern.compile("(gpt-|chatgpt-|codex-|o\\d).*");
    private static final int DEFAULT_RETRIES = 4;
    private static final Duration DEFAULT_CALL_TIME = Duration.ofMinutes(15);

    private final Config config;
    private final Map<String, String> environment;
    private final Consumer<String> secrets;

    /** Two agents with the same model share its rate limit. */
    private final Map<String, LlmClient> clients = new HashMap<>();

    /**
     * Looks at a configuration.
     *
     * @param config the whole configuration
     * @param environment where keys come from
     * @param secrets is told of values of the environment that the configuration names
     */
    ConfiguredModels(Config config, Map<String, String> environment, Consumer<String> secrets) {
        this.config = config;
        this.environment = environment;
        this.secrets = secrets;
    }

    /**
     * A model that a setting names.
     *
     * @param path the setting
     * @return empty when it is not set
     * @throws MaestroException when no client can be made for it
     */
    Optional<LlmClient> client(String path) {
        return config.text(path).map(name -> clients.computeIfAbsent(name, given -> client(path, given)));
    }

    private LlmClient client(String path, String given) {
        String vendor = vendor(path, given);
        String model = given.startsWith(vendor + ":") ? given.substring(vendor.length() + 1) : given;
        if (model.isEmpty()) {
            throw new MaestroException("$." + path + ": names a vendor and no model");
        }
        try {
            return decorated(vendor.equals(ANTHROPIC) ? anthropic(model) : openAi(model));
        } catch (LlmException | IllegalArgumentException e) {
            throw new MaestroException("$." + path + ": the model cannot be asked: " + e.getMessage(), e);
        }
    }

    private static String vendor(String path, String given) {
        if (given.startsWith(ANTHROPIC + ":") || given.startsWith("claude-")) {
            return ANTHROPIC;
        }
        if (given.startsWith(OPENAI + ":") || OPENAI_NAME.matcher(given).matches()) {
            return OPENAI;
        }
        throw new MaestroException("$." + path + ": it is not known who offers the model \"" + given + "\"; write "
                + ANTHROPIC + ":<model> or " + OPENAI + ":<model>, or set a client of another vendor in code");
    }

    private LlmClient anthropic(String model) {
        return AnthropicClient.builder(model)
                .fromEnvironment(environment)
                .connection(options -> connection(options, "models." + ANTHROPIC))
                .build();
    }

    private LlmClient openAi(String model) {
        return OpenAiClient.builder(model)
                .fromEnvironment(environment)
                .connection(options -> connection(options, "models." + OPENAI))
                .build();
    }

    private ConnectionOptions connection(ConnectionOptions defaults, String vendor) {
        ConnectionOptions set = defaults.maxRetries(ownRetries());
        set = with(set, config.text(vendor + ".base_url").map(URI::create), ConnectionOptions::baseUrl);
        set = with(set, variable(vendor + ".bearer_token"), ConnectionOptions::bearerToken);
        for (Map.Entry<String, String> header : headers(vendor + ".headers").entrySet()) {
            set = set.header(header.getKey(), header.getValue());
        }
        set = with(set, config.seconds("models.attempt_seconds"), ConnectionOptions::requestTimeLimit);
        return with(set, config.seconds("models.call_seconds"), ConnectionOptions::totalTimeLimit);
    }

    private static <T> ConnectionOptions with(
            ConnectionOptions options, Optional<T> value, BiFunction<ConnectionOptions, T, ConnectionOptions> setter) {
        return value.map(one -> setter.apply(options, one)).orElse(options);
    }

    private Optional<String> variable(String path) {
        return config.text(path).map(name -> variable(path, name));
    }

    private String variable(String path, String name) {
        String value = environment.getOrDefault(name, "").strip();
        if (value.isEmpty()) {
            throw new MaestroException("$." + path + ": the variable " + name + " is not set in the environment");
        }
        secrets.accept(value);
        return value;
    }

    private Map<String, String> headers(String path) {
        Map<String, String> headers = new LinkedHashMap<>();
        config.tree(path)
                .orElse(Map.of())
                .forEach((name, variable) ->
                        headers.put(name, variable(path + "['" + name + "']", String.valueOf(variable))));
        return headers;
    }

    private int retries() {
        return config.integer("models.max_retries").orElse(DEFAULT_RETRIES);
    }

    /** With a limit around a client each attempt must count: then the client itself tries once. */
    private int ownRetries() {
        return isLimited() ? 0 : retries();
    }

    private boolean isLimited() {
        return hasRateLimit() || config.integer("models.max_failures").isPresent();
    }

    private boolean hasRateLimit() {
        return config.integer("models.requests_per_minute").isPresent()
                || config.integer("models.tokens_per_minute").isPresent();
    }

    private LlmClient decorated(LlmClient client) {
        if (!isLimited()) {
            return client;
        }
        LlmClients.Builder builder = LlmClients.decorate(client)
                .retry(retry -> retry.maxRetries(retries())
                        .totalTimeLimit(config.seconds("models.call_seconds").orElse(DEFAULT_CALL_TIME)));
        if (hasRateLimit()) {
            builder.rateLimit(limit -> {
                config.integer("models.requests_per_minute").ifPresent(limit::requestsPerMinute);
                config.integer("models.tokens_per_minute").ifPresent(limit::tokensPerMinute);
            });
        }
        config.integer("models.max_failures")
                .ifPresent(failures -> builder.circuitBreaker(breaker -> breaker.maxFailures(failures)));
        return builder.build();
    }

    /**
     * What models cost.
     *
     * @return Maestro's list prices where nothing is set
     */
    static PriceTable prices(Config config) {
        PriceTable.Builder prices = PriceTable.defaults().toBuilder();
        config.object("models.prices").members().forEach((model, price) -> prices.model(model, price(price)));
        return prices.build();
    }

    private static Price price(Config price) {
        BigDecimal input = price.number("input").orElseThrow();
        return new Price(
                input,
                price.number("output").orElseThrow(),
                price.number("cache_read").orElse(input),
                price.number("cache_write").orElse(input));
    }
}
