package io.maestro.team.internal;

import io.maestro.agent.CoderState;
import io.maestro.audit.Store;
import io.maestro.llm.LlmRequest;
import io.maestro.prompt.internal.Prompts;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.internal.DefaultToolContext;
import io.maestro.story.StoryType;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolProvider;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Sets up the desks of coders: tools for the state, system prompt, and the story as the first message. */
final class Desks {
    /** What changes the container or the services that a coder's commands run in. */
    private static final Set<String> ENVIRONMENT_TOOLS = Set.of(
            "container_build",
            "container_test",
            "container_switch",
            "container_update",
            "container_list",
            "compose_up",
            "compose_status",
            "compose_logs",
            "compose_down");

    private final ToolRegistry registry;
    private final Prompts prompts;
    private final Store store;
    private final Map<Class<?>, Object> services;
    private final SharedNotes notes;

    Desks(ToolRegistry registry, Prompts prompts, Store store, Map<Class<?>, Object> services, SharedNotes notes) {
        this.registry = registry;
        this.prompts = prompts;
        this.store = store;
        this.services = Map.copyOf(services);
        this.notes = notes;
    }

    Desk planning(StoryRun run) {
        return desk(run, ToolAudience.CODER_PLANNING, "coder-planning");
    }

    Desk coding(StoryRun run) {
        return desk(run, ToolAudience.CODER_CODING, "coder-coding");
    }

    private Desk desk(StoryRun run, ToolAudience audience, String systemPrompt) {
        DefaultToolContext.Builder context = DefaultToolContext.builder(run.agentId, audience)
                .storyId(run.story.id())
                .executor(new WatchedExecutor(run.executor(), run.outage))
                .services(services);
        if (audience == ToolAudience.CODER_CODING) {
            context.writable();
        }
        ToolProvider tools = registry.provider(context.build());
        LlmRequest.Origin origin = new LlmRequest.Origin(run.agentId, run.story.id(), run.state.name());
        Conversation conversation = Conversation.resume(store, run.sessionId, run.attempt, origin, run.progress.step)
                .orElseGet(() -> Conversation.begin(
                        store,
                        run.sessionId,
                        run.attempt,
                        origin,
                        run.progress.step,
                        systemPrompt(run, systemPrompt, tools)));
        if (conversation.messages().isEmpty()) {
            conversation.addUser(storyPrompt(run));
        }
        return new Desk(conversation, tools);
    }

    private String systemPrompt(StoryRun run, String name, ToolProvider tools) {
        Map<String, Object> variables = new HashMap<>();
        variables.put("agentId", run.agentId);
        variables.put("branch", run.workspace().branch());
        variables.put("target", run.workspace().targetBranch());
        variables.put("tools", tools.documentation());
        variables.put("devops", run.story.type() == StoryType.DEVOPS);
        if (run.state == CoderState.CODING) {
            variables.put("environment", environment(tools));
        }
        return prompts.render(name, variables);
    }

    /** Guidance for tools that change what commands run in; empty where none of them is offered. */
    private String environment(ToolProvider tools) {
        String names = tools.list().stream()
                .map(ToolDefinition::name)
                .filter(ENVIRONMENT_TOOLS::contains)
                .map(name -> "`" + name + "`")
                .collect(Collectors.joining(", "));
        return names.isEmpty()
                ? ""
                : prompts.render("environment-tools", Map.of("names", names)).stripTrailing();
    }

    private String storyPrompt(StoryRun run) {
        Map<String, Object> variables = new HashMap<>();
        variables.put("id", run.story.id());
        variables.put("title", run.story.title());
        variables.put("content", run.story.content());
        variables.put("files", FileTree.describe(run.workspace().directory()));
        variables.put("todos", notes.todos(run));
        if (run.state != CoderState.CODING) {
            return prompts.render("coder-planning-story", variables);
        }
        variables.put("plan", run.progress.plan == null ? "" : run.progress.plan);
        return prompts.render("coder-coding-story", variables);
    }
}
