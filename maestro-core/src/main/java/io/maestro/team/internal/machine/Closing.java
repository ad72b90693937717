package io.maestro.team.internal.machine;

import io.maestro.internal.Uninterrupted;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes what a run has opened, whether the run was cancelled or not. What that comes to changes no result. */
public final class Closing {
    private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

    private Closing() {}

    /**
     * Closes something; a failure is logged.
     *
     * @param what names it in the log
     */
    public static void close(String what, AutoCloseable closed) {
        try {
            Uninterrupted.run(() -> {
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
