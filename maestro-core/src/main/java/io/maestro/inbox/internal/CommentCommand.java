package io.maestro.inbox.internal;

import io.maestro.inbox.InboxAnswer;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a comment tells Maestro: it begins with {@code /maestro}, a verb, and perhaps the request and a text. What stands further down,
 * in a quotation or in an example, is talk.
 *
 * @param verb in small letters; may be none that there is
 * @param request the request that it names; empty when it names none
 * @param text what is said with it; may be empty
 */
record CommentCommand(String verb, String request, String text) {
    /** The verbs. */
    static final String USAGE =
            "begin a comment with `/maestro approve`, `/maestro say <text>`, `/maestro changes <text>` or `/maestro reject <text>`";

    private static final Pattern FORM = Pattern.compile("/maestro(?![^\\s])[ \\t]*(\\S*)\\s*(.*)", Pattern.DOTALL);
    private static final Pattern REQUEST = Pattern.compile(
            "`?([A-Za-z0-9_-]{1,64}/\\d{1,9}/\\d{1,9}(?:/[a-z0-9-]+)?)`?[:,]?(?:\\s+(.*))?", Pattern.DOTALL);

    /** Empty when the comment is none. */
    static Optional<CommentCommand> of(String comment) {
        Matcher form = FORM.matcher(comment.strip());
        if (!form.matches()) {
            return Optional.empty();
        }
        String verb = form.group(1).toLowerCase(Locale.ROOT);
        Matcher request = REQUEST.matcher(form.group(2));
        return Optional.of(
                request.matches()
                        ? new CommentCommand(
                                verb,
                                request.group(1),
                                request.group(2) == null ? "" : request.group(2).strip())
                        : new CommentCommand(verb, "", form.group(2).strip()));
    }

    /** Empty when the verb is none. */
    Optional<InboxAnswer.Kind> kind() {
        return switch (verb) {
            case "approve" -> Optional.of(InboxAnswer.Kind.APPROVED);
            case "say" -> Optional.of(InboxAnswer.Kind.ANSWER);
            case "changes" -> Optional.of(InboxAnswer.Kind.NEEDS_CHANGES);
            case "reject" -> Optional.of(InboxAnswer.Kind.REJECTED);
            default -> Optional.empty();
        };
    }

    /**
     * What somebody has decided with it.
     *
     * @throws IllegalArgumentException when there is no such verb, or it needs a text and has none, or too long a one
     */
    InboxAnswer by(String person) {
        InboxAnswer.Kind kind = kind().orElseThrow(
                        () -> new IllegalArgumentException("there is no such command; " + CommentCommand.USAGE));
        if (text.isEmpty() && !verb.equals("approve")) {
            throw new IllegalArgumentException("a text is missing, as in `/maestro " + verb + " <text>`");
        }
        return InboxAnswer.of(person, kind, text);
    }
}
