package io.maestro.team.internal.coder;

import io.maestro.git.GitOptions;
import io.maestro.prompt.internal.Prompts;
import io.maestro.secrets.Redactor;
import io.maestro.story.Story;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What people read in a story's commit: a header and what the coder says, in the form of the prompt {@code commit}. What a secret
 * is does not stand there.
 */
final class CommitMessages {
    /** Conventional Commits 1.0.0, with the types that Angular's convention has. */
    private static final Pattern CONVENTIONAL = Pattern.compile(
            "(?:build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?:\\([^()\\s]{1,50}\\))?!?: \\S.{0,199}");

    private static final Map<String, String> TYPES = Map.of(
            "fix", "fix",
            "correct", "fix",
            "mend", "fix",
            "repair", "fix",
            "document", "docs",
            "test", "test",
            "refactor", "refactor",
            "rename", "refactor",
            "revert", "revert");

    private final Prompts prompts;
    private final Redactor redactor;
    private final boolean conventional;

    CommitMessages(Prompts prompts, Redactor redactor, GitOptions git) {
        this.prompts = prompts;
        this.redactor = redactor;
        this.conventional = git.conventionalCommits();
    }

    /**
     * A message without its trailers.
     *
     * @param subject its first line
     * @param body the rest; may be empty
     */
    record CommitMessage(String subject, String body) {}

    CommitMessage of(Story story, int attempt, String summary) {
        String[] said = split(summary);
        boolean given = conventional && CONVENTIONAL.matcher(said[0]).matches();
        String header = given
                ? said[0]
                : conventional
                        ? type(story.title()) + ": " + story.title()
                        : "Story " + story.id() + ": " + story.title();
        String[] message = split(redactor.redact(prompts.render(
                "commit",
                Map.of(
                        "id",
                        story.id(),
                        "title",
                        story.title(),
                        "attempt",
                        Integer.toString(attempt),
                        "header",
                        header,
                        "text",
                        given ? said[1] : summary.strip(),
                        "conventional",
                        conventional))));
        return new CommitMessage(message[0], message[1]);
    }

    private static String type(String title) {
        String first = title.strip().split("\\W", 2)[0].toLowerCase(Locale.ROOT);
        return TYPES.getOrDefault(first, "feat");
    }

    /** The first line, and what follows it. */
    private static String[] split(String text) {
        String[] parts = text.strip().split("\\R", 2);
        return new String[] {parts[0].strip(), parts.length > 1 ? parts[1].strip() : ""};
    }
}
