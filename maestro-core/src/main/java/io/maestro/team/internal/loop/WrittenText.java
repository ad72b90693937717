package io.maestro.team.internal.loop;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmStreamListener;
import io.maestro.secrets.Redactor;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tells what a model writes while it writes it, as far as no secret can end in what it has not written yet. Safe for use by
 * several threads.
 */
public final class WrittenText implements LlmStreamListener {
    /** Characters that are looked at again with each piece; a secret that is longer is found in the answer only. */
    private static final int MOST = 16_000;

    /** Of these, how many stay when the rest is let go. */
    private static final int KEPT = 8_000;

    private final LlmRequest.Origin origin;
    private final int attempt;
    private final Redactor redactor;
    private final MaestroListener listener;

    private final ReentrantLock lock = new ReentrantLock();
    private final StringBuilder text = new StringBuilder();
    private String shown = "";
    private int settled;
    private boolean begins = true;

    /** Not looked at before it has so many characters. */
    private int next;

    /** Whoever writes from now on. */
    public WrittenText(LlmRequest.Origin origin, int attempt, Redactor redactor, MaestroListener listener) {
        this.origin = origin;
        this.attempt = attempt;
        this.redactor = redactor;
        this.listener = listener;
    }

    @Override
    public void onText(String piece) {
        lock.lock();
        try {
            text.append(piece);
            if (text.length() >= next) {
                show(redactor.settled(text));
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onRestart() {
        lock.lock();
        try {
            boolean told = !shown.isEmpty();
            clear();
            if (told) {
                tell("");
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onEnd() {
        lock.lock();
        try {
            show(text.length());
            clear();
        } finally {
            lock.unlock();
        }
    }

    private void clear() {
        text.setLength(0);
        shown = "";
        settled = 0;
        next = 0;
        begins = true;
    }

    private void show(int end) {
        if (end <= settled) {
            return;
        }
        String clean = redactor.redact(text.substring(0, end));
        if (end < text.length() && !redactor.redact(text.toString()).startsWith(clean)) {
            // It ends within a secret.
            return;
        }
        settled = end;
        // A secret has been found that begins in what was shown, as the head of a key.
        begins |= !clean.startsWith(shown);
        String more = begins ? clean : clean.substring(shown.length());
        shown = clean;
        if (!more.isEmpty()) {
            tell(more);
        }
        if (shown.length() > MOST) {
            forget();
        }
    }

    /** Lets go what is far behind, unless it belongs to a secret that goes on. */
    private void forget() {
        int cut = text.lastIndexOf("\n", settled - KEPT) + 1;
        String before = redactor.redact(text.substring(0, cut));
        if (cut > 0 && shown.equals(before + redactor.redact(text.substring(cut, settled)))) {
            text.delete(0, cut);
            shown = shown.substring(before.length());
            settled -= cut;
        } else {
            // It would be looked at from its beginning with each piece.
            next = text.length() + KEPT;
        }
    }

    private void tell(String piece) {
        listener.onEvent(new MaestroEvent.TextWritten(
                origin.storyId(), origin.agentId(), attempt, origin.state(), begins, piece, Instant.now()));
        begins = false;
    }
}
