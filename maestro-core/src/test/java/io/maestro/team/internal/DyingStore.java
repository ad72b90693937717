package io.maestro.team.internal;

import io.maestro.audit.Store;
import io.maestro.audit.StoreException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
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
        return (Store) Proxy.newProxyInstance(
                Store.class.getClassLoader(), new Class<?>[] {Store.class}, (proxy, method, arguments) -> {
                    boolean dies = method.getName().equals("recordSpecTransition") && count.incrementAndGet() == number;
                    if (dies && !written) {
                        throw new KilledException();
                    }
                    try {
                        Object result = method.invoke(store, arguments);
                        if (dies) {
                            throw new KilledException();
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
