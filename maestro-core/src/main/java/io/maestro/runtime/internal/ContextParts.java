package io.maestro.runtime.internal;

import io.maestro.chat.ChatException;
import io.maestro.chat.internal.ChatRoom;
import io.maestro.environment.Phase;
import io.maestro.files.internal.AgentFiles;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolException;
import java.util.Map;

/**
 * Creates the tool context of an agent with the services of the built-in tools: files, diff, chat and network. Tools of other jars
 * use the same context, so that the same rules hold.
 */
public final class ContextParts {
    private ContextParts() {}

    /**
     * A context that is read-only for everybody but a coder in CODING.
     *
     * @param agentId the agent
     * @param audience its role and phase
     * @param storyId what it works on
     * @param services what Maestro and the host have for tools
     * @return to be added to
     */
    public static DefaultToolContext.Builder context(
            String agentId, ToolAudience audience, String storyId, Map<Class<?>, ?> services) {
        DefaultToolContext.Builder context =
                DefaultToolContext.builder(agentId, audience).storyId(storyId).services(services);
        boolean writable = audience == ToolAudience.CODER_CODING;
        if (writable) {
            context.writable();
        }
        if (services.get(ChatRoom.class) instanceof ChatRoom room) {
            context.chat(text -> post(room, agentId, storyId, text));
        }
        if (services.get(PhaseNetwork.class) instanceof PhaseNetwork network) {
            context.network(network.of(phase(audience)));
        }
        boolean works = writable || audience == ToolAudience.CODER_PLANNING;
        if (works && services.get(WorkspaceView.class) instanceof WorkspaceView view) {
            context.files(new AgentFiles(
                    () -> view.directory(agentId)
                            .orElseThrow(() -> new ToolException(agentId + " is not at work any more")),
                    !writable));
            context.diff(() -> view.diff(agentId, null, 1, WorkspaceView.MOST_OF_A_DIFF)
                    .orElseThrow(() -> new ToolException(agentId + " has no branch to compare its work with")));
        }
        return context;
    }

    private static void post(ChatRoom room, String agentId, String storyId, String text) {
        try {
            room.postOnce(agentId, storyId, text);
        } catch (ChatException e) {
            throw new ToolException(String.valueOf(e.getMessage()));
        }
    }

    /** The phase of whoever is offered a tool. */
    public static Phase phase(ToolAudience audience) {
        return switch (audience) {
            case CODER_PLANNING -> Phase.PLANNING;
            case CODER_CODING -> Phase.CODING;
            case ARCHITECT, ARCHITECT_SCOPING, ARCHITECT_EDITING -> Phase.ARCHITECT;
        };
    }
}
