package io.maestro.inbox.internal;

import io.maestro.error.RetriableException;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What goes wrong with single comments and requests, which keeps no other one from its turn and is done again at the next look. Used
 * by one thread at a time.
 */
final class SingleFailures {
    private static final Logger LOG = LoggerFactory.getLogger(SingleFailures.class);

    private final Map<String, Integer> inARow = new HashMap<>();

    /**
     * Does something, and goes on when it fails.
     *
     * @param what for the log
     * @return how often it has failed in a row; 0 when it is done
     * @throws RetriableException when the forge wants to be left alone for a time
     */
    int of(String what, Runnable action) {
        try {
            action.run();
            inARow.remove(what);
            return 0;
        } catch (RuntimeException e) { // whatever it is: the others have nothing to do with it
            if (e instanceof RetriableException later && later.retryAfter().isPresent()) {
                throw e;
            }
            int times = inARow.merge(what, 1, Integer::sum);
            String failed = "{} is left until the next look: {}";
            if (times == 1) {
                LOG.warn(failed, what, e.toString());
            } else {
                LOG.debug(failed, what, e.toString());
            }
            return times;
        }
    }
}
