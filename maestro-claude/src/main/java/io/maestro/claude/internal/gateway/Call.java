package io.maestro.claude.internal.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One request on its way, which others may break off. */
final class Call {
    private final ReentrantLock lock = new ReentrantLock();
    private final Runnable hangUp;
    private @Nullable Answer broken;
    private @Nullable Future<?> asked;
    private @Nullable InputStream answer;
    private boolean answering;
    private volatile long progress = System.nanoTime();

    /** With what ends the connection to the client. */
    Call(Runnable hangUp) {
        this.hangUp = hangUp;
    }

    /** Something has moved. */
    void moved() {
        progress = System.nanoTime();
    }

    long lastMoved() {
        return progress;
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

    boolean forwarding() {
        lock.lock();
        try {
            return asked != null;
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
            hangUp.run();
        }
        if (toCancel != null) {
            toCancel.cancel(true);
        }
        if (toClose != null) {
            try {
                toClose.close();
            } catch (IOException e) {
                // It is broken off either way.
                return;
            }
        }
    }
}
