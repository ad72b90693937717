package io.maestro.team.internal;

import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

import io.maestro.record.StoreException;
import io.maestro.record.internal.Store;
import java.util.concurrent.atomic.AtomicInteger;

/** A store whose process is killed at one of the architect's changes of state: just before it is written, or just after. */
public final class DyingStore {
    private DyingStore() {}

    /** The process died. */
    public static final class KilledException extends StoreException {
        private static final long serialVersionUID = 1L;

        KilledException() {
            super("killed", null);
        }
    }

    public static Store at(Store store, int number, boolean written) {
        AtomicInteger count = new AtomicInteger();
        return mock(Store.class, withSettings().stubOnly().defaultAnswer(call -> {
            boolean dies =
                    call.getMethod().getName().equals("recordSpecTransition") && count.incrementAndGet() == number;
            if (dies && !written) {
                throw new KilledException();
            }
            Object result = delegatesTo(store).answer(call);
            if (dies) {
                throw new KilledException();
            }
            return result;
        }));
    }
}
