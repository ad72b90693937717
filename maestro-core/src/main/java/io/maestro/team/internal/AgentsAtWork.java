package io.maestro.team.internal;

import io.maestro.agent.AgentStatus;
import io.maestro.agent.ModelState;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.llm.Usage;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** Knows from the events what each agent is at. Safe for use by several threads. */
final class AgentsAtWork implements MaestroListener {
    private static final String CODER = "coder";
    private static final String ARCHITECT = "architect";

    /** By agent and story: the architect may be at several. */
    private final Map<AgentStory, AgentStatus> statuses = new ConcurrentHashMap<>();

    private final String architect;

    private record AgentStory(String agent, String story) {}

    AgentsAtWork(String architect) {
        this.architect = architect;
    }

    /**
     * Those that work here, by their names.
     *
     * @param running the stories that have a coder: what waits for a person has none
     */
    List<AgentStatus> list(Set<String> running) {
        return statuses.values().stream()
                .filter(status -> !status.role().equals(CODER) || running.contains(status.storyId()))
                .sorted(Comparator.comparing(AgentStatus::id).thenComparing(AgentStatus::storyId))
                .toList();
    }

    @Override
    public void onEvent(MaestroEvent event) {
        if (event instanceof MaestroEvent.StateChanged changed) {
            moved(changed);
        } else if (event instanceof MaestroEvent.SpecStateChanged changed) {
            moved(changed);
        } else if (event instanceof MaestroEvent.ArchitectReplied replied) {
            leave(architect, replied.storyId());
        } else if (event instanceof MaestroEvent.ModelCalled called) {
            update(event, status -> with(status, Optional.of(called.model()), status.lastCall(), Usage.NONE));
        } else if (event instanceof MaestroEvent.ModelAnswered answered) {
            update(event, status -> with(status, Optional.of(answered.model()), status.lastCall(), answered.usage()));
        } else if (event instanceof MaestroEvent.ToolStarted started) {
            update(event, status -> with(status, status.model(), Optional.of(started.tool()), Usage.NONE));
        }
    }

    private void moved(MaestroEvent.StateChanged changed) {
        if (changed.to() == CoderState.DONE || changed.to() == CoderState.ERROR) {
            statuses.keySet().removeIf(work -> work.story().equals(changed.storyId()));
            return;
        }
        statuses.compute(
                new AgentStory(changed.agentId(), changed.storyId()),
                (work, before) -> new AgentStatus(
                        work.agent(),
                        CODER,
                        work.story(),
                        changed.to().name(),
                        before == null ? Optional.empty() : before.model(),
                        before == null ? Optional.empty() : before.lastCall(),
                        before == null ? Usage.NONE : before.usage()));
    }

    private void moved(MaestroEvent.SpecStateChanged changed) {
        if (changed.to() != ArchitectState.SCOPING && changed.to() != ArchitectState.EDITING) {
            leave(changed.agentId(), changed.specId());
            return;
        }
        statuses.put(
                new AgentStory(changed.agentId(), changed.specId()),
                new AgentStatus(
                        changed.agentId(),
                        ARCHITECT,
                        changed.specId(),
                        changed.to().name(),
                        Optional.empty(),
                        Optional.empty(),
                        Usage.NONE));
    }

    /** Nobody thinks about a story any more that was stopped. */
    void forget(String story) {
        leave(architect, story);
    }

    private void leave(String agent, String story) {
        statuses.remove(new AgentStory(agent, story));
    }

    private void update(MaestroEvent event, UnaryOperator<AgentStatus> change) {
        boolean isArchitect = event.agentId().equals(architect);
        statuses.compute(new AgentStory(event.agentId(), event.storyId()), (work, before) -> {
            // A coder's work begins with a state; what comes after its end is too late.
            if (before == null && !isArchitect) {
                return null;
            }
            return change.apply(
                    before != null
                            ? before
                            : new AgentStatus(
                                    work.agent(),
                                    ARCHITECT,
                                    work.story(),
                                    ModelState.ANSWERING.name(),
                                    Optional.empty(),
                                    Optional.empty(),
                                    Usage.NONE));
        });
    }

    private static AgentStatus with(AgentStatus status, Optional<String> model, Optional<String> lastCall, Usage more) {
        return new AgentStatus(
                status.id(),
                status.role(),
                status.storyId(),
                status.state(),
                model,
                lastCall,
                status.usage().plus(more));
    }
}
