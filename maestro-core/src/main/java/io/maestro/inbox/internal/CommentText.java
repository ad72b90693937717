package io.maestro.inbox.internal;

import io.maestro.agent.Architect.Kind;
import io.maestro.git.internal.text.ForgeText;
import io.maestro.inbox.InboxAnswer;
import io.maestro.inbox.InboxItem;
import io.maestro.inbox.InboxItem.Outcome;
import io.maestro.secrets.Redactor;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes comments below a proposal. Agents and people are heard in fences only ({@link ForgeText}). */
final class CommentText {
    /** Characters of a fact; whoever wants all of it looks into the inbox. */
    private static final int MOST_FACT = 2_000;

    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final ForgeText texts;

    CommentText(Redactor redactor) {
        this.texts = new ForgeText(redactor);
    }

    /** The comment for a request, as it stands. */
    String of(InboxItem item) {
        String facts = item.facts().entrySet().stream()
                        .map(fact -> fact(item, fact.getKey(), fact.getValue()))
                        .collect(Collectors.joining("\n\n", "", "\n\n"))
                + folded("story", item.storyTitle() + "\n\n" + item.storyContent());
        String folded = item.outcome().isEmpty()
                ? facts
                : "<details><summary>What was asked</summary>\n\n" + facts + "\n\n</details>";
        return CommentMark.ofRequest(item) + "**Maestro: " + item.kind() + "**, request `" + item.id()
                + "` of story `" + item.storyId() + "`, attempt " + item.attempt() + "\n\n"
                + item.outcome().map(outcome -> decided(item, outcome)).orElseGet(() -> open(item)) + "\n\n" + folded;
    }

    /** A short reply to one comment. */
    String reply(long comment, String author, String said) {
        return CommentMark.ofReply(comment) + "@" + author + ": " + texts.message(said) + ".";
    }

    private static String open(InboxItem item) {
        int missing = item.approvals() - item.given().size();
        String approvals = item.approvals() == 1
                ? ""
                : "\n\n" + item.approvals() + " people must approve. "
                        + (item.given().isEmpty()
                                ? "Nobody has yet."
                                : item.given().stream()
                                                .map(one -> name(one.person()))
                                                .collect(Collectors.joining(", "))
                                        + " did; " + missing + " more must.");
        boolean question = item.kind() == Kind.QUESTION;
        String commands = question
                ? "- `/maestro say <text>`, the answer\n"
                : "- `/maestro approve`, or with something to mind: `/maestro approve <text>`\n- `/maestro changes <text>`\n";
        return "Waits for people until " + time(item.until()) + ". If nobody decides: " + item.otherwise() + approvals
                + "\n\nTo decide, write a comment that begins with\n\n" + commands
                + "- `/maestro reject <text>`\n\n"
                + "Once more than one request was asked on this pull request, a comment counts only when it names one, as in `/maestro "
                + (question ? "say " : "approve ") + item.id() + (question ? " <text>" : "")
                + "`. Whoever may write to the repository may decide, but not who has opened the request to merge. An edited"
                + " comment does not count.";
    }

    private String decided(InboxItem item, Outcome outcome) {
        String votes = item.given().stream()
                .map(one -> "\n- " + name(one.person()) + " has approved it, at " + time(one.at()) + "."
                        + (one.message().isBlank() ? "" : "\n\n" + texts.fenced(one.message(), MOST_FACT)))
                .collect(Collectors.joining());
        return by(outcome, "**") + ", at " + time(outcome.at()) + "."
                + item.decided().map(made -> " This is " + made + ".").orElse("")
                + (outcome.message().isBlank() ? "" : "\n\n" + texts.fenced(outcome.message(), MOST_FACT))
                + (votes.isEmpty() ? "" : "\n" + votes);
    }

    private static String by(Outcome outcome, String mark) {
        String by = outcome.person().map(CommentText::name).orElse("somebody");
        return outcome.kind()
                .map(made ->
                        by + (made == InboxAnswer.Kind.ANSWER ? " has answered" : " has decided " + mark + made + mark))
                .orElse("Nobody has decided");
    }

    /** The first one is what is decided on, and in sight; so is what has one line. */
    private String fact(InboxItem item, String name, String text) {
        boolean first = item.facts().keySet().iterator().next().equals(name);
        return first || !text.strip().contains("\n")
                ? "**" + name + "**\n\n" + texts.fenced(text, MOST_FACT)
                : folded(name, text);
    }

    private String folded(String name, String text) {
        return "<details><summary>" + name + "</summary>\n\n" + texts.fenced(text, MOST_FACT) + "\n\n</details>";
    }

    /** In one line, for somebody who has not said which one is meant. */
    static String nameOne(List<CommentMark.Asked> asked) {
        String example = asked.stream()
                .filter(CommentMark.Asked::waits)
                .findFirst()
                .orElse(asked.get(asked.size() - 1))
                .request();
        return "more than one request was asked here, so name the one that you mean, as in `/maestro approve " + example
                + "`";
    }

    /** In one line, for somebody who was too late. */
    static String tooLate(InboxItem item) {
        return "this came too late for request `" + item.id() + "`: "
                + item.outcome()
                        .map(outcome -> outcome.kind().isPresent()
                                ? by(outcome, "")
                                : outcome.message().isBlank()
                                        ? "nobody has decided in time, or it was withdrawn"
                                        : outcome.message())
                        .orElse("it is over");
    }

    private static String time(Instant at) {
        return MINUTE.format(at);
    }

    /** A name makes no Markdown and calls nobody. */
    private static String name(String person) {
        return ForgeText.code(person);
    }
}
