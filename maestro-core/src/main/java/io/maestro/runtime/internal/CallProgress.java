package io.maestro.runtime.internal;

import io.maestro.internal.Texts;
import io.maestro.runtime.ToolInvocation;
import io.maestro.tools.ToolProgress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the steps of one call, until it is closed. Safe for use by several threads. */
public final class CallProgress implements ToolProgress, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CallProgress.class);

    private final CallJournal journal;
    private final Cleaner cleaner;
    private final ToolInvocation invocation;
    private final String tool;
    private final ToolProgress asker;
    private volatile boolean closed;

    /**
     * The progress of a call that begins.
     *
     * @param journal tells the listener
     * @param cleaner takes secrets out
     * @param invocation the call
     * @param tool its name
     * @param asker told, too
     */
    public CallProgress(
            CallJournal journal, Cleaner cleaner, ToolInvocation invocation, String tool, ToolProgress asker) {
        this.journal = journal;
        this.cleaner = cleaner;
        this.invocation = invocation;
        this.tool = tool;
        this.asker = asker;
    }

    @Override
    public void step(String step) {
        // All of it is looked at for secrets, since one may go beyond the line.
        String clean = Texts.clip(Texts.firstLine(cleaner.text(step)), MOST_CHARACTERS);
        if (closed || clean.isBlank()) {
            return;
        }
        journal.step(invocation, tool, clean);
        try {
            asker.step(clean);
        } catch (RuntimeException e) {
            LOG.warn("Nobody was told that {} is at '{}': {}", tool, clean, cleaner.text(Texts.describe(e)));
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
