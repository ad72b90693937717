package io.maestro.team.internal.machine;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.telemetry.Telemetry;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes events on to all listeners of a host; one that throws does no harm. */
public final class Events implements MaestroListener {
    private static final Logger LOG = LoggerFactory.getLogger(Events.class);

    private final List<MaestroListener> listeners;
    private final Telemetry telemetry;

    /** Copies the list. */
    public Events(List<MaestroListener> listeners) {
        this(listeners, event -> {}, Telemetry.NONE);
    }

    /** Copies the list; one more listener is told last. */
    public Events(List<MaestroListener> listeners, MaestroListener last, Telemetry telemetry) {
        List<MaestroListener> all = new ArrayList<>(listeners);
        all.add(last);
        this.listeners = List.copyOf(all);
        this.telemetry = telemetry;
    }

    /** Who traces what they are told of. */
    public Telemetry telemetry() {
        return telemetry;
    }

    @Override
    public void onEvent(MaestroEvent event) {
        tell(listeners, event);
    }

    /** Tells everybody; one that throws does no harm. */
    public static void tell(List<MaestroListener> listeners, MaestroEvent event) {
        for (MaestroListener listener : listeners) {
            try {
                listener.onEvent(event);
            } catch (RuntimeException | LinkageError | AssertionError e) {
                LOG.warn(
                        "listener {} threw on {}",
                        listener.getClass().getName(),
                        event.getClass().getSimpleName(),
                        e);
            }
        }
    }
}
