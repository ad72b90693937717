package io.maestro.team.internal;

import io.maestro.agent.CoderState;
import io.maestro.audit.Cancellations;
import io.maestro.audit.Leases;
import io.maestro.audit.Requests;
import io.maestro.audit.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
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
                    method.equals("recordTransition") && ((Store.StateTransition) arguments[0]).to() == state;
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
                "leases", proxy(Leases.class, store.leases(), Death.NONE, true, dead, Map.of()),
                "requests", proxy(Requests.class, store.requests(), death, written, dead, Map.of()),
                "cancellations", proxy(Cancellations.class, store.cancellations(), Death.NONE, true, dead, Map.of()));
        return proxy(Store.class, store, death, written, dead, parts);
    }

    private static <T> T proxy(
            Class<T> type, T target, Death death, boolean written, AtomicBoolean dead, Map<String, Object> parts) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object part = parts.get(method.getName());
                    if (part != null) {
                        return part;
                    }
                    synchronized (dead) {
                        if (dead.get()) {
                            throw new DyingStore.KilledException();
                        }
                        boolean dies = death.at(method.getName(), arguments);
                        dead.set(dies);
                        if (dies && !written) {
                            throw new DyingStore.KilledException();
                        }
                        try {
                            Object result = method.invoke(target, arguments);
                            if (dies) {
                                throw new DyingStore.KilledException();
                            }
                            return result;
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }
                }));
    }
}
