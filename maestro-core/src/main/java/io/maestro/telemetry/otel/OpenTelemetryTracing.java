package io.maestro.telemetry.otel;

import io.maestro.llm.Usage;
import io.maestro.telemetry.Telemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.DoubleCounter;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongHistogram;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Spans and metrics for OpenTelemetry, by its semantic conventions for generative AI (version 1.37): spans {@code invoke_agent},
 * {@code chat} and {@code execute_tool}; the metrics {@code gen_ai.client.token.usage}, {@code gen_ai.client.operation.duration} and
 * {@code maestro.cost} in US dollars. Where these have no name for something, it begins with {@code maestro.}. No text of a model,
 * argument or answer is in a span: the record has them.
 *
 * <p>A host that has Micrometer takes its bridge to OpenTelemetry. Safe for use by several threads; nothing of it is to be closed.
 */
public final class OpenTelemetryTracing implements Telemetry {
    private static final String SCOPE = "io.maestro";
    private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("gen_ai.operation.name");
    private static final AttributeKey<String> AGENT = AttributeKey.stringKey("gen_ai.agent.name");
    private static final AttributeKey<String> CONVERSATION = AttributeKey.stringKey("gen_ai.conversation.id");
    private static final AttributeKey<String> REQUESTED = AttributeKey.stringKey("gen_ai.request.model");
    private static final AttributeKey<String> ANSWERED = AttributeKey.stringKey("gen_ai.response.model");
    private static final AttributeKey<Long> INPUT = AttributeKey.longKey("gen_ai.usage.input_tokens");
    private static final AttributeKey<Long> OUTPUT = AttributeKey.longKey("gen_ai.usage.output_tokens");
    private static final AttributeKey<String> TOKEN_TYPE = AttributeKey.stringKey("gen_ai.token.type");
    private static final AttributeKey<String> TOOL = AttributeKey.stringKey("gen_ai.tool.name");
    private static final AttributeKey<String> CALL = AttributeKey.stringKey("gen_ai.tool.call.id");
    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("maestro.attempt");
    private static final AttributeKey<String> STATE = AttributeKey.stringKey("maestro.state");
    private static final AttributeKey<Boolean> OWN = AttributeKey.booleanKey("maestro.tool.own");
    private static final AttributeKey<Double> DOLLARS = AttributeKey.doubleKey("maestro.cost.dollars");

    /** Tools that metrics know by name. */
    private static final int MOST_TOOLS = 300;

    private final Set<String> measuredTools = ConcurrentHashMap.newKeySet();
    private final Tracer tracer;
    private final LongHistogram tokens;
    private final DoubleHistogram durations;
    private final DoubleCounter cost;

    private OpenTelemetryTracing(OpenTelemetry openTelemetry) {
        this.tracer = openTelemetry.getTracer(SCOPE);
        Meter meter = openTelemetry.getMeter(SCOPE);
        this.tokens = meter.histogramBuilder("gen_ai.client.token.usage")
                .ofLongs()
                .setUnit("{token}")
                .setDescription("Tokens that a request to a model has used")
                .build();
        this.durations = meter.histogramBuilder("gen_ai.client.operation.duration")
                .setUnit("s")
                .setDescription("How long requests to models and calls of tools took")
                .setExplicitBucketBoundariesAdvice(
                        List.of(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92))
                .build();
        this.cost = meter.counterBuilder("maestro.cost")
                .ofDoubles()
                .setUnit("USD")
                .setDescription("What requests to models have cost, where the price is known")
                .build();
    }

    /**
     * Traces by an OpenTelemetry of the host's.
     *
     * @param openTelemetry stays the host's to close
     * @return to be given to {@code Maestro.builder().telemetry(…)}
     */
    @SuppressWarnings("exports") // Optional: its readers have it on the class path.
    public static OpenTelemetryTracing of(OpenTelemetry openTelemetry) {
        return new OpenTelemetryTracing(Objects.requireNonNull(openTelemetry, "openTelemetry"));
    }

    @Override
    public Span start(Operation operation, Instant began) {
        String name = operationName(operation.kind());
        io.opentelemetry.api.trace.Span span = tracer.spanBuilder(name + " " + operation.name())
                .setSpanKind(operation.kind() == Kind.MODEL ? SpanKind.CLIENT : SpanKind.INTERNAL)
                .setStartTimestamp(began)
                .setAllAttributes(attributes(operation, name))
                .startSpan();
        return new Traced(operation, span, began);
    }

