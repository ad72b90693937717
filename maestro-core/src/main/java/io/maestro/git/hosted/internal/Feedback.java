package io.maestro.git.hosted.internal;

import io.maestro.git.Forge.Proposal;
import io.maestro.internal.HiddenCharacters;
import java.util.ArrayList;
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
    private final PullRequest request;
    private final List<Check> checks;
    private final Listed<Review> reviews;
    private final Listed<ReviewThread> threads;
    private final boolean allKnown;
    private final Map<String, String> told;

    /** @param allKnown see {@link Writers.WriterLookup#isWhole} */
    Feedback(
            Proposal proposal,
            PullRequest request,
            List<Check> checks,
            Listed<Review> reviews,
            Listed<ReviewThread> threads,
            boolean allKnown) {
        this.proposal = proposal;
        this.request = request;
        this.checks = checks;
        this.reviews = reviews;
        this.threads = threads;
        this.allKnown = allKnown;
        this.told = RequestBody.told(request.body());
    }

    List<Review> reviews() {
        return reviews.items();
    }

    /** Whose words or which ones may be missing, which nobody has told the coder; empty when all are heard. */
    Optional<String> unheard() {
        if (!reviews.whole() || !threads.whole()) {
            return Optional.of("has a list of reviews that is too long to be read whole");
        }
        if (threads.items().stream().anyMatch(thread -> !thread.resolved() && !thread.whole())) {
            return Optional.of("has an open review thread that is too long to be read whole");
        }
        return allKnown
                ? Optional.empty()
                : Optional.of(
                        "has words of people of whom it is not known yet whether they may write to the repository");
    }

    boolean hasChecks() {
        return !checks.isEmpty();
    }

    List<Check> checks(Check.CheckState state) {
        return checks.stream().filter(check -> check.state() == state).toList();
    }

    /** Told for another commit than this one: the coder has answered it. */
    private boolean isNews(String key) {
        String at = told.get(key);
        return at == null || at.equals(proposal.commit());
    }

    private List<Review> newReviews() {
        return reviews().stream()
                .filter(review -> review.wantsChanges() && isNews(review.key()))
                .toList();
    }

    private List<ReviewThread> newThreads() {
        return threads.items().stream()
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
        return reviews().stream()
                .filter(Review::wantsChanges)
                .map(Review::login)
                .findFirst();
    }

    boolean hasUnresolvedThreads() {
        return threads.items().stream().anyMatch(thread -> !thread.resolved() && (thread.counts() || !thread.whole()));
    }

    /** For the coder. */
    String text(Server server, String noun) {
        StringBuilder text = new StringBuilder();
        List<Check> red = checks(Check.CheckState.RED);
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
                    .append(quoted(String.join("\n\n", thread.unanswered().texts()))));
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
