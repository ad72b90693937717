package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.AuditLog.ChatPost;
import io.maestro.record.AuditLog.Effect;
import io.maestro.record.AuditLog.Message;
import io.maestro.record.AuditLog.Session;
import io.maestro.record.AuditLog.SpecRecord;
import io.maestro.record.AuditLog.SpecTransition;
import io.maestro.record.AuditLog.StateTransition;
import io.maestro.record.AuditLog.StoryRecord;
import io.maestro.record.AuditLog.ToolExecution;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Every record comes back as it was written, from every database, but for the characters that not every one can hold. */
@Timeout(120)
@ParameterizedClass
@EnumSource(Backend.class)
class AwkwardTextTest {
    /** All of ASCII but NUL, and more. */
    private static final String ANY =
            asciiWithoutNul() + "'' \"\" \\u0000 ${x} ? $1 :x %s {{}} -- /* \r\n\u0085\u2028 😀"
                    + " \uD83D\uDC69\u200D\uD83D\uDCBB e\u0301 \uFEFF\uFFFE\uFFFF \uDBFF\uDFFF";

    private static final String GIVEN = ANY + "\u0000 nul \uD83D high \uDE00 low \uDE00\uD83D swapped\uD83D";
    private static final String KEPT = ANY + "\u2400 nul \uFFFD high \uFFFD low \uFFFD\uFFFD swapped\uFFFD";

    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    private static String asciiWithoutNul() {
        StringBuilder all = new StringBuilder();
        for (char c = 1; c < 256; c++) {
            all.append(c);
        }
        return all.toString();
    }

    /** One of each record, with a text in every place that takes one. */
    private record Rows(String id, String t) {
        Session session() {
            return new Session("s" + id, t, Samples.AT, Long.MAX_VALUE, Samples.AT.plusNanos(1));
        }

        StoryRecord story() {
            return new StoryRecord(
                    "s" + id,
                    "s" + id,
                    t,
                    t,
                    t,
                    true,
                    CoderState.SETUP,
                    7,
                    id,
                    id,
                    id,
                    t,
                    t,
                    "p" + id,
                    List.of(id, "", "x"),
                    Samples.AT.plusNanos(1));
        }

        StateTransition transition() {
            return new StateTransition(
                    "s" + id, "s" + id, 7, id, CoderState.WAITING, CoderState.SETUP, t, Samples.AT.plusNanos(1));
        }

        SpecRecord spec() {
            return new SpecRecord("p" + id, "s" + id, t, t, ArchitectState.SCOPING, t, t, Samples.AT.plusNanos(1));
        }

        SpecTransition specTransition() {
            return new SpecTransition(
                    "s" + id,
                    "p" + id,
                    id,
                    ArchitectState.WAITING,
                    ArchitectState.SCOPING,
                    t,
                    Samples.AT.minusNanos(1));
        }

        Message message() {
            return new Message(
                    "s" + id, "s" + id, 7, id, t, 3, t, t, t, t, 1, 2, Long.MAX_VALUE, 4, Samples.AT.plusMillis(1));
        }

        ToolExecution toolExecution() {
            return new ToolExecution("s" + id, id, "s" + id, 7, t, t, t, t, t, t, t, -1, 5, Samples.AT);
        }

        Effect effect() {
            return new Effect("e" + id, "s" + id, "s" + id, 7, id, t, t, Samples.AT, t, Samples.AT.plusNanos(2));
        }

        ChatPost post(long number) {
            return new ChatPost(number, "s" + id, id, t, t, Samples.AT);
        }
    }

    private void keeps(Rows given, Rows kept) {
        String url = backend.newRecord(directory);
        long number;
        try (Store store = Backend.open(url)) {
            store.beginSession(given.session());
            store.recordSpecTransition(given.specTransition(), given.spec(), List.of());
            store.recordTransition(given.transition(), given.story());
            store.recordMessage(given.message());
            store.recordToolExecution(given.toolExecution());
            store.recordEffect(given.effect());
            store.saveTodos(given.story().id(), 7, given.t());
            number = store.post(given.post(0));
        }
        try (Store store = Backend.open(url)) {
            String story = given.story().id();
            assertThat(store.sessions()).containsExactly(kept.session());
            assertThat(store.stories()).containsExactly(kept.story());
            assertThat(store.story(story)).contains(kept.story());
            assertThat(store.storiesOf(given.spec().id())).containsExactly(kept.story());
            assertThat(store.transitions(story)).containsExactly(kept.transition());
            assertThat(store.specs()).containsExactly(kept.spec());
            assertThat(store.specTransitions(given.spec().id())).containsExactly(kept.specTransition());
            assertThat(store.messages(story)).containsExactly(kept.message());
            assertThat(store.toolExecutions(story)).containsExactly(kept.toolExecution());
            assertThat(store.effects(story)).containsExactly(kept.effect());
            assertThat(store.todos(story, 7)).contains(kept.t());
            assertThat(store.chat(0, 9)).containsExactly(kept.post(number));
        }
    }

    @Test
    void keepsEveryCharacterThatUtf8CanHold() {
        keeps(new Rows(ANY, ANY), new Rows(ANY, ANY));
    }

    @Test
    void keepsAMarkInPlaceOfNulAndOfHalfCharacters() {
        keeps(new Rows(GIVEN, GIVEN), new Rows(KEPT, KEPT));
    }

    @Test
    void keepsAMarkInPlaceOfHalfACharacterAlone() {
        keeps(new Rows("\uD83D", "a\uDE00"), new Rows("\uFFFD", "a\uFFFD"));
    }

    @Test
    void keepsAQuarterOfAMegabyte() {
        String large = "0123456789abcdé😀".repeat(1 << 14);

        keeps(new Rows("1", large), new Rows("1", large));
    }

    @Test
    void keepsNothingButNothing() {
        keeps(new Rows("", ""), new Rows("", ""));
    }

    /** In the order of their bytes, whatever the language of the server. */
    @Test
    void listsInTheSameOrderEverywhere() {
        List<String> ordered = List.of("", "A", "Z", "_", "a", "a b", "aB", "ab", "z", "ä", "\uFFFD", "😀");
        try (Store store = Backend.open(backend.newRecord(directory))) {
            Samples.begin(store);
            for (int i = ordered.size() - 1; i >= 0; i--) {
                store.saveStory(Samples.story("x" + ordered.get(i), 1, CoderState.WAITING));
                store.saveSpec(Samples.spec(ordered.get(i), ArchitectState.WAITING));
            }

            assertThat(store.specs()).extracting(SpecRecord::id).containsExactlyElementsOf(ordered);
            assertThat(store.stories().stream().skip(1))
                    .extracting(story -> story.id().substring(1))
                    .containsExactlyElementsOf(ordered);
        }
    }
}
