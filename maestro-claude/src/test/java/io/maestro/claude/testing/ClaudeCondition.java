package io.maestro.claude.testing;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Decides for {@link RequiresClaude}. */
final class ClaudeCondition implements ExecutionCondition {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(ClaudeCondition.class);

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (!AnnotationSupport.isAnnotated(context.getElement(), RequiresClaude.class)) {
            return ConditionEvaluationResult.enabled("asked for the class");
        }
        if (RealClaude.find().isPresent()) {
            return ConditionEvaluationResult.enabled("the CLI is there");
        }
        String line = "there is no Claude Code CLI; .ci/claude installs it";
        if (Boolean.getBoolean("maestro.claude.required")) {
            throw new IllegalStateException(line + ", and maestro.claude.required is true");
        }
        AtomicBoolean said = context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent("said", key -> new AtomicBoolean(), AtomicBoolean.class);
        if (!said.getAndSet(true)) {
            System.out.println("SKIPPED: the tests that need the Claude Code CLI: " + line);
        }
        return ConditionEvaluationResult.disabled(line);
    }
}
