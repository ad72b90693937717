package io.maestro.inbox.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Architect.Decision;
import io.maestro.inbox.InboxAnswer;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommentCommandTest {
    private static CommentCommand command(String comment) {
        return CommentCommand.of(comment).orElseThrow();
    }

    @Test
    void aCommandHasAVerbPerhapsARequestAndAText() {
        assertThat(command("/maestro approve")).isEqualTo(new CommentCommand("approve", "", ""));
        assertThat(command("\n /maestro  Say \t Use a map.\r\n\r\nAnd a list.\n"))
                .isEqualTo(new CommentCommand("say", "", "Use a map.\r\n\r\nAnd a list."));
        assertThat(command("/maestro changes `042/1/7` Use a map."))
                .isEqualTo(new CommentCommand("changes", "042/1/7", "Use a map."));
        assertThat(command("/maestro approve 042/1/7")).isEqualTo(new CommentCommand("approve", "042/1/7", ""));
        assertThat(command("/maestro approve 042/1/7: fine"))
                .isEqualTo(new CommentCommand("approve", "042/1/7", "fine"));
        assertThat(command("/maestro reject 042/1/7/call-0a-1b-1 no"))
                .isEqualTo(new CommentCommand("reject", "042/1/7/call-0a-1b-1", "no"));
        assertThat(command("/maestro")).isEqualTo(new CommentCommand("", "", ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "I would /maestro approve this",
                "> /maestro approve",
                "```\n/maestro approve\n```",
                "Yes.\n/maestro approve",
                "/maestros approve",
                "/maestro/approve"
            })
    void talkIsNoCommand(String comment) {
        assertThat(CommentCommand.of(comment)).isEmpty();
    }

    @Test
    void whatItDecidesIsTheVerbs() {
        assertThat(command("/maestro approve mind it").by("ann"))
                .returns(Decision.APPROVED, InboxAnswer::decision)
                .returns("mind it", InboxAnswer::message)
                .returns("ann", InboxAnswer::person);
        assertThat(command("/maestro say x").by("ann").kind()).isEqualTo(InboxAnswer.Kind.ANSWER);
        assertThat(command("/maestro changes x").by("ann").decision()).isEqualTo(Decision.NEEDS_CHANGES);
        assertThat(command("/maestro reject x").by("ann").decision()).isEqualTo(Decision.REJECTED);
        assertThat(command("/maestro merge").kind()).isEqualTo(Optional.empty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"say", "changes", "reject", "merge", ""})
    void whatIsMissingIsSaid(String verb) {
        assertThatThrownBy(() -> command("/maestro " + verb).by("ann"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching(
                        "a text is missing, as in `/maestro " + verb + " <text>`|there is no such command; .*");
    }
}
