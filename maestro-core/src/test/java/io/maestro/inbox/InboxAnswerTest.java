package io.maestro.inbox;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people decide. */
class InboxAnswerTest {
    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\nb", "a\u202eb", "\u0000"})
    void whoAnswersHasAName(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> InboxAnswer.approve(name))
                .withMessageContaining("who answers?");
    }

    @Test
    void blanksAroundANameAreNoPartOfIt() {
        assertThat(InboxAnswer.approve(" Ann Lee\u2003").person()).isEqualTo("Ann Lee");
        assertThat(InboxAnswer.approve(" " + "a".repeat(100)).person()).hasSize(100);
    }

    @Test
    void aRefusalSaysWhy() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> InboxAnswer.reject("alice", " "))
                .withMessageContaining("say why: REJECTED needs a message");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> InboxAnswer.changes("alice", ""))
                .withMessageContaining("say why: NEEDS_CHANGES needs a message");
        assertThat(InboxAnswer.of("alice", InboxAnswer.Kind.APPROVED, "").message())
                .isEmpty();
    }

    @Test
    void textsHaveALimit() {
        String most = "x".repeat(InboxAnswer.MOST_CHARACTERS);
        InboxAnswer answer = InboxAnswer.approve("a".repeat(100), most).withPlan(most);
        assertThat(answer.plan()).contains(most);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> InboxAnswer.say("alice", most + "x"))
                .withMessageContaining("at most 20000 characters, not 20001");
        assertThatIllegalArgumentException().isThrownBy(() -> answer.withPlan(most + "x"));
        assertThatIllegalArgumentException().isThrownBy(() -> InboxAnswer.approve("a".repeat(101)));
    }

    @Test
    void onlyAnApprovedPlanIsChanged() {
        assertThatIllegalStateException()
                .isThrownBy(() -> InboxAnswer.reject("alice", "no").withPlan("better"))
                .withMessageContaining("not REJECTED");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> InboxAnswer.approve("alice").withPlan(" "))
                .withMessageContaining("blank");
    }
}
