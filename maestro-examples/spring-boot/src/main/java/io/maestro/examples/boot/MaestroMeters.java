package io.maestro.examples.boot;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.llm.PriceTable;
import io.maestro.llm.Usage;
import io.maestro.story.CoderState;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts what happens. The meters begin at zero with each start of the application; what all stories have cost so far is in
 * the record.
 */
public final class MaestroMeters implements MaestroListener {
    /** Tools that have a meter of their own. */
    private static final int MOST_TOOLS = 300;

    private final MeterRegistry registry;
    private final PriceTable prices = PriceTable.defaults();
    private final Map<String, CoderState> states = new ConcurrentHashMap<>();
    private final Set<String> tools = ConcurrentHashMap.newKeySet();

    /**
     * Registers a gauge for each state in which a story can be before its end.
     *
     * @param registry the application's
     */
    public MaestroMeters(MeterRegistry registry) {
        this.registry = registry;
        for (CoderState state : CoderState.values()) {
            if (!state.isFinal()) {
                Gauge.builder("maestro.stories", states, map -> count(map, state))
                        .description("stories in this state now")
                        .tag("state", state.name())
                        .register(registry);
            }
        }
    }

    private static double count(Map<String, CoderState> states, CoderState state) {
        return states.values().stream().filter(state::equals).count();
    }

    @Override
    public void onEvent(MaestroEvent event) {
        if (event instanceof MaestroEvent.StateChanged changed) {
            if (changed.to().isFinal()) {
                states.remove(changed.storyId());
                registry.counter("maestro.stories.ended", "state", changed.to().name())
                        .increment();
            } else {
                states.put(changed.storyId(), changed.to());
            }
        } else if (event instanceof MaestroEvent.ToolFinished tool) {
            registry.timer("maestro.tool.calls", "tool", measured(tool), "error", String.valueOf(tool.error()))
                    .record(tool.duration());
        } else if (event instanceof MaestroEvent.ModelAnswered answer) {
            registry.timer("maestro.model.calls", "model", answer.model()).record(answer.duration());
            tokens(answer.model(), answer.usage());
        }
    }

    /** A model can call tools by whatever name: a tool has its own once a call of it has not failed. */
    private String measured(MaestroEvent.ToolFinished call) {
        String tool = call.tool();
        return tools.contains(tool) || !call.error() && tools.size() < MOST_TOOLS && tools.add(tool) ? tool : "other";
    }

    private void tokens(String model, Usage usage) {
        count(model, "input", usage.inputTokens());
        count(model, "output", usage.outputTokens());
        count(model, "cache-read", usage.cacheReadTokens());
        count(model, "cache-write", usage.cacheWriteTokens());
        prices.cost(model, usage)
                .ifPresent(dollars ->
                        registry.counter("maestro.cost.dollars", "model", model).increment(dollars.doubleValue()));
    }

    private void count(String model, String type, long tokens) {
        registry.counter("maestro.tokens", "model", model, "type", type).increment((double) tokens);
    }
}
