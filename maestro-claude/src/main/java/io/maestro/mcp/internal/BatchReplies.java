package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Collects the answers to the messages of a batch, and gives them when the last one is there. */
final class BatchReplies {
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayNode responses = JsonNodeFactory.instance.arrayNode();
    private final Replies whole;
    private int missing;

    BatchReplies(Replies whole, int messages) {
        this.whole = whole;
        this.missing = messages;
    }

    Replies next() {
        return new One();
    }

    private void end(@Nullable JsonNode response) {
        lock.lock();
        try {
            if (response != null) {
                responses.add(response);
            }
            missing--;
            if (missing > 0) {
                return;
            }
        } finally {
            lock.unlock();
        }
        if (responses.isEmpty()) {
            whole.none();
        } else {
            whole.respond(responses);
        }
    }

    private final class One implements Replies {
        private final AtomicBoolean ended = new AtomicBoolean();

        @Override
        public void beat(@Nullable ObjectNode progress) {
            if (!ended.get()) {
                whole.beat(progress);
            }
        }

        @Override
        public void respond(JsonNode response) {
            if (ended.compareAndSet(false, true)) {
                end(response);
            }
        }

        @Override
        public void none() {
            if (ended.compareAndSet(false, true)) {
                end(null);
            }
        }

        @Override
        public void cancelled(JsonNode id) {
            none();
        }

        @Override
        public @Nullable Duration firstBeat(boolean hasToken, Duration interval) {
            return whole.firstBeat(hasToken, interval);
        }
    }
}
