package io.maestro.team.internal.architect;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.maestro.agent.Architect;
import io.maestro.llm.LlmContent;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolApprover;
import io.maestro.runtime.ToolDecision;
import io.maestro.runtime.ToolInvocation;
import io.maestro.team.internal.loop.CallKey;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolDefinition;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Asks the architect about calls for which a policy asks. The question is in the record before it is sent. An answer is for one
 * call: of the same tool, with exactly the same arguments, in the same step of the story; it is used up, in the record, before that
 * call runs. So a process that takes over finds whether a call was asked about, was answered, or has run; and a program that makes
 * the same call once more after it was killed gets the answer that is there. What only reads, or ends a turn, may use an approval
 * again. Everything but an approval refuses the call. A question is withdrawn when the call is gone and nobody makes it again. Safe for use by several threads; a story asks one question at a time.
 */
public final class ToolApprovals implements ToolApprover {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    /** How often the same call is asked about in a step. */
    private static final int MOST_QUESTIONS = 100;

    private static final String USED = "/used";

    private final Supplier<Effects> effects;
    private final Store store;
    private final Map<String, ? extends Requester> runs;
    private final boolean hostDecides;
    private final Map<String, ReentrantLock> asking = new ConcurrentHashMap<>();

    /**
     * Asks about nothing yet.
     *
     * @param effects asks the architect
     * @param runs the stories that are worked on, by their ids
     * @param hostDecides whether an architect of the host's decides on calls, and not the model
     */
    public ToolApprovals(
            Supplier<Effects> effects, Store store, Map<String, ? extends Requester> runs, boolean hostDecides) {
        this.effects = effects;
        this.store = store;
        this.runs = runs;
        this.hostDecides = hostDecides;
    }

