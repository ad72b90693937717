package io.maestro.examples.boot;

import io.maestro.Maestro;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Says which property is missing where an application needs a {@link Maestro} and there is none. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class NoMaestroFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {
    @Override
    protected @Nullable FailureAnalysis analyze(Throwable failure, NoSuchBeanDefinitionException cause) {
        if (!Maestro.class.equals(cause.getBeanType())) {
            return null;
        }
        return new FailureAnalysis(
                "There is no Maestro: maestro.repository is not set.",
                "Set maestro.repository to the URL or path that git clones from and pushes to, for example"
                        + " --maestro.repository=https://git.example.org/app.git",
                failure);
    }
}
