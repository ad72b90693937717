package io.maestro.team.internal.architect;

import io.maestro.agent.Architect;
import io.maestro.agent.ModelState;
import io.maestro.error.MaestroException;
import io.maestro.instructions.internal.Instructions;
import io.maestro.instructions.internal.Skills;
import io.maestro.llm.LlmRequest;
import io.maestro.prompt.internal.Headings;
import io.maestro.runtime.internal.ContextParts;
import io.maestro.runtime.internal.DefaultCoder;
import io.maestro.runtime.internal.DefaultToolContext;
import io.maestro.team.internal.loop.AgentNotes;
import io.maestro.team.internal.loop.LoopInput;
import io.maestro.team.internal.loop.ModelConversation;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.telemetry.Telemetry;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolSignal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The architect with a model of its own. It keeps a conversation for each story, so that it remembers in a second review
 * what it asked for in the first. Safe for use by several threads.
 */
public final class ArchitectAgent implements Architect {
    /** How a reply comes: one of these tools is offered, according to what was asked. */
    private static final String REVIEW = "review_complete";

    private static final String ANSWER = "submit_reply";

    /** How facts are called in the prompt. */
    private static final Map<String, String> HEADINGS = Map.ofEntries(
            Map.entry(Request.QUESTION, "The question"),
            Map.entry(Request.PLAN, "The plan"),
            Map.entry(Request.CLAIM, "The coder says that the story is done already"),
            Map.entry(Request.SUMMARY, "What the coder says"),
            Map.entry(Request.TESTS, "The project's tests"),
            Map.entry(Request.DIFF_STAT, "Changed files"),
            Map.entry(Request.DIFF, "The difference"),
            Map.entry(Request.BUDGET, "What was used up"),
            Map.entry(Request.MERGE, "The merge"),
            Map.entry(Request.CALL, "The call"),
            Map.entry(Request.RULE, "Why you are asked"));

    private final String id;
    private final Resources resources;
    private final ToolLoop loop;
    private final Map<String, ? extends Requester> runs;
    private final AgentNotes notes;
    private final ArchitectSandbox sandbox;
    private final Map<String, ModelConversation> conversations = new ConcurrentHashMap<>();

