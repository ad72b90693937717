package io.maestro.inbox;

import io.maestro.agent.Architect.Decision;
import io.maestro.internal.PersonName;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a person decides on a request. Names that differ in letter case, blanks or forms of the same characters alone are one
 * person's. Immutable.
 */
public final class InboxAnswer {
    /** The longest message and the longest plan, in characters. */
    public static final int MOST_CHARACTERS = 20_000;

    private final String person;
    private final Decision decision;
    private final String message;
    private final @Nullable String plan;

    private InboxAnswer(String person, Decision decision, String message, @Nullable String plan) {
        this.person = person.strip();
        PersonName.check("who answers?", this.person);
        this.decision = Objects.requireNonNull(decision, "decision");
        this.message = bounded("a message", message);
        this.plan = plan == null ? null : bounded("a plan", plan);
        if (decision != Decision.APPROVED && message.isBlank()) {
            throw new IllegalArgumentException("say why: " + decision + " needs a message");
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
     * @return an answer without a message
     */
    public static InboxAnswer approve(String person) {
        return of(person, Decision.APPROVED, "");
    }

    /**
     * The answer to a question, or an approval with something to mind.
     *
     * @param person who answers, for the record; 1 to 100 characters without the blanks around them
     * @param message at most {@value #MOST_CHARACTERS} characters
     * @return an answer that lets the coder go on
     */
    public static InboxAnswer say(String person, String message) {
        return of(person, Decision.APPROVED, message);
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
        return of(person, Decision.NEEDS_CHANGES, message);
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
        return of(person, Decision.REJECTED, message);
    }

    /**
     * A decision that was made elsewhere, such as in a form.
     *
     * @param person who decides, for the record; 1 to 100 characters without the blanks around them
     * @param decision what was decided
     * @param message may be blank with an approval only; at most {@value #MOST_CHARACTERS} characters
     * @return an answer
     * @throws IllegalArgumentException when the message is blank and must not be
     */
    public static InboxAnswer of(String person, Decision decision, String message) {
        return new InboxAnswer(person, decision, message, null);
    }

    /**
     * The same with another plan in the place of the one that was submitted: the coder does this.
     *
     * @param changed the whole plan; Markdown, not blank, at most {@value #MOST_CHARACTERS} characters
     * @return a new answer
     * @throws IllegalStateException unless this is an approval
     */
    public InboxAnswer withPlan(String changed) {
        if (decision != Decision.APPROVED) {
            throw new IllegalStateException("a changed plan is approved, not " + decision);
        }
        if (changed.isBlank()) {
            throw new IllegalArgumentException("the changed plan is blank");
        }
        return new InboxAnswer(person, decision, message, changed);
    }

    /** {@return who decides, without blanks around the name} */
    public String person() {
        return person;
    }

    /** {@return what was decided} */
    public Decision decision() {
        return decision;
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
