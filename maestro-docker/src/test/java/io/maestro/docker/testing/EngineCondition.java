package io.maestro.docker.testing;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Decides for {@link RequiresEngine}; asks each engine once per test run. */
final class EngineCondition implements ExecutionCondition {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(EngineCondition.class);

    /** By program, asked once in a JVM and not for each class, of which each has a root of its own. */
    private static final Map<String, Boolean> ANSWERS = new ConcurrentHashMap<>();

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        String program = AnnotationSupport.findAnnotation(context.getElement(), RequiresEngine.class)
                .map(RequiresEngine::value)
                .orElse(null);
        if (program == null) {
            return ConditionEvaluationResult.enabled("asked for the class");
        }
        boolean answers = ANSWERS.computeIfAbsent(program, EngineCondition::answers);
        if (answers) {
            return ConditionEvaluationResult.enabled(program + " answers");
        }
        String line = "no engine answers '" + program + " info'";
        if (Boolean.getBoolean("maestro.docker.required")) {
            throw new IllegalStateException(line + ", and maestro.docker.required is true");
        }
        Set<?> said = context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent("said", key -> ConcurrentHashMap.newKeySet(), Set.class);
        @SuppressWarnings("unchecked")
        boolean first = ((Set<String>) said).add(program);
        if (first) {
            System.out.println("SKIPPED: the tests that need " + program + ": " + line);
        }
        return ConditionEvaluationResult.disabled(line);
    }

    private static boolean answers(String program) {
        try {
            Process process = new ProcessBuilder(List.of(program, "info"))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            if (process.waitFor(60, TimeUnit.SECONDS)) {
                return process.exitValue() == 0;
            }
            process.destroyForcibly();
            return false;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
