package io.maestro.testing;

import java.lang.reflect.Method;
import org.slf4j.MDC;
import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.spi.MDCAdapter;

/** Gives this JVM an MDC that works, in place of the one of slf4j-simple that keeps nothing, until it is closed. */
public final class Mdc implements AutoCloseable {
    private final MDCAdapter before = MDC.getMDCAdapter();

    /** Begins. */
    public Mdc() {
        set(new BasicMDCAdapter());
    }

    private static void set(MDCAdapter adapter) {
        try {
            Method setter = MDC.class.getDeclaredMethod("setMDCAdapter", MDCAdapter.class);
            setter.setAccessible(true);
            setter.invoke(null, adapter);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("SLF4J has changed", e);
        }
    }

    @Override
    public void close() {
        set(before);
    }
}
