package io.maestro.prompt.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Every prompt there is, with the variables that it is given: one row each. What stands here is what a host can override
 * and what the README of maestro-core lists.
 */
public enum PromptTemplate {
    /** The coder's system prompt in PLANNING. */
    CODER_PLANNING("coder-planning", "coder in PLANNING: system prompt", coder()),
    /** The coder's first message in PLANNING. */
    CODER_PLANNING_STORY(
            "coder-planning-story",
            "coder in PLANNING: first message",
            texts("id", "title", "content", "files", "sparse", "todos")),
    /** The coder's system prompt in CODING. */
    CODER_CODING("coder-coding", "coder in CODING: system prompt", and(coder(), "environment", "<environment>")),
    /** The coder's first message in CODING. */
    CODER_CODING_STORY(
            "coder-coding-story",
            "coder in CODING: first message",
            texts("id", "title", "content", "files", "sparse", "plan", "todos")),
    /** What Claude Code is told in PLANNING beside its own system prompt. */
    CLAUDE_PLANNING(
            "claude-planning",
            "Claude Code in PLANNING: follows on its own system prompt",
            and(texts("agentId", "instructions"), "devops", true)),
    /** What Claude Code is told in CODING beside its own system prompt. */
    CLAUDE_CODING(
            "claude-coding",
            "Claude Code in CODING: follows on its own system prompt",
            and(texts("agentId", "branch", "target", "environment", "instructions"), "devops", true)),
    /** For a Claude Code that has stalled. */
    CLAUDE_STALLED(
            "claude-stalled", "Claude Code that was silent for too long and is resumed", texts("reason", "terminal")),
    /** For a Claude Code that was ended in the middle of its work. */
    CLAUDE_RESTARTED("claude-restarted", "Claude Code that was interrupted and is resumed", texts("terminal")),
    /** For a Claude Code whose session is gone. */
    CLAUDE_LOST("claude-lost", "Claude Code that begins anew because its session is gone", texts("terminal")),
    /** For a Claude Code whose container was replaced. */
    CLAUDE_MOVED(
            "claude-moved",
            "Claude Code that is resumed after `container_switch` or `container_update`",
            texts("tool", "answer")),
    /** A part of the coder's system prompt in CODING, where there are such tools. */
    ENVIRONMENT_TOOLS(
            "environment-tools",
            "`environment` of `coder-coding` and `claude-coding`, where tools for it are offered",
            texts("names")),
    /** The architect's system prompt in ANSWERING. */
    ARCHITECT_ANSWERING(
            "architect-answering", "architect in ANSWERING: system prompt", texts("agentId", "tools", "instructions")),
    /** A coder's question. */
    ARCHITECT_QUESTION("architect-question", "architect in ANSWERING: a question", request()),
    /** A plan, or the claim that there is nothing to do. */
    ARCHITECT_PLAN_REVIEW("architect-plan-review", "architect in ANSWERING: a plan", request()),
    /** A change. */
    ARCHITECT_CODE_REVIEW("architect-code-review", "architect in ANSWERING: a change", request()),
    /** A budget that is used up. */
    ARCHITECT_BUDGET_REVIEW("architect-budget-review", "architect in ANSWERING: a budget", request()),
    /** A merge. */
    ARCHITECT_MERGE("architect-merge", "architect in ANSWERING: a merge", request()),
    /** A call of a tool. */
    ARCHITECT_TOOL_CALL("architect-tool-call", "architect in ANSWERING: a call of a tool", request()),
    /** The architect's system prompt in SCOPING. */
    ARCHITECT_SCOPING(
            "architect-scoping",
            "architect in SCOPING: system prompt",
            texts("agentId", "target", "tools", "instructions")),
    /** The specification. */
    ARCHITECT_SPEC("architect-spec", "architect in SCOPING: first message", texts("id", "title", "content", "files")),
    /** The architect's system prompt in EDITING. */
    ARCHITECT_EDITING(
            "architect-editing",
            "architect in EDITING: system prompt",
            texts("agentId", "target", "tools", "instructions")),
    /** A story that has failed. */
    ARCHITECT_EDIT("architect-edit", "architect in EDITING: first message", edit()),
    /** The system prompt of an agent that works alone. */
    AGENT("agent", "an agent that works alone: system prompt", texts("agentId", "terminal", "tools")),
    /** For a model that ended its turn without completing anything. */
    REMINDER("reminder", "any model that ended its turn with nothing but text", texts("terminal")),
    /** What a story's commit says. */
    COMMIT(
            "commit",
            "people, in the message of a story's commit, without its trailers",
            and(texts("id", "title", "attempt", "header", "text"), "conventional", true)),
    /** What a forge shows to people. */
    PULL_REQUEST(
            "pull-request",
            "people, in a pull request: Maestro's section of its text",
            texts("id", "title", "attempt", "what", "why", "tests", "cost"));

    private final String id;
    private final String use;

    @SuppressWarnings("ImmutableEnumChecker") // never changed after it was made here
    private final Map<String, Object> samples;

    PromptTemplate(String id, String use, Map<String, Object> samples) {
        this.id = id;
        this.use = use;
        this.samples = samples;
    }

    private static Map<String, Object> texts(String... names) {
        Map<String, Object> samples = new LinkedHashMap<>();
        for (String name : names) {
            samples.put(name, "<" + name + ">");
        }
        return samples;
    }

    private static Map<String, Object> and(Map<String, Object> samples, String name, Object sample) {
        samples.put(name, sample);
        return samples;
    }

    private static Map<String, Object> coder() {
        return and(texts("agentId", "branch", "target", "tools", "instructions"), "devops", true);
    }

    private static Map<String, Object> request() {
        Map<String, Object> samples = texts("id", "title", "coderId", "content", "tool");
        return and(samples, "facts", List.of(texts("name", "text"), texts("name", "text")));
    }

    private static Map<String, Object> edit() {
        Map<String, Object> samples =
                texts("id", "title", "attempt", "outcome", "left", "content", "error", "specId", "specTitle", "spec");
        and(samples, "feedback", List.of(texts("kind", "decision", "message")));
        return and(samples, "dependents", List.of(texts("dependent"), texts("dependent")));
    }

    /**
     * Finds a prompt.
     *
     * @param id its name
     * @return empty when there is none of that name
     */
    public static Optional<PromptTemplate> find(String id) {
        return Arrays.stream(values()).filter(prompt -> prompt.id.equals(id)).findFirst();
    }

    /** All names, in the order of the rows. */
    public static List<String> ids() {
        return Arrays.stream(values()).map(PromptTemplate::id).toList();
    }

    /** The name: of its file, without {@code .mustache}. */
    public String id() {
        return id;
    }

    /** Who reads it, and when; Markdown. */
    public String use() {
        return use;
    }

    /** A value for each variable: a text, true, or a list of such maps. */
    public Map<String, Object> samples() {
        return Map.copyOf(samples);
    }

    /** The variables as that README shows them: {@code facts[name, text]} for a list. */
    public List<String> variables() {
        List<String> shown = new ArrayList<>();
        samples.forEach((name, sample) -> shown.add(sample instanceof List<?> list ? name + items(list) : name));
        return shown;
    }

    private static String items(List<?> list) {
        return new ArrayList<>(((Map<?, ?>) list.get(0)).keySet()).toString();
    }
}
