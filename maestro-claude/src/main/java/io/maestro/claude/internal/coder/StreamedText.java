package io.maestro.claude.internal.coder;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.claude.ClaudeEvent;
import io.maestro.llm.LlmStreamListener;
import io.maestro.wire.internal.JsonLimits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a listener the text of the main conversation while it is written. The CLI asks again after an answer that broke off, and
 * the second time perhaps for an answer in one piece. Used by the thread that reads the CLI.
 */
final class StreamedText {
    private static final Logger LOG = LoggerFactory.getLogger(StreamedText.class);

    private final LlmStreamListener listener;

    /** The newest answer that was streamed. */
    private String streamed = "";

    /** Whether a part of an answer has been told whose end has not come. */
    private boolean open;

    StreamedText(LlmStreamListener listener) {
        this.listener = listener;
    }

    void onEvent(ClaudeEvent event) {
        if (listener.equals(LlmStreamListener.NONE)) {
            return;
        }
        try {
            tell(event);
        } catch (RuntimeException e) {
            LOG.warn("a listener to the model's text has failed; the work goes on", e);
        }
    }

    private void tell(ClaudeEvent event) {
        if (event instanceof ClaudeEvent.MessageStart start && start.parent().isEmpty()) {
            restart();
            streamed = start.messageId();
        } else if (event instanceof ClaudeEvent.TextDelta delta
                && delta.parent().isEmpty()) {
            open = true;
            listener.onText(delta.text());
        } else if (event instanceof ClaudeEvent.MessageStop stop
                && stop.parent().isEmpty()) {
            open = false;
            listener.onEnd();
        } else if (event instanceof ClaudeEvent.Said said
                && said.parent().isEmpty()
                && !said.messageId().equals(streamed)) {
            restart();
            whole(said.block());
        }
    }

    private void restart() {
        if (open) {
            open = false;
            listener.onRestart();
        }
    }

    /** A block of an answer that was not streamed. */
    private void whole(String json) {
        JsonNode block = JsonLimits.tree(json);
        if (block != null && block.path("type").asText().equals("text")) {
            String text = block.path("text").asText();
            if (!text.isEmpty()) {
                listener.onText(text);
                listener.onEnd();
            }
        }
    }
}
