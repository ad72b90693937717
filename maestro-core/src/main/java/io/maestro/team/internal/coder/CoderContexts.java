package io.maestro.team.internal.coder;

import io.maestro.git.internal.Workspace;
import io.maestro.instructions.internal.Instructions;
import io.maestro.instructions.internal.Skills;
import io.maestro.llm.LlmRequest;
import io.maestro.prompt.internal.FileTree;
import io.maestro.prompt.internal.Headings;
import io.maestro.runtime.internal.ContextParts;
import io.maestro.runtime.internal.DefaultToolContext;
import io.maestro.story.CoderState;
import io.maestro.story.StoryType;
import io.maestro.team.internal.loop.AgentNotes;
import io.maestro.team.internal.loop.LoopContext;
import io.maestro.team.internal.loop.ModelConversation;
import io.maestro.team.internal.loop.Resources;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Sets up the contexts of coders: tools for the state, system prompt, and the story as the first message. */
public final class CoderContexts {
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

    private final Resources resources;
    private final AgentNotes notes;

    public CoderContexts(Resources resources, AgentNotes notes) {
        this.resources = resources;
        this.notes = notes;
    }

    /** A context for a model, in the state that the run is in. */
    LoopContext of(StoryAttempt run) {
        AgentTools tools = tools(run);
        LlmRequest.Origin origin = new LlmRequest.Origin(
                run.agentId(), run.story().id(), run.state().name());
        ModelConversation conversation = ModelConversation.resume(
                        resources.store(), resources.redactor(), run.sessionId(), run.attempt(), origin, run.step())
                .orElseGet(() -> ModelConversation.begin(
                        resources.store(),
                        resources.redactor(),
                        run.sessionId(),
                        run.attempt(),
                        origin,
                        run.step(),
                        systemPrompt(run, tools),
                        instructions(run).hashes()));
        if (conversation.messages().isEmpty()) {
            conversation.addUser(storyPrompt(run));
        }
        return new LoopContext(conversation, tools);
    }

    /** What a coder may call in the state that the run is in. */
    public AgentTools tools(StoryAttempt run) {
        boolean coding = run.state() == CoderState.CODING;
        ToolAudience audience = coding ? ToolAudience.CODER_CODING : ToolAudience.CODER_PLANNING;
        Skills skills = instructions(run).skills();
        DefaultToolContext.Builder context = ContextParts.context(
                        run.agentId(), audience, run.story().id(), resources.services())
                .executor(new WatchedExecutor(run, resources.telemetry()))
                .at(run.attempt(), run.state().name())
                .services(Map.of(Skills.class, skills));
        Set<String> offered = resources.registry().definitions().stream()
                .filter(tool -> tool.audiences().contains(audience))
                .map(ToolDefinition::name)
                .filter(skills::mayOffer)
                .collect(Collectors.toUnmodifiableSet());
        return resources.registry().agentTools(context.build(), offered);
    }

    /** What the repository told its agents when the attempt began. */
    public Instructions instructions(StoryAttempt run) {
        return resources.instructions().at(run.instructionsCommit());
    }

    /** What a program is told beside its own system prompt. */
    public String instructions(StoryAttempt run, AgentTools tools) {
        Map<String, Object> variables = new HashMap<>();
        variables.put("agentId", run.agentId());
        variables.put("devops", run.story().type() == StoryType.DEVOPS);
        variables.put("instructions", instructions(run).text());
        if (run.state() != CoderState.CODING) {
            return resources.prompts().render("claude-planning", variables);
        }
        variables.put("branch", run.workspace().branch());
        variables.put("target", run.workspace().targetBranch());
        variables.put("environment", environment(tools));
        return resources.prompts().render("claude-coding", variables);
    }

    private String systemPrompt(StoryAttempt run, AgentTools tools) {
        Map<String, Object> variables = new HashMap<>();
        variables.put("agentId", run.agentId());
        variables.put("branch", run.workspace().branch());
        variables.put("target", run.workspace().targetBranch());
        variables.put("tools", tools.documentation());
        variables.put("devops", run.story().type() == StoryType.DEVOPS);
        variables.put("instructions", instructions(run).text());
        if (run.state() != CoderState.CODING) {
            return resources.prompts().render("coder-planning", variables);
        }
        variables.put("environment", environment(tools));
        return resources.prompts().render("coder-coding", variables);
    }

    /** Guidance for tools that change what commands run in; empty where none of them is offered. */
    private String environment(AgentTools tools) {
        String names = tools.list().stream()
                .map(ToolDefinition::name)
                .filter(ENVIRONMENT_TOOLS::contains)
                .map(name -> "`" + name + "`")
                .collect(Collectors.joining(", "));
        return names.isEmpty()
                ? ""
                : resources
                        .prompts()
                        .render("environment-tools", Map.of("names", names))
                        .stripTrailing();
    }

    private static String submodules(Workspace workspace) {
        List<String> paths = workspace.submodules();
        return paths.isEmpty()
                ? ""
                : "\n\nSubmodules, which are not checked out, and of which nothing that is changed can be committed: `"
                        + String.join("`, `", paths) + "`";
    }

    /** The story, and its plan where there is one. */
    public String storyPrompt(StoryAttempt run) {
        Map<String, Object> variables = new HashMap<>();
        variables.put("id", run.story().id());
        variables.put("title", run.story().title());
        variables.put("content", Headings.below(run.story().title(), run.story().content()));
        variables.put(
                "sparse",
                run.workspace().sparseDirectories().stream()
                        .map(directory -> "`" + directory + "`")
                        .collect(Collectors.joining(", ")));
        variables.put("files", FileTree.describe(run.workspace().directory()) + submodules(run.workspace()));
        variables.put("todos", notes.todos(run.story().id(), run.attempt()));
        if (run.state() != CoderState.CODING) {
            return resources.prompts().render("coder-planning-story", variables);
        }
        variables.put("plan", run.turns().plan());
        return resources.prompts().render("coder-coding-story", variables);
    }
}
