package io.maestro.team.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.git.GitOptions;
import io.maestro.prompt.internal.Prompts;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.Story;
import io.maestro.team.internal.coder.CommitMessages.CommitMessage;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What commits of stories say. */
class CommitMessagesTest {
    private static final Story STORY =
            Story.builder("042", "Greet in German").content("c").build();

    private static CommitMessage message(boolean conventional, String title, String summary) {
        Story story = Story.builder("042", title).content("c").build();
        return new CommitMessages(
                        new Prompts(), text -> text, GitOptions.defaults().conventionalCommits(conventional))
                .of(story, 2, summary);
    }

    @Test
    void aCommitSaysWhichStoryItIsAndWhatTheCoderDid() {
        assertThat(message(false, "Greet in German", " It greets.\n\nIn German, too. "))
                .isEqualTo(new CommitMessage("Story 042: Greet in German", "It greets.\n\nIn German, too."));
        assertThat(message(false, "Greet", "fix: x\n\nMore."))
                .isEqualTo(new CommitMessage("Story 042: Greet", "fix: x\n\nMore."));
    }

    @Test
    void aHeaderOfTheCoderIsTaken() {
        assertThat(message(true, "Greet", "fix(greeting)!: mind the case\r\n\r\nIt was wrong."))
                .isEqualTo(new CommitMessage(
                        "fix(greeting)!: mind the case", "It was wrong.\n\nStory 042: Greet (attempt 2)"));
        assertThat(message(true, "Greet", "docs: say hello"))
                .isEqualTo(new CommitMessage("docs: say hello", "Story 042: Greet (attempt 2)"));
    }

    @ParameterizedTest
    @CsvSource({
        "Greet in German, feat",
        "Fix the greeting, fix",
        "Mend it, fix",
        "Document greetings, docs",
        "Tests, feat",
        "'', feat"
    })
    void elseOneIsMadeOfTheTitle(String title, String type) {
        String named = title.isEmpty() ? "-" : title;
        assertThat(message(true, named, "unheard: of\n\nmore"))
                .isEqualTo(new CommitMessage(
                        type + ": " + named, "unheard: of\n\nmore\n\nStory 042: " + named + " (attempt 2)"));
    }

    @Test
    void aHostMaySayItInAnotherWay() {
        Prompts prompts = new Prompts(Map.of("commit", "[{{id}}] {{title}} ({{attempt}})\n\n{{text}}\n\nSigned"));
        assertThat(new CommitMessages(prompts, text -> text, GitOptions.defaults()).of(STORY, 2, "It greets."))
                .isEqualTo(new CommitMessage("[042] Greet in German (2)", "It greets.\n\nSigned"));
    }

    @Test
    void noSecretIsCommittedWithTheWords() {
        String token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        CommitMessage message = new CommitMessages(
                        new Prompts(),
                        SecretRedactor.withDefaults(),
                        GitOptions.defaults().conventionalCommits(true))
                .of(STORY, 1, "fix: use " + token + "\n\nAlso " + token);
        assertThat(message.toString()).doesNotContain(token).contains("fix: use [REDACTED:github-token]");
    }
}
