package io.maestro.inbox;

import io.maestro.agent.Architect.Decision;
import io.maestro.internal.PersonName;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a person says to a request: the answer to a question, or a decision on anything else. Names that differ in letter case,
 * blanks or forms of the same characters alone are one person's. Immutable.
 */
public final class InboxAnswer {
    /** The longest message and the longest plan, in characters. */
    public static final int MOST_CHARACTERS = 20_000;

    /** What it does. {@link Inbox#answer} takes each only from requests for which it makes sense. */
    public enum Kind {
        /** A text that answers a question. Decides nothing: it approves no plan, change, budget, merge or call. */
        ANSWER(Decision.APPROVED),
        /** Go on. Not for a question, which needs a text. */
        APPROVED(Decision.APPROVED),
        /** Go back and change something. Not for a question. */
        NEEDS_CHANGES(Decision.NEEDS_CHANGES),
        /** Stop, whatever was asked. */
        REJECTED(Decision.REJECTED);

        private final Decision decision;

        Kind(Decision decision) {
            this.decision = decision;
        }
    }

    private final String person;
    private final Kind kind;
    private final String message;
    private final @Nullable String plan;

    private InboxAnswer(String person, Kind kind, String message, @Nullable String plan) {
        this.person = person.strip();
        PersonName.check("who answers?", this.person);
        this.kind = Objects.requireNonNull(kind, "kind");
        this.message = bounded("a message", message);
        this.plan = plan == null ? null : bounded("a plan", plan);
        if (kind != Kind.APPROVED && message.isBlank()) {
            throw new IllegalArgumentException("say why: " + kind + " needs a message");
        }
    }

    private static String bounded(String what, String text) {
        if (text.length() > MOST_CHARACTERS) {
            throw new IllegalArgumentException(
                    what + " has at most " + MOST_CHARACTERS + " characters, not " + text.length());
        }
        return text;
    }

    /**
     * Go on.
     *
     * @param person who decides, for the record; 1 to 100 characters without the blanks around them
     * @return an approval without a message
     */
    public static InboxAnswer approve(String person) {
        return approve(person, "");
    }

    /**
     * Go on, with something to mind.
     *
     * @param person who decides, for the record; 1 to 100 characters without the blanks around them
     * @param message for the coder; may be empty; at most {@value #MOST_CHARACTERS} characters
     * @return an approval
     */
    public static InboxAnswer approve(String person, String message) {
        return of(person, Kind.APPROVED, message);
    }

    /**
     * The answer to a question.
     *
     * @param person who answers, for the record; 1 to 100 characters without the blanks around them
     * @param message the answer; at most {@value #MOST_CHARACTERS} characters
     * @return an answer, which decides nothing but the question
     * @throws IllegalArgumentException when the message is blank
     */
    public static InboxAnswer say(String person, String message) {
        return of(person, Kind.ANSWER, message);
    }

    /**
     * Go back and change something.
     *
     * @param person who decides, for the record; 1 to 100 characters without the blanks around them
     * @param message what to change; at most {@value #MOST_CHARACTERS} characters
     * @return an answer
     * @throws IllegalArgumentException when the message is blank
     */
    public static InboxAnswer changes(String person, String message) {
        return of(person, Kind.NEEDS_CHANGES, message);
    }

    /**
     * Stop: the story ends in ERROR; a call of a tool is refused, and the story goes on.
     *
     * @param person who decides, for the record; 1 to 100 characters without the blanks around them
     * @param message why; at most {@value #MOST_CHARACTERS} characters
     * @return an answer
     * @throws IllegalArgumentException when the message is blank
     */
    public static InboxAnswer reject(String person, String message) {
        return of(person, Kind.REJECTED, message);
    }

    /**
     * An answer that was given elsewhere, such as in a form.
     *
     * @param person who decides, for the record; 1 to 100 characters without the blanks around them
     * @param kind what it does
     * @param message may be blank with an approval only; at most {@value #MOST_CHARACTERS} characters
     * @return an answer
     * @throws IllegalArgumentException when the message is blank and must not be
     */
    public static InboxAnswer of(String person, Kind kind, String message) {
        return new InboxAnswer(person, kind, message, null);
    }

    /**
     * The same with another plan in the place of the one that was submitted: the coder does this.
     *
     * @param changed the whole plan; Markdown, not blank, at most {@value #MOST_CHARACTERS} characters
     * @return a new answer
     * @throws IllegalStateException unless this is an approval
     */
    public InboxAnswer withPlan(String changed) {
        if (kind != Kind.APPROVED) {
            throw new IllegalStateException("a changed plan is approved, not " + kind);
        }
        if (changed.isBlank()) {
            throw new IllegalArgumentException("the changed plan is blank");
        }
        return new InboxAnswer(person, kind, message, changed);
    }

    /** {@return who decides, without blanks around the name} */
    public String person() {
        return person;
    }

    /** {@return what it does} */
    public Kind kind() {
        return kind;
    }

    /** {@return how it stands in the record; of an answer to a question APPROVED, since the coder goes on} */
    public Decision decision() {
        return kind.decision;
    }

    /** {@return an answer, the reason, or what to change; may be empty} */
    public String message() {
        return message;
    }

    /** {@return what was made of the plan; empty unless it was changed} */
    public Optional<String> plan() {
        return Optional.ofNullable(plan);
    }
}
