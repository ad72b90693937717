package io.maestro.telemetry.internal;

import io.maestro.llm.Usage;
import io.maestro.telemetry.Telemetry;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps what a telemetry throws from the work; the first of it is logged. */
public final class GuardedTelemetry implements Telemetry {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedTelemetry.class);

    private final Telemetry telemetry;
    private final AtomicBoolean warned = new AtomicBoolean();

    /** Guards it. */
    public GuardedTelemetry(Telemetry telemetry) {
        this.telemetry = telemetry;
    }

    @Override
    public Span start(Operation operation, Instant began) {
        Span span = guarded(() -> telemetry.start(operation, began), NONE.start(operation, began));
        return new GuardedSpan(span);
    }

    @Override
    public Context current() {
        Context context = guarded(telemetry::current, NONE.current());
        return new Context() {
            @Override
            public Scope enter() {
                return entered(context);
            }
        };
    }

    @Override
    public Map<String, String> variables() {
        return guarded(telemetry::variables, Map.of());
    }

    private Scope entered(Context context) {
        Scope scope = guarded(context::enter, () -> {});
        return () -> guarded(scope::close);
    }

    private void guarded(Runnable code) {
        boolean unused = guarded(
                () -> {
                    code.run();
                    return true;
                },
                false);
    }

    private <T> T guarded(Supplier<T> code, T otherwise) {
        try {
            T value = code.get();
            return value == null ? otherwise : value;
        } catch (RuntimeException | LinkageError e) {
            if (warned.compareAndSet(false, true)) {
                LOG.warn(
                        "the telemetry {} has failed; the work goes on",
                        telemetry.getClass().getName(),
                        e);
            }
            return otherwise;
        }
    }

    private final class GuardedSpan implements Span {
        private final Span span;

        GuardedSpan(Span span) {
            this.span = span;
        }

        @Override
        public Scope enter() {
            return entered(span);
        }

        @Override
        public void answered(String model, Usage usage, @Nullable BigDecimal dollars) {
            guarded(() -> span.answered(model, usage, dollars));
        }

        @Override
        public void failed(String type) {
            guarded(() -> span.failed(type));
        }

        @Override
        public void close() {
            guarded(span::close);
        }
    }
}
