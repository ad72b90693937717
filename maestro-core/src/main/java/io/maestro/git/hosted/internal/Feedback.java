package io.maestro.git.hosted.internal;

import io.maestro.git.Forge.Proposal;
import io.maestro.internal.HiddenCharacters;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What checks and people say about a request at one moment, and what of it the coder has to be told: each word of a person once,
 * until the coder has made another commit.
 */
final class Feedback {
    private static final int LONGEST = 30_000;
    private static final int LONGEST_TEXT = 4_000;

    private final Proposal proposal;
    private final Request request;
    private final List<Check> checks;
    private final Collection<Review> reviews;
    private final List<ReviewThread> threads;
    private final Map<String, String> told;

    Feedback(
            Proposal proposal,
            Request request,
            List<Check> checks,
            Collection<Review> reviews,
            List<ReviewThread> threads) {
        this.proposal = proposal;
        this.request = request;
        this.checks = checks;
        this.reviews = reviews;
        this.threads = threads;
        this.told = RequestBody.told(request.body());
    }

    Collection<Review> reviews() {
        return reviews;
    }

    boolean hasChecks() {
        return !checks.isEmpty();
    }

    List<Check> checks(Check.State state) {
        return checks.stream().filter(check -> check.state() == state).toList();
    }

    /** Told for another commit than this one: the coder has answered it. */
    private boolean isNews(String key) {
        String at = told.get(key);
        return at == null || at.equals(proposal.commit());
    }

    private List<Review> newReviews() {
        return reviews.stream()
                .filter(review -> review.wantsChanges() && isNews(review.key()))
                .toList();
    }

    private List<ReviewThread> newThreads() {
        return threads.stream()
                .filter(thread -> thread.isOpen() && isNews(thread.key()))
                .toList();
    }

    /** The names in the memory of what people want of the coder. */
    List<String> wanted() {
        List<String> keys = new ArrayList<>();
        newReviews().forEach(review -> keys.add(review.key()));
        newThreads().forEach(thread -> keys.add(thread.key()));
        return keys;
    }

    /** Whoever has asked for changes and has not looked again since. */
    Optional<String> stillWantsChanges() {
        return reviews.stream().filter(Review::wantsChanges).map(Review::login).findFirst();
    }

    boolean hasUnresolvedThreads() {
        return threads.stream().anyMatch(thread -> !thread.resolved() && thread.counts());
    }

    /** For the coder. */
    String text(Server server, String noun) {
        StringBuilder text = new StringBuilder();
        List<Check> red = checks(Check.State.RED);
        if (!red.isEmpty()) {
            text.append("Checks of the ")
                    .append(noun)
                    .append(' ')
                    .append(request.url())
                    .append(" have failed:\n");
            text.append(Check.report(red, server)).append('\n');
        }
        for (Review review : newReviews()) {
            text.append(review.login()).append(" wants changes");
            text.append(review.text().isBlank() ? ".\n\n" : ":\n" + quoted(review.text()) + "\n");
        }
        List<ReviewThread> open = newThreads();
        if (!open.isEmpty()) {
            text.append("Reviewers have written:\n");
            open.forEach(thread -> text.append("- ")
                    .append(thread.place())
                    .append('\n')
                    .append(quoted(String.join("\n\n", thread.people()))));
        }
        return CheckLog.ends(HiddenCharacters.shown(text.toString().strip()), LONGEST);
    }

    private static String quoted(String text) {
        return CheckLog.ends(text.strip(), LONGEST_TEXT)
                .lines()
                .map(line -> "  > " + line + "\n")
                .reduce("", String::concat);
    }
}
