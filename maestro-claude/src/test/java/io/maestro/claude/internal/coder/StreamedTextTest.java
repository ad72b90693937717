package io.maestro.claude.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeEvent.MessageStart;
import io.maestro.claude.ClaudeEvent.MessageStop;
import io.maestro.claude.ClaudeEvent.Said;
import io.maestro.claude.ClaudeEvent.TextDelta;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StreamedTextTest {
    private static final Optional<String> MAIN = Optional.empty();
    private static final Optional<String> SUB_AGENT = Optional.of("toolu_1");

    private final List<String> heard = new ArrayList<>();

    private List<String> heard(ClaudeEvent... events) {
        StreamedText streamed = new StreamedText(new LlmStreamListener() {
            @Override
            public void onText(String text) {
                heard.add(text);
            }

            @Override
            public void onRestart() {
                heard.add("RESTART");
            }
        });
        for (ClaudeEvent event : events) {
            streamed.onEvent(event);
        }
        return heard;
    }

    private static Said said(String messageId, String text, Optional<String> parent) {
        return new Said(messageId, "claude-sonnet-4-5", "{\"type\":\"text\",\"text\":\"" + text + "\"}", parent);
    }

    @Test
    void piecesAreToldOnce() {
        assertThat(heard(
                        new MessageStart("m1", "m", Usage.NONE, MAIN),
                        new TextDelta("I go", MAIN),
                        new TextDelta(" on.", MAIN),
                        said("m1", "I go on.", MAIN),
                        new MessageStop(MAIN),
                        new MessageStart("m2", "m", Usage.NONE, MAIN),
                        new TextDelta("Done.", MAIN)))
                .containsExactly("I go", " on.", "Done.");
    }

    @Test
    void anAnswerThatBrokeOffIsVoid() {
        assertThat(heard(
                        new MessageStart("m1", "m", Usage.NONE, MAIN),
                        new TextDelta("I g", MAIN),
                        new MessageStart("m2", "m", Usage.NONE, MAIN),
                        new TextDelta("I do", MAIN),
                        new MessageStop(MAIN)))
                .containsExactly("I g", "RESTART", "I do");
    }

    @Test
    void anAnswerInOnePieceTakesThePlaceOfOneThatBrokeOff() {
        assertThat(heard(
                        new MessageStart("m1", "m", Usage.NONE, MAIN),
                        new TextDelta("I g", MAIN),
                        said("m2", "I do it", MAIN)))
                .containsExactly("I g", "RESTART", "I do it");
    }

    @Test
    void subAgentsAreNotHeard() {
        assertThat(heard(
                        new MessageStart("m1", "m", Usage.NONE, MAIN),
                        new TextDelta("Look", MAIN),
                        new MessageStart("s1", "m", Usage.NONE, SUB_AGENT),
                        new TextDelta("psst", SUB_AGENT),
                        said("s2", "psst", SUB_AGENT),
                        new MessageStop(SUB_AGENT),
                        new TextDelta("ing", MAIN)))
                .containsExactly("Look", "ing");
    }

    @Test
    void aListenerThatThrowsDoesNoHarm() {
        StreamedText streamed = new StreamedText(text -> {
            throw new IllegalStateException("no screen");
        });
        streamed.onEvent(new MessageStart("m1", "m", Usage.NONE, MAIN));
        streamed.onEvent(new TextDelta("I go", MAIN));
    }
}
