package io.maestro.examples.maven;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import java.util.Locale;
import java.util.regex.Pattern;
import org.apache.maven.plugin.logging.Log;

/** Tells in the build's log what happens. */
final class LogListener implements MaestroListener {
    private static final Pattern HIDDEN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");

    private final Log log;

    LogListener(Log log) {
        this.log = log;
    }

    @Override
    public void onEvent(MaestroEvent event) {
        if (event instanceof MaestroEvent.StateChanged changed) {
            info(changed.to() + ": " + changed.reason());
        } else if (event instanceof MaestroEvent.ToolFinished tool) {
            info("  " + tool.agentId() + " " + tool.tool() + (tool.error() ? " FAILED" : "") + " ("
                    + tool.duration().toMillis() + " ms) " + tool.summary());
        } else if (event instanceof MaestroEvent.ArchitectReplied reply) {
            info("  " + reply.agentId() + " " + reply.kind() + " " + reply.decision() + " " + reply.message());
        } else if (event instanceof MaestroEvent.ChatPosted post) {
            info("  " + post.agentId() + " to all: " + post.text());
        } else if (event instanceof MaestroEvent.SpecStateChanged changed) {
            info(changed.specId() + " " + changed.to() + ": " + changed.reason());
        } else if (event instanceof MaestroEvent.StorySubmitted story) {
            info("  " + story.storyId() + " " + story.title());
        } else if (event instanceof MaestroEvent.StoryRequeued story) {
            info("  " + story.storyId() + " attempt " + story.attempt() + ": " + story.title());
        } else if (event instanceof MaestroEvent.StoryGivenUp story) {
            log.warn(shown("  " + story.storyId() + " is given up: " + story.reason()));
        }
    }

    private void info(String text) {
        log.info(shown(text));
    }

    /** Agents write these texts: nothing in them makes a line, or is obeyed by a terminal, or turns what is read round. */
    private static String shown(String text) {
        return HIDDEN.matcher(text.replace('\n', ' '))
                .replaceAll(found ->
                        String.format(Locale.ROOT, "\\\\u%04x", found.group().codePointAt(0)));
    }
}