    public ArchitectAgent(
            String id,
            Resources resources,
            ToolLoop loop,
            Map<String, ? extends Requester> runs,
            AgentNotes notes,
            ArchitectSandbox sandbox) {
        this.id = id;
        this.resources = resources;
        this.loop = loop;
        this.runs = runs;
        this.notes = notes;
        this.sandbox = sandbox;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Reply reply(Request request) {
        boolean question = request.kind() == Kind.QUESTION;
        Telemetry.Operation work =
                new Telemetry.Operation(Telemetry.Kind.AGENT, id, request.storyId(), id, request.attempt(), "", null);
        try (AgentTools tools = agentTools(request, Set.of(question ? REVIEW : ANSWER));
                Telemetry.Span span = resources.telemetry().start(work, Instant.now());
                Telemetry.Scope scope = span.enter()) {
            return reply(request, tools);
        }
    }

    private Reply reply(Request request, AgentTools tools) {
        boolean question = request.kind() == Kind.QUESTION;
        ModelConversation conversation =
                conversations.computeIfAbsent(request.storyId(), storyId -> conversation(request));
        conversation.enter(request.step());
        conversation.tellOnce(prompt(request, question ? ANSWER : REVIEW));
        Requester run = run(request);
        LoopInput input = LoopInput.of(
                        conversation,
                        tools,
                        question ? Signals.ANSWER : Signals.REVIEW,
                        resources.settings().agents().architectModel(),
                        run.meter())
                .onAnyBudget();
        ToolLoop.LoopOutcome outcome = loop.run(notes.withChat(input, run.chatSince()));
        if (outcome instanceof ToolLoop.LoopOutcome.Signalled signalled) {
            return reply(request, signalled.signal());
        }
        String reason = outcome instanceof ToolLoop.LoopOutcome.OverBudget over
                ? over.facts()
                : ((ToolLoop.LoopOutcome.Stuck) outcome).reason();
        throw new MaestroException("the architect came to no decision on the " + request.kind() + " of story "
                + request.storyId() + ": " + reason);
    }

    private Requester run(Request request) {
        return Objects.requireNonNull(runs.get(request.storyId()), "a story that runs");
    }

    /** What its coder was told, too. */
    private Instructions instructions(Request request) {
        return resources.instructions().at(run(request).instructionsCommit());
    }

    private ModelConversation conversation(Request request) {
        LlmRequest.Origin origin = new LlmRequest.Origin(id, request.storyId(), ModelState.ANSWERING.name());
        return ModelConversation.resume(
                        resources.store(),
                        resources.redactor(),
                        resources.sessionId(),
                        request.attempt(),
                        origin,
                        request.step())
                .orElseGet(() -> ModelConversation.begin(
                        resources.store(),
                        resources.redactor(),
                        resources.sessionId(),
                        request.attempt(),
                        origin,
                        request.step(),
                        resources
                                .prompts()
                                .render(
                                        "architect-answering",
                                        Map.of(
                                                "agentId",
                                                id,
                                                "tools",
                                                agentTools(request, Set.of()).documentation(),
                                                "instructions",
                                                instructions(request).text())),
                        instructions(request).hashes()));
    }

    /** Forgets a story that has ended, or whose request is given up: whoever still thinks about it adds nothing any more. */
    public void forget(String storyId) {
        ModelConversation conversation = conversations.remove(storyId);
        if (conversation != null) {
            conversation.close();
        }
    }

    private AgentTools agentTools(Request request, Set<String> withheld) {
        Map<Class<?>, Object> all = new HashMap<>(resources.services());
        all.put(DefaultCoder.class, new DefaultCoder(request.coderId()));
        Skills skills = instructions(request).skills();
        all.put(Skills.class, skills);
        DefaultToolContext.Builder context = ContextParts.context(id, ToolAudience.ARCHITECT, request.storyId(), all)
                .at(request.attempt(), ModelState.ANSWERING.name());
        sandbox.letIn(context, request.coderId());
        Set<String> allowed = new HashSet<>(sandbox.tools(resources.registry(), ToolAudience.ARCHITECT));
        allowed.removeIf(tool -> withheld.contains(tool) || !skills.mayOffer(tool));
        return resources.registry().agentTools(context.build(), allowed);
    }

    private String prompt(Request request, String tool) {
        List<Map<String, String>> facts = new ArrayList<>();
        request.facts()
                .forEach((name, text) -> facts.add(Map.of("name", HEADINGS.getOrDefault(name, name), "text", text)));
        Map<String, Object> variables = new HashMap<>();
        variables.put("id", request.storyId());
        variables.put("title", request.storyTitle());
        variables.put("coderId", request.coderId());
        variables.put("content", Headings.below(request.storyTitle(), request.storyContent()));
        variables.put("facts", facts);
        variables.put("tool", tool);
        return resources.prompts().render(template(request.kind()), variables);
    }

    private static String template(Kind kind) {
        return switch (kind) {
            case QUESTION -> "architect-question";
            case PLAN_REVIEW -> "architect-plan-review";
            case CODE_REVIEW -> "architect-code-review";
            case BUDGET_REVIEW -> "architect-budget-review";
            case MERGE -> "architect-merge";
            case TOOL_CALL -> "architect-tool-call";
        };
    }

    private static Reply reply(Request request, ToolSignal signal) {
        return signal.name().equals(ANSWER)
                ? new Reply(request.id(), Decision.APPROVED, Signals.text(signal, "message"))
                : new Reply(
                        request.id(),
                        Decision.valueOf(Signals.text(signal, "decision")),
                        Signals.optionalText(signal, "feedback").orElse(""));
    }
}
