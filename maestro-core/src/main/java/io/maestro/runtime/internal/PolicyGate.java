package io.maestro.runtime.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.error.MaestroException;
import io.maestro.internal.Texts;
import io.maestro.runtime.ToolApprover;
import io.maestro.runtime.ToolDecision;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolPolicy;
import io.maestro.schema.internal.InputReader;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether a call runs, and with which arguments: only with those about which every policy has said, unchanged, that they
 * may run, or that somebody is to be asked, and then who was asked has allowed them. Whatever fails refuses. Safe for use by
 * several threads.
 */
public final class PolicyGate {
    /** How often the policies may change the arguments of a call. */
    private static final int MOST_CHANGES = 3;

    private static final Logger LOG = LoggerFactory.getLogger(PolicyGate.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<ToolPolicy> policies;
    private final ToolApprover approver;
    private final Cleaner cleaner;

    /**
     * A gate.
     *
     * @param policies all must allow a call
     * @param approver decides where one of them asks
     * @param cleaner takes secrets out of what is logged
     */
    public PolicyGate(List<ToolPolicy> policies, ToolApprover approver, Cleaner cleaner) {
        this.policies = List.copyOf(policies);
        this.approver = approver;
        this.cleaner = cleaner;
    }

    /** Whether anything can be refused. */
    public boolean hasPolicies() {
        return !policies.isEmpty();
    }

    /**
     * Whether no policy withholds a tool.
     *
     * @param state where it would be offered
     * @param tool the tool
     * @return true when it may be offered
     */
    public boolean offers(String state, ToolDefinition tool) {
        return Roles.in(state)
                .filter(role -> policies.stream()
                        .anyMatch(policy -> policy.withholds(role, tool).isPresent()))
                .isEmpty();
    }

    /** Reads arguments as those of a model are read. */
    @FunctionalInterface
    public interface ArgumentReading {
        /**
         * Reads them.
         *
         * @param input JSON text
         * @return the valid arguments
         * @throws InputReader.BadInput when they are not valid
         */
        ToolArguments read(String input) throws InputReader.BadInput;
    }

    /**
     * What becomes of a call.
     *
     * @param input the arguments with which it runs: JSON text
     * @param arguments the same
     * @param refusal why it does not run; empty when it does
     */
    public record PolicyVerdict(String input, ToolArguments arguments, String refusal) {}

    /**
     * Decides on a call. May wait for an answer.
     *
     * @param invocation the call as it came in
     * @param tool the tool
     * @param given its arguments, found valid
     * @param reading reads arguments that a policy has changed
     * @param person counts the wait for an answer
     * @return the verdict
     */
    public PolicyVerdict decide(
            ToolInvocation invocation,
            ToolDefinition tool,
            ToolArguments given,
            ArgumentReading reading,
            PersonTime person) {
        ToolArguments now = given;
        String input = invocation.input();
        for (int round = 0; round <= MOST_CHANGES; round++) {
            List<String> questions = new ArrayList<>();
            boolean changed = false;
            for (ToolPolicy policy : policies) {
                ToolDecision decision = decision(policy, invocation, tool, now);
                if (decision instanceof ToolDecision.Deny deny) {
                    return new PolicyVerdict(input, now, reason(deny));
                }
                if (decision instanceof ToolDecision.Ask ask) {
                    questions.add(ask.question());
                } else if (decision instanceof ToolDecision.Change change) {
                    ToolArguments next;
                    try {
                        next = reading.read(text(change.arguments()));
                    } catch (InputReader.BadInput | IllegalArgumentException e) {
                        return new PolicyVerdict(input, now, "a policy has changed the arguments: " + e.getMessage());
                    }
                    if (!next.asMap().equals(now.asMap())) {
                        now = next;
                        input = text(next.asMap());
                        changed = true;
                    }
                }
            }
            if (!changed) {
                ToolArguments asked = now;
                String refusal =
                        questions.isEmpty() ? "" : person.waiting(() -> answer(invocation, tool, asked, questions));
                return new PolicyVerdict(input, now, refusal);
            }
        }
        return new PolicyVerdict(
                input,
                now,
                "the policies change its arguments again each time they are asked about what they have made");
    }

    private static String text(Map<String, ?> arguments) {
        try {
            return JSON.writeValueAsString(arguments);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("they are of no JSON types", e);
        }
    }

    private static String reason(ToolDecision.Deny deny) {
        return deny.reason().isBlank() ? "the policy does not allow it" : deny.reason();
    }

    private ToolDecision decision(
            ToolPolicy policy, ToolInvocation invocation, ToolDefinition tool, ToolArguments arguments) {
        try {
            ToolDecision decision = policy.decide(invocation, tool, arguments);
            return decision == null ? ToolDecision.deny("the policy that decides on it returned null") : decision;
        } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
            return failed("the policy that decides on it failed: ", e);
        }
    }

    private String answer(
            ToolInvocation invocation, ToolDefinition tool, ToolArguments arguments, List<String> questions) {
        String question = String.join("\n", questions).strip();
        ToolDecision answer;
        try {
            answer = approver.decide(invocation, tool, arguments, question);
        } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
            answer = failed("who would have to allow it could not be asked: ", e);
        }
        if (answer instanceof ToolDecision.Allow) {
            return "";
        }
        return answer instanceof ToolDecision.Deny deny ? reason(deny) : "who was asked gave no answer";
    }

    private ToolDecision failed(String what, Throwable e) {
        LOG.warn("{}{}", what, cleaner.text(Texts.stackTrace(e)));
        return ToolDecision.deny(what + (e instanceof MaestroException ? e.getMessage() : Texts.describe(e)));
    }
}
