package io.maestro.claude.internal.gateway;

import io.maestro.wire.internal.ChannelConnection;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One request on its way, which others may break off. */
final class ApiCall {
    private final ReentrantLock lock = new ReentrantLock();
    private final ChannelConnection client;
    private final Limits limits;
    private @Nullable Answer broken;
    private @Nullable Future<?> asked;
    private @Nullable InputStream answer;
    private boolean answering;
    private volatile boolean silent;
    private volatile boolean received;
    private volatile long leftAt;
    private volatile boolean left;
    private volatile long progress = System.nanoTime();

    ApiCall(ChannelConnection client, Limits limits) {
        this.client = client;
        this.limits = limits;
    }

    /** The request is here: from now on it is looked whether the client still waits for its answer. */
    void received() {
        received = true;
    }

    /** Something has moved. */
    void moved() {
        progress = System.nanoTime();
    }

    /** The client has gone. What the API has begun is read on for a while, to be counted. */
    void leave() {
        if (!left) {
            leftAt = System.nanoTime();
            left = true;
        }
    }

    boolean hasLeft() {
        return left;
    }

    /** Whether it was not the API that has ended it. */
    boolean givenUp() {
        return left || broken() != null && !silent;
    }

    /** Why it was broken off, as an answer for the client; null when it was not. */
    @Nullable
    Answer broken() {
        lock.lock();
        try {
            return broken;
        } finally {
            lock.unlock();
        }
    }

    /** The API is asked. */
    void asking(Future<?> future) {
        moved();
        if (!unlessBroken(() -> asked = future)) {
            future.cancel(true);
        }
    }

    /** The API answers; whoever breaks the call off closes the stream. */
    void answered(InputStream body) throws IOException {
        moved();
        if (!unlessBroken(() -> answer = body)) {
            body.close();
        }
    }

    /** From now on the client can be told nothing else; false when it has to be told why the call was broken off. */
    boolean beginAnswer() {
        return unlessBroken(() -> answering = true);
    }

    private boolean unlessBroken(Runnable step) {
        lock.lock();
        try {
            if (broken != null) {
                return false;
            }
            step.run();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Looks after the client and the time. */
    void check(long now) {
        if (received && !left && client.isGone()) {
            leave();
        }
        lock.lock();
        try {
            if (asked == null || broken != null) {
                return;
            }
        } finally {
            lock.unlock();
        }
        if (left && now - leftAt > limits.get(Limits.DRAIN).toNanos()) {
            breakOff(Answer.cut("the client is gone"));
        } else if (now - progress > limits.get(Limits.IDLE).toNanos()) {
            silent = !left;
            breakOff(Answer.silent());
        }
    }

    /** Lets go of the API at once, and of the client too if it has got a part of the answer. */
    void breakOff(Answer why) {
        Future<?> toCancel;
        InputStream toClose;
        boolean half;
        lock.lock();
        try {
            if (broken != null) {
                return;
            }
            broken = why;
            toCancel = asked;
            toClose = answer;
            half = answering;
        } finally {
            lock.unlock();
        }
        if (half) {
            Gateway.close(client);
        }
        if (toCancel != null) {
            toCancel.cancel(true);
        }
        if (toClose != null) {
            Gateway.close(toClose);
        }
    }
}
