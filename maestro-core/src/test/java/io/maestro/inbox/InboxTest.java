package io.maestro.inbox;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Architect;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Samples;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which answer decides on what. */
class InboxTest {
    @TempDir
    Path directory;

    private Store store;
    private Inbox inbox;

    @BeforeEach
    void open() {
        store = Store.sqlite(directory.resolve("maestro.db"), text -> text);
        Samples.begin(store);
        store.saveStory(Samples.story("042", 1, CoderState.CODING));
        inbox = new Inbox(store.requests(), () -> {});
    }

    @AfterEach
    void close() {
        store.close();
    }

    private String ask(String id, Architect.Kind kind, int approvals) {
        return ask(id, kind, approvals, "{\"fact\":\"it\"}");
    }

    private String ask(String id, Architect.Kind kind, int approvals, String facts) {
        return store.requests()
                .open(
                        new AuditLog.Effect(
                                id, "s1", "042", 1, "coder-001", kind.name(), facts, Instant.now(), null, null),
                        Instant.now().plusSeconds(3_600),
                        approvals)
                .effect()
                .id();
    }

    /** Also one that reads like a refusal. */
    @ParameterizedTest
    @EnumSource
    void aTextAnswersAQuestionAndDecidesNothingElse(Architect.Kind kind) {
        boolean question = kind == Architect.Kind.QUESTION;
        for (InboxAnswer.Kind answer : InboxAnswer.Kind.values()) {
            String id = ask("042/1/" + answer.ordinal(), kind, 1);
            InboxAnswer given = InboxAnswer.of("alice", answer, "Do NOT do this, it is wrong");
            boolean fits = answer == InboxAnswer.Kind.REJECTED || question == (answer == InboxAnswer.Kind.ANSWER);
            if (fits) {
                Inbox.Result result = inbox.answer(id, given);
                assertThat(result.status()).isEqualTo(Inbox.Status.COUNTS);
                assertThat(result.item().outcome().flatMap(InboxItem.Outcome::kind))
                        .contains(answer);
                assertThat(result.summary())
                        .startsWith(
                                switch (answer) {
                                    case ANSWER -> "answered: ";
                                    case APPROVED -> "approved: ";
                                    case NEEDS_CHANGES -> "changes wanted: ";
                                    case REJECTED -> "rejected: ";
                                })
                        .contains("042");
            } else {
                assertThatThrownBy(() -> inbox.answer(id, given))
                        .as("%s to %s", answer, kind)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("request " + id + " is a " + kind)
                        .hasMessageContaining("reject it");
                assertThat(inbox.find(id).orElseThrow().outcome()).isEmpty();
            }
        }
    }

    @Test
    void whatSaysTheOppositeIsNoneOfTheFourEyes() {
        String merge = ask("042/1/8", Architect.Kind.MERGE, 2);
        assertThatThrownBy(() -> inbox.answer(merge, InboxAnswer.say("alice", "Do NOT merge this")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("approve it, ask for changes or reject it");
        assertThat(inbox.find(merge).orElseThrow().given()).isEmpty();
        Inbox.Result first = inbox.answer(merge, InboxAnswer.approve("alice", "fine"));
        assertThat(first.summary())
                .isEqualTo("your approval of 042/1/8, the MERGE of 042, is kept; 1 more must approve");
        assertThat(inbox.answer(merge, InboxAnswer.approve("bob")).summary())
                .isEqualTo("approved: merge of 042 goes on");
        assertThat(inbox.answer(merge, InboxAnswer.reject("carol", "no")).summary())
                .isEqualTo("too late: bob has decided APPROVED");
    }

    /** The plan is among the facts of every kind, to be read. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "QUESTION")
    void aPlanIsOnlyAnAnswerToOneThatIsReviewed(Architect.Kind kind) {
        InboxAnswer changed = InboxAnswer.approve("alice").withPlan("another plan");
        String with = ask("042/1/1", kind, 1, "{\"plan\":\"it\"}");
        String without = ask("042/1/2", kind, 1, "{\"fact\":\"it\"}");
        for (String id : List.of(with, without)) {
            if (id.equals(with) && kind == Architect.Kind.PLAN_REVIEW) {
                assertThat(inbox.answer(id, changed).status()).isEqualTo(Inbox.Status.COUNTS);
            } else {
                assertThatThrownBy(() -> inbox.answer(id, changed))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("is a " + kind + " that asks about no plan");
                assertThat(inbox.find(id).orElseThrow().outcome()).isEmpty();
            }
        }
    }

    @Test
    void anAnswerHasAText() {
        assertThatThrownBy(() -> InboxAnswer.say("alice", " ")).hasMessageContaining("ANSWER needs a message");
        assertThatThrownBy(() -> InboxAnswer.say("alice", "that").withPlan("this"))
                .isInstanceOf(IllegalStateException.class);
    }
}
