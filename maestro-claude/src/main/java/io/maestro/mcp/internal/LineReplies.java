package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Replies on a transport where all messages for a client go one way, one at a time. */
final class LineReplies implements Replies {
    private final Consumer<JsonNode> way;
    private final boolean notifications;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean ended;

    /**
     * @param way takes one message at a time
     * @param notifications whether the way can carry what is no answer
     */
    LineReplies(Consumer<JsonNode> way, boolean notifications) {
        this.way = way;
        this.notifications = notifications;
    }

    @Override
    public void beat(@Nullable ObjectNode progress) {
        if (progress != null) {
            send(progress, false);
        }
    }

    @Override
    public void respond(JsonNode response) {
        send(response, true);
    }

    private void send(JsonNode message, boolean last) {
        // Held while it is sent: no notification may come after the answer.
        lock.lock();
        try {
            if (!ended) {
                ended = last;
                way.accept(message);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for no lock: an answer that is being sent to a client that does not read must not hold up who cancels it. */
    @Override
    public void none() {
        ended = true;
    }

    @Override
    public void cancelled(JsonNode id) {
        none();
    }

    @Override
    public @Nullable Duration firstBeat(boolean hasToken, Duration interval) {
        return hasToken && notifications ? interval : null;
    }
}
