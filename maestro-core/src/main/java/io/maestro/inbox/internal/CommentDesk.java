package io.maestro.inbox.internal;

import io.maestro.git.ForgeComments;
import io.maestro.git.ForgeComments.Comment;
import io.maestro.git.ForgeComments.Conversation;
import io.maestro.git.ForgeComments.Subject;
import io.maestro.git.GitException;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.inbox.InboxItem;
import io.maestro.internal.PersonName;
import io.maestro.secrets.Redactor;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks below one proposal, reads what people answer there, and tells them what was decided, wherever. What was asked, answered and
 * replied is read from the comments themselves and from the record, so that whoever goes on does nothing twice. Used by one thread
 * at a time.
 */
final class CommentDesk {
    /** How often a decision is told that the forge does not take. */
    static final int MOST_FAILURES = 20;

    private static final Logger LOG = LoggerFactory.getLogger(CommentDesk.class);

    private final ForgeComments forge;
    private final Subject subject;
    private final Inbox inbox;
    private final CommentText texts;

    /** Comments that are done with: a person without a say is not asked about again. */
    private final Set<Long> done = new HashSet<>();

    /** Whether people may decide, at this look: each of them is asked about once. */
    private final Map<String, Boolean> deciders = new HashMap<>();

    private final SingleFailures failures = new SingleFailures();

    CommentDesk(ForgeComments forge, Subject subject, Inbox inbox, Redactor redactor) {
        this.forge = forge;
        this.subject = subject;
        this.inbox = inbox;
        this.texts = new CommentText(redactor);
    }

    /**
     * Does what there is to do. What fails with one comment or request keeps no other from its turn.
     *
     * @param ids the requests that are to be asked
     * @return those of them that are done with; none while somebody has to be told yet what was decided
     */
    Set<String> look(Collection<String> ids) {
        deciders.clear();
        Conversation read = forge.conversation(subject).orElse(null);
        if (read == null) {
            return decided(ids);
        }
        Map<String, CommentMark.Asked> asked = new LinkedHashMap<>();
        Set<Long> replied = new HashSet<>();
        for (Comment comment : read.comments()) {
            CommentMark.asked(comment)
                    .filter(mark -> mark.request().startsWith(subject.storyId() + "/"))
                    .ifPresent(mark -> asked.putIfAbsent(mark.request(), mark));
            CommentMark.reply(comment).ifPresent(replied::add);
        }
        for (Comment comment : read.comments()) {
            if (!comment.own() && !replied.contains(comment.id()) && !done.contains(comment.id())) {
                CommentCommand.of(comment.text())
                        .ifPresentOrElse(command -> attempt(comment, command, asked), () -> done.add(comment.id()));
            }
        }
        Set<String> over = decided(ids);
        long untold = asked.values().stream()
                .filter(CommentMark.Asked::waits)
                .filter(one -> isToTellAgain(failures.of("comment " + one.id() + " on " + subject, () -> tell(one))))
                .count();
        if (read.open()) {
            ids.stream()
                    .filter(id -> !asked.containsKey(id) && !over.contains(id))
                    .forEach(id -> failures.of("request " + id, () -> ask(id)));
        }
        // There is no next look once all is done with.
        return untold == 0 ? over : Set.of();
    }

    private static boolean isToTellAgain(int failed) {
        return failed > 0 && failed < MOST_FAILURES;
    }

    private void attempt(Comment comment, CommentCommand command, Map<String, CommentMark.Asked> asked) {
        String what = "comment " + comment.id() + " of " + comment.author() + " on " + subject;
        if (failures.of(what, () -> obey(comment, command, asked)) == 0) {
            done.add(comment.id());
        }
    }

    /** Those that wait no more. */
    Set<String> decided(Collection<String> ids) {
        return ids.stream()
                .filter(id ->
                        inbox.find(id).filter(item -> item.outcome().isEmpty()).isEmpty())
                .collect(Collectors.toSet());
    }

    private void ask(String id) {
        inbox.find(id).ifPresent(item -> forge.post(subject, texts.of(item)));
    }

    private void tell(CommentMark.Asked asked) {
        inbox.find(asked.request())
                .filter(item -> !CommentMark.stands(item).equals(asked.stands()))
                .ifPresent(item -> forge.edit(subject, asked.id(), texts.of(item)));
    }

    private void obey(Comment comment, CommentCommand command, Map<String, CommentMark.Asked> asked) {
        List<CommentMark.Asked> before =
                asked.values().stream().filter(mark -> mark.id() < comment.id()).toList();
        if (before.isEmpty()) {
            return;
        }
        if (comment.edited()
                || !deciders.computeIfAbsent(comment.author(), author -> forge.mayDecide(subject, comment))) {
            LOG.info(
                    "comment {} of {} on {} does not count: {}",
                    comment.id(),
                    comment.author(),
                    subject,
                    comment.edited() ? "it was edited" : "its author may not decide");
            return;
        }
        if (!command.request().isEmpty()) {
            decide(command.request(), comment, command, before);
        } else if (before.size() > 1) {
            // Who wrote it may have seen another one than the last.
            reply(comment, CommentText.nameOne(before));
        } else {
            decide(before.get(0).request(), comment, command, before);
        }
    }

    private void decide(String request, Comment comment, CommentCommand command, List<CommentMark.Asked> before) {
        Optional<InboxItem> item = before.stream()
                .filter(mark -> mark.request().equals(request))
                .findFirst()
                .flatMap(mark -> inbox.find(mark.request()));
        if (item.isEmpty()) {
            reply(comment, "there is no request `" + request + "` here");
        } else if (!isKnown(item.get(), comment, command)) {
            answer(item.get(), comment, command);
        }
    }

    private void answer(InboxItem item, Comment comment, CommentCommand command) {
        try {
            Inbox.Result result = inbox.answer(item.id(), command.by(comment.author()));
            if (result.status() == Inbox.Status.TOO_LATE) {
                reply(comment, CommentText.tooLate(result.item()));
            } else {
                LOG.info("comment {} of {}: {}", comment.id(), comment.author(), result.summary());
            }
        } catch (IllegalArgumentException e) {
            reply(comment, String.valueOf(e.getMessage()));
        }
    }

    /** Whether this is what has counted already, in an earlier life. */
    private static boolean isKnown(InboxItem item, Comment comment, CommentCommand command) {
        boolean approved = item.given().stream().anyMatch(one -> PersonName.isSame(one.person(), comment.author()))
                && command.kind().filter(InboxAnswer.Kind.APPROVED::equals).isPresent();
        return approved
                || item.outcome()
                        .filter(made -> made.person()
                                .filter(one -> PersonName.isSame(one, comment.author()))
                                .isPresent())
                        .filter(made -> made.kind().equals(command.kind()))
                        .isPresent();
    }

    private void reply(Comment comment, String said) {
        try {
            forge.post(subject, texts.reply(comment.id(), comment.author(), said));
        } catch (GitException e) {
            // A reply that is refused keeps nobody else's comment from counting.
            LOG.info("comment {} of {} gets no reply: {}", comment.id(), comment.author(), e.getMessage());
        }
    }
}
