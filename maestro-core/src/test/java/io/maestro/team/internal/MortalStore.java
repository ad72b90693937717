package io.maestro.team.internal;

import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

import io.maestro.record.AuditLog;
import io.maestro.record.Cancellations;
import io.maestro.record.internal.DecisionRequests;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** A record whose process is killed at a call: just before it, or just after. From then on it reads and writes nothing. */
public final class MortalStore {
    private MortalStore() {}

    /** Where a process is killed. */
    @FunctionalInterface
    public interface Death {
        /** It lives on. */
        Death NONE = (method, arguments) -> false;

        boolean at(String method, Object[] arguments);

        /** When a story comes into a state. */
        static Death into(CoderState state) {
            return (method, arguments) ->
                    method.equals("recordTransition") && ((AuditLog.StateTransition) arguments[0]).to() == state;
        }
    }

    public static Store before(Store store, Death death) {
        return of(store, death, false);
    }

    public static Store after(Store store, Death death) {
        return of(store, death, true);
    }

    private static Store of(Store store, Death death, boolean written) {
        AtomicBoolean dead = new AtomicBoolean();
        Map<String, Object> parts = Map.of(
                "leases", mortal(Leases.class, store.leases(), Death.NONE, true, dead, Map.of()),
                "requests", mortal(DecisionRequests.class, store.requests(), death, written, dead, Map.of()),
                "cancellations", mortal(Cancellations.class, store.cancellations(), Death.NONE, true, dead, Map.of()));
        return mortal(Store.class, store, death, written, dead, parts);
    }

    private static <T> T mortal(
            Class<T> type, T target, Death death, boolean written, AtomicBoolean dead, Map<String, Object> parts) {
        return mock(type, withSettings().stubOnly().defaultAnswer(call -> {
            String method = call.getMethod().getName();
            Object part = parts.get(method);
            if (part != null) {
                return part;
            }
            synchronized (dead) {
                if (dead.get()) {
                    throw new DyingStore.KilledException();
                }
                boolean dies = death.at(method, call.getRawArguments());
                dead.set(dies);
                if (dies && !written) {
                    throw new DyingStore.KilledException();
                }
                Object result = delegatesTo(target).answer(call);
                if (dies) {
                    throw new DyingStore.KilledException();
                }
                return result;
            }
        }));
    }
}
