package io.maestro.claude.internal.coder;

import io.maestro.agent.spi.AgentContext;
import io.maestro.claude.GatewayClient;
import io.maestro.error.RetriableException;
import io.maestro.llm.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts what a coder's CLI uses, and lets it ask the API no more than it may. Safe for use by several threads. */
final class CliMeter implements GatewayClient {
    private final Parts parts;
    private final String model;
    private volatile @Nullable String refused;
    private volatile @Nullable Instant notBefore;
    private volatile boolean broken;

    /**
     * A meter that has counted nothing.
     *
     * @param model what is used when the API does not say it
     */
    CliMeter(Parts parts, String model) {
        this.parts = parts;
        this.model = model;
    }

    /** A process begins. */
    void begin() {
        refused = null;
        notBefore = null;
    }

    /** How long the API wants not to be asked, from now on; empty when it has named no time, or that is over. */
    Optional<Duration> retryAfter() {
        Instant end = notBefore;
        return end == null
                ? Optional.empty()
                : Optional.of(Duration.between(Instant.now(), end)).filter(left -> !left.isNegative());
    }

    @Override
    public void askedToWait(Duration time) {
        notBefore = Instant.now().plus(time);
    }

    /** The budget for which the process was refused a request last, if it was. */
    Optional<String> refusedBudget() {
        return Optional.ofNullable(refused);
    }

    @Override
    public Optional<String> refusal() {
        if (broken) {
            return Optional.of("Maestro cannot go on with this story");
        }
        if (!parts.mayAsk().getAsBoolean()) {
            return Optional.of("the turn has ended");
        }
        Optional<String> spent = parts.spent();
        refused = spent.orElse(null);
        return spent;
    }

    @Override
    public Exchange begin(Request request) {
        AgentContext.ModelRequest reserved;
        try {
            reserved = parts.task().reserve(request.model(), request.inputTokens(), request.maxTokens());
        } catch (RetriableException e) {
            // Other requests are under way: the CLI asks again.
            throw e;
        } catch (RuntimeException e) {
            end(e);
            throw e;
        }
        return new Exchange() {
            @Override
            public void used(String answered, Usage usage) {
                count(() -> reserved.used(named(answered), usage));
            }

            @Override
            public void unanswered(String asked, Usage most) {
                count(() -> reserved.unanswered(named(asked), most));
            }

            @Override
            public void failed(boolean mayBeCharged) {
                count(() -> reserved.failed(mayBeCharged));
            }
        };
    }

    @Override
    public void told(String role, String text) {
        count(() -> parts.told().accept(role, text));
    }

    @Override
    public void used(String answered, Usage usage) {
        count(() -> parts.task().used(named(answered), usage));
    }

    private String named(String name) {
        return name.isEmpty() ? model : name;
    }

    private void count(Runnable counting) {
        try {
            counting.run();
        } catch (RuntimeException e) {
            end(e);
        }
    }

    private void end(RuntimeException failure) {
        broken = true;
        parts.happenings().accept(new Happening.Broken(failure));
    }
}