    /** A model can call tools by whatever name: a tool is known by its name once a call of it has not failed. */
    private String measuredTool(String name, String failure) {
        boolean ran = failure.isEmpty() || failure.equals("exit_code");
        return measuredTools.contains(name) || ran && measuredTools.size() < MOST_TOOLS && measuredTools.add(name)
                ? name
                : "_OTHER";
    }

    private static String operationName(Kind kind) {
        return switch (kind) {
            case AGENT -> "invoke_agent";
            case MODEL -> "chat";
            case TOOL, OWN_TOOL -> "execute_tool";
        };
    }

    private static Attributes attributes(Operation operation, String name) {
        AttributesBuilder attributes = Attributes.builder()
                .put(OPERATION, name)
                .put(AGENT, operation.agentId())
                .put(CONVERSATION, operation.storyId())
                .put(ATTEMPT, (long) operation.attempt());
        if (!operation.state().isEmpty()) {
            attributes.put(STATE, operation.state());
        }
        if (operation.kind() == Kind.MODEL) {
            attributes.put(REQUESTED, operation.name());
        }
        if (operation.kind() == Kind.TOOL || operation.kind() == Kind.OWN_TOOL) {
            attributes.put(TOOL, operation.name()).put(OWN, operation.kind() == Kind.OWN_TOOL);
        }
        if (operation.callId() != null) {
            attributes.put(CALL, operation.callId());
        }
        return attributes.build();
    }

    @Override
    public Context current() {
        return context(io.opentelemetry.context.Context.current());
    }

    private static Context context(io.opentelemetry.context.Context context) {
        return new Context() {
            @Override
            @SuppressWarnings("MustBeClosedChecker") // Whoever enters closes it.
            public Scope enter() {
                return context.makeCurrent()::close;
            }
        };
    }

    @Override
    public Map<String, String> variables() {
        Map<String, String> variables = new HashMap<>();
        W3CTraceContextPropagator.getInstance()
                .inject(
                        io.opentelemetry.context.Context.current(),
                        variables,
                        (all, key, value) -> Objects.requireNonNull(all).put(key.toUpperCase(Locale.ROOT), value));
        return variables;
    }

    private final class Traced implements Span {
        private final Operation operation;
        private final io.opentelemetry.api.trace.Span span;
        private final Instant began;
        private volatile String answeredBy = "";
        private volatile String failure = "";

        Traced(Operation operation, io.opentelemetry.api.trace.Span span, Instant began) {
            this.operation = operation;
            this.span = span;
            this.began = began;
        }

        @Override
        public Scope enter() {
            return context(io.opentelemetry.context.Context.current().with(span))
                    .enter();
        }

        @Override
        public void answered(String model, Usage usage, @Nullable BigDecimal dollars) {
            answeredBy = model;
            span.setAttribute(ANSWERED, model)
                    .setAttribute(INPUT, usage.totalTokens() - usage.outputTokens())
                    .setAttribute(OUTPUT, usage.outputTokens());
            Attributes attributes = measured();
            tokens.record(
                    usage.totalTokens() - usage.outputTokens(),
                    attributes.toBuilder().put(TOKEN_TYPE, "input").build());
            tokens.record(
                    usage.outputTokens(),
                    attributes.toBuilder().put(TOKEN_TYPE, "output").build());
            if (dollars != null) {
                span.setAttribute(DOLLARS, dollars.doubleValue());
                cost.add(dollars.doubleValue(), attributes);
            }
        }

        @Override
        public void failed(String type) {
            failure = type;
            span.setAttribute(ERROR, type).setStatus(StatusCode.ERROR);
        }

        /** What metrics are told apart by: few values each. */
        private Attributes measured() {
            AttributesBuilder attributes = Attributes.builder().put(OPERATION, operationName(operation.kind()));
            if (operation.kind() == Kind.MODEL) {
                attributes.put(REQUESTED, operation.name());
                if (!answeredBy.isEmpty()) {
                    attributes.put(ANSWERED, answeredBy);
                }
            } else if (operation.kind() != Kind.AGENT) {
                attributes.put(TOOL, measuredTool(operation.name(), failure));
            }
            if (!failure.isEmpty()) {
                attributes.put(ERROR, failure);
            }
            return attributes.build();
        }

        @Override
        public void close() {
            Instant now = Instant.now();
            durations.record(Duration.between(began, now).toNanos() / 1e9, measured());
            span.end(now);
        }
    }
}
