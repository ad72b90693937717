package io.maestro.mcp.internal;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The sessions of HTTP clients: what one has negotiated, and which calls are its own. Bounded: the longest unused one goes. */
final class HttpSessions {
    private static final int MOST = 256;

    private final Map<String, McpSession> sessions = new LinkedHashMap<>(16, 0.75f, true);
    private final ReentrantLock lock = new ReentrantLock();

    /** Begins a session; the id is from a secure random generator. */
    String begin(McpSession session) {
        String id = UUID.randomUUID().toString();
        lock.lock();
        try {
            Iterator<McpSession> oldest = sessions.values().iterator();
            while (sessions.size() >= MOST && oldest.hasNext()) {
                if (oldest.next().isIdle()) {
                    oldest.remove();
                }
            }
            sessions.put(id, session);
        } finally {
            lock.unlock();
        }
        return id;
    }

    @Nullable
    McpSession find(String id) {
        lock.lock();
        try {
            return sessions.get(id);
        } finally {
            lock.unlock();
        }
    }

    /** Ends a session; false when there is none with this id. */
    boolean end(String id) {
        McpSession session;
        lock.lock();
        try {
            session = sessions.remove(id);
        } finally {
            lock.unlock();
        }
        if (session != null) {
            session.close();
        }
        return session != null;
    }

    void close() {
        List<McpSession> all;
        lock.lock();
        try {
            all = List.copyOf(sessions.values());
            sessions.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(McpSession::close);
    }
}
