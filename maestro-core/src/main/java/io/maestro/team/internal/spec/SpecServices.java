package io.maestro.team.internal.spec;

import io.maestro.agent.Limits;
import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.budget.internal.CostControl;
import io.maestro.git.internal.GitRepository;
import io.maestro.instructions.internal.RepositoryInstructions;
import io.maestro.llm.LlmClient;
import io.maestro.llm.Usage;
import io.maestro.prompt.internal.Prompts;
import io.maestro.runtime.ToolRegistry;
import io.maestro.team.internal.architect.ArchitectSandbox;
import io.maestro.team.internal.dispatch.LeaseKeeper;
import io.maestro.team.internal.dispatch.StoryDispatch;
import io.maestro.team.internal.loop.AgentNotes;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.team.internal.machine.Events;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the work on specifications needs.
 *
 * @param architectId who does it; also the name of its directory
 * @param sessionId identifies this life of the Maestro
 * @param model the architect's model
 * @param loop runs the model and its tools
 * @param registry the tools
 * @param prompts what the architect is told
 * @param store the record
 * @param redactor takes secrets out
 * @param events who watches
 * @param toolServices what the host gives to its tools
 * @param git the repository
 * @param targetBranch where work is merged into; null for the remote's own default
 * @param leases the leases of this session
 * @param stories the coders' side
 * @param limits what it may cost
 * @param notes the chat
 * @param sandbox where it runs commands
 * @param prices what tokens of a model cost in US dollars
 * @param instructions what the repository tells the architect
 * @param storyRetries how often a story that has failed may be rewritten and tried again; 0 or more
 */
public record SpecServices(
        String architectId,
        String sessionId,
        LlmClient model,
        ToolLoop loop,
        ToolRegistry registry,
        Prompts prompts,
        Store store,
        Redactor redactor,
        Events events,
        Map<Class<?>, Object> toolServices,
        GitRepository git,
        @Nullable String targetBranch,
        LeaseKeeper leases,
        StoryDispatch stories,
        Limits limits,
        AgentNotes notes,
        ArchitectSandbox sandbox,
        BiFunction<String, Usage, Optional<BigDecimal>> prices,
        RepositoryInstructions instructions,
        int storyRetries) {
    /** Keeps the hard limits on cost. */
    CostControl costs() {
        return new CostControl(store.spending(), sessionId, limits, prices);
    }

    public SpecServices {
        toolServices = Map.copyOf(toolServices);
        if (storyRetries < 0) {
            throw new IllegalArgumentException("storyRetries must be 0 or more, is " + storyRetries);
        }
    }
}
