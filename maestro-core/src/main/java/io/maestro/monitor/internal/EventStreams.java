package io.maestro.monitor.internal;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** Tells all browsers that watch what happens. Safe for use by several threads. */
final class EventStreams implements MaestroListener {
    /** How many watch at most. */
    static final int MOST = 64;

    private final Set<EventStream> streams = ConcurrentHashMap.newKeySet();
    private final Semaphore free = new Semaphore(MOST);
    private volatile boolean closed;

    /** One more; empty when there are too many. To be given back. */
    Optional<EventStream> open() {
        if (!free.tryAcquire()) {
            return Optional.empty();
        }
        EventStream stream = new EventStream();
        streams.add(stream);
        if (closed) {
            stream.close();
        }
        return Optional.of(stream);
    }

    void giveBack(EventStream stream) {
        if (streams.remove(stream)) {
            free.release();
        }
    }

    @Override
    public void onEvent(MaestroEvent event) {
        if (!streams.isEmpty()) {
            byte[] json = ("data: " + EventJson.of(event) + "\n\n").getBytes(StandardCharsets.UTF_8);
            streams.forEach(stream -> stream.add(json));
        }
    }

    void close() {
        closed = true;
        streams.forEach(EventStream::close);
    }
}
