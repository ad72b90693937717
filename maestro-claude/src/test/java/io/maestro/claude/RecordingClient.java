package io.maestro.claude;

import io.maestro.llm.Usage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Remembers what a gateway asks and tells. */
final class RecordingClient implements GatewayClient {
    final List<String> used = new CopyOnWriteArrayList<>();
    final AtomicInteger asked = new AtomicInteger();
    volatile Optional<String> refusal = Optional.empty();
    volatile @Nullable RuntimeException failure;
    volatile @Nullable RuntimeException failureOfUsed;
    final List<Request> begun = new CopyOnWriteArrayList<>();
    final List<String> failed = new CopyOnWriteArrayList<>();
    volatile @Nullable RuntimeException failureOfBegin;

    final List<Duration> waits = new CopyOnWriteArrayList<>();

    @Override
    public void askedToWait(Duration time) {
        waits.add(time);
    }

    @Override
    public Exchange begin(Request request) {
        RuntimeException planted = failureOfBegin;
        if (planted != null) {
            throw planted;
        }
        begun.add(request);
        Exchange usual = GatewayClient.super.begin(request);
        return new Exchange() {
            @Override
            public void used(String model, Usage usage) {
                usual.used(model, usage);
            }

            @Override
            public void failed(boolean mayBeCharged) {
                failed.add(mayBeCharged ? "may be charged" : "not charged");
            }
        };
    }

    final List<String> told = new CopyOnWriteArrayList<>();

    @Override
    public void told(String role, String text) {
        told.add(role + " " + text);
    }

    @Override
    public Optional<String> refusal() {
        asked.incrementAndGet();
        RuntimeException planted = failure;
        if (planted != null) {
            throw planted;
        }
        return refusal;
    }

    @Override
    public void used(String model, Usage usage) {
        RuntimeException planted = failureOfUsed;
        if (planted != null) {
            throw planted;
        }
        used.add(model + " " + usage);
    }
}
