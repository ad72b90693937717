package io.maestro.team.internal;

import io.maestro.environment.Environment;
import io.maestro.internal.Undisturbed;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes the environment of an attempt that ends, whether it was cancelled or not. What that comes to changes no result. */
final class EnvironmentEnd {
    private static final Logger LOG = LoggerFactory.getLogger(EnvironmentEnd.class);

    private EnvironmentEnd() {}

    static void of(StoryRun run) {
        Environment environment = run.environment;
        run.environment = null;
        if (environment != null) {
            close("the environment of " + run.agentId + " for story " + run.story.id(), environment);
        }
    }

    static void close(String what, AutoCloseable closed) {
        try {
            Undisturbed.run(() -> {
                try {
                    closed.close();
                } catch (RuntimeException e) {
                    throw e;
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        } catch (RuntimeException | LinkageError | AssertionError e) {
            LOG.warn("{} could not be closed, what is left of it is removed later: {}", what, e.getMessage());
        }
    }
}