    @Override
    public ToolDecision decide(
            ToolInvocation invocation, ToolDefinition tool, ToolArguments arguments, String question) {
        ToolInvocation.Caller caller = invocation.caller();
        Requester run = runs.get(caller.storyId());
        if (run == null || run.attempt() != caller.attempt()) {
            return ToolDecision.deny("somebody would have to allow it, and in " + caller.state() + " nobody is asked");
        }
        boolean coder = caller.agentId().equals(run.agentId());
        if (!coder && !hostDecides) {
            return ToolDecision.deny(
                    "somebody else than the architect's model would have to allow it, and there is nobody");
        }
        String call = text(arguments.asMap());
        if (call.length() > Effects.MOST_FACT / 2) {
            return ToolDecision.deny("somebody would have to allow it, and its arguments are longer than the "
                    + Effects.MOST_FACT / 2 + " characters that can be shown; do it in smaller steps");
        }
        ReentrantLock lock = asking.computeIfAbsent(caller.storyId(), id -> new ReentrantLock());
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ToolDecision.deny("it was cancelled before somebody was asked");
        }
        try {
            if (coder) {
                run.meter().pause();
            }
            Map<String, String> facts = new LinkedHashMap<>();
            facts.put(Architect.Request.CALL, caller.agentId() + " calls " + way(invocation, tool) + ":\n\n" + call);
            if (!question.isBlank()) {
                facts.put(Architect.Request.RULE, question);
            }
            CallKey exactly = CallKey.of(new LlmContent.ToolUse(invocation.callId(), tool.name(), call));
            return asked(run, invocation, tool, prefix(run, invocation) + hash(exactly.arguments()) + '-', facts);
        } finally {
            if (coder) {
                run.meter().work();
            }
            lock.unlock();
        }
    }

    /** As in "build_and_test in CODING, which calls test". */
    private static String way(ToolInvocation invocation, ToolDefinition tool) {
        List<String> tools = new ArrayList<>(invocation.callers());
        tools.add(tool.name());
        return tools.get(0) + " in " + invocation.caller().state()
                + tools.stream().skip(1).map(name -> ", which calls " + name).collect(Collectors.joining());
    }

    private ToolDecision asked(
            Requester run, ToolInvocation invocation, ToolDefinition tool, String base, Map<String, String> facts) {
        Set<String> known = ids(run.story().id());
        for (int number = 1; number <= MOST_QUESTIONS; number++) {
            String id = base + number;
            if (!known.contains(id + USED)) {
                if (number > 1) {
                    // The architect's model is told the same text only once in a step.
                    String again = "The same call was asked about before in this step; this is time " + number + '.';
                    facts.merge(Architect.Request.RULE, again, (rule, more) -> rule + "\n\n" + more);
                }
                return answer(run, invocation, tool, id, facts);
            }
        }
        return ToolDecision.deny("it was asked about " + MOST_QUESTIONS + " times");
    }

    private ToolDecision answer(
            Requester run, ToolInvocation invocation, ToolDefinition tool, String id, Map<String, String> facts) {
        Architect.Reply reply;
        try {
            reply = effects.get().askAboutCall(run, id, facts);
        } catch (ReplyTimeoutException e) {
            use(run, id);
            return ToolDecision.deny("somebody would have to allow it: " + e.getMessage());
        } catch (CancelledException e) {
            if (isGone(run, invocation)) {
                withdraw(run, id);
            }
            return ToolDecision.deny("it was cancelled while somebody was asked");
        }
        boolean approved = reply.decision() == Architect.Decision.APPROVED;
        if (!approved || !(tool.readOnly() || tool.terminal())) {
            use(run, id);
        }
        return approved
                ? ToolDecision.allow()
                : ToolDecision.deny("who was asked has decided " + reply.decision() + ": " + reply.message());
    }

    /** When the story stops, a later life makes the agent's call again, and nobody one that a tool has made. */
    private static boolean isGone(Requester run, ToolInvocation invocation) {
        Optional<StopCause> cause = run.stopCause();
        return cause.isEmpty()
                || !invocation.callers().isEmpty()
                        && cause.filter(StopCause.LEASE_LOST::equals).isEmpty();
    }

    private void withdraw(Requester run, String id) {
        // An interrupted thread cannot write to every kind of store.
        boolean interrupted = Thread.interrupted();
        try {
            effects.get().withdrawCall(run, id);
            use(run, id);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The answer counts no more, for whoever takes over, too. */
    private void use(Requester run, String id) {
        Instant now = Instant.now();
        store.recordEffect(new AuditLog.Effect(
                id + USED,
                run.sessionId(),
                run.story().id(),
                run.attempt(),
                run.agentId(),
                Architect.Kind.TOOL_CALL.name(),
                "{}",
                now,
                "{\"decision\":\"USED\"}",
                now));
    }

    @Override
    public boolean isOpen(ToolInvocation invocation) {
        Requester run = runs.get(invocation.caller().storyId());
        if (run == null || run.attempt() != invocation.caller().attempt()) {
            return false;
        }
        String prefix = prefix(run, invocation);
        Set<String> known = ids(run.story().id());
        return known.stream().anyMatch(id -> id.startsWith(prefix) && !id.endsWith(USED) && !known.contains(id + USED));
    }

    /** Nobody works on a story any more. */
    public void forget(String storyId) {
        asking.remove(storyId);
    }

    private Set<String> ids(String storyId) {
        List<AuditLog.Effect> effects = store.effects(storyId);
        return effects.stream().map(AuditLog.Effect::id).collect(Collectors.toSet());
    }

    /** What the questions about a call have in common, as it came in. */
    private static String prefix(Requester run, ToolInvocation invocation) {
        CallKey key = CallKey.of(new LlmContent.ToolUse(invocation.callId(), invocation.tool(), invocation.input()));
        return run.story().id() + '/' + run.attempt() + '/' + run.step() + "/call-"
                + hash(invocation.caller().agentId() + ' ' + key.tool() + ' ' + key.arguments()) + '-';
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static String text(Map<String, Object> arguments) {
        try {
            return JSON.writeValueAsString(arguments);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("arguments are of JSON types", e);
        }
    }
}
