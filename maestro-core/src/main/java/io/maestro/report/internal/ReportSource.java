package io.maestro.report.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.agent.Architect;
import io.maestro.agent.Architect.Decision;
import io.maestro.inbox.internal.RecordedReply;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a report is made of. Calls are read page by page, so that a long run fits into memory.
 *
 * @param log the record
 * @param id of a story or a specification
 * @param diffs of merged commits
 */
public record ReportSource(AuditLog log, String id, Function<String, Optional<String>> diffs) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Calls, and messages of the chat, that are read at once. */
    private static final int PAGE = 200;

    /** The specification; empty where this is about a story. */
    Optional<AuditLog.SpecRecord> spec() {
        return log.spec(id);
    }

    /** The stories, each as it stands in its last attempt, in the order in which they were made. */
    List<AuditLog.StoryRecord> stories() {
        return spec().isPresent() ? log.storiesOf(id) : log.story(id).stream().toList();
    }

    /** Takes a call. */
    interface Taker {
        void take(AuditLog.ToolExecution call) throws IOException;
    }

    /** The calls of a story's agents, in the order in which they ended. */
    void calls(String storyId, Taker taker) throws IOException {
        long last = 0;
        for (AuditLog.Page<AuditLog.ToolExecution> page = log.toolExecutions(storyId, last, PAGE);
                !page.rows().isEmpty();
                page = log.toolExecutions(storyId, last, PAGE)) {
            for (AuditLog.ToolExecution call : page.rows()) {
                taker.take(call);
            }
            last = page.last();
        }
    }

    /** What a story's coders have asked; not that an answer was used up. */
    public static List<AuditLog.Effect> requests(AuditLog log, String storyId) {
        return log.effects(storyId).stream()
                .filter(effect -> !effect.id().endsWith("/used"))
                .toList();
    }

    /**
     * One voice in a decision that needs several people.
     *
     * @param decision the name of an {@link Architect.Decision}
     * @param message may be empty
     */
    public record Vote(String person, String decision, String message, Instant at) {}

    /** The voices on the requests of a story that needed several people, oldest first, by the id of the request. */
    public static Map<String, List<Vote>> votes(AuditLog log, String storyId) {
        Map<String, List<Vote>> votes = new HashMap<>();
        log.approvals(storyId).forEach((id, approvals) -> {
            List<Vote> all = votes.computeIfAbsent(id, unused -> new ArrayList<>());
            approvals.forEach(
                    one -> all.add(new Vote(one.person(), Decision.APPROVED.name(), one.message(), one.at())));
        });
        for (AuditLog.Effect effect : log.effects(storyId)) {
            List<Vote> all = votes.get(effect.id());
            String reply = effect.reply();
            if (all != null && reply != null) {
                RecordedReply given = RecordedReply.read(effect.id(), reply);
                // An approval that counts is among the others.
                given.decided()
                        .filter(made -> made != Decision.APPROVED)
                        .ifPresent(made -> all.add(new Vote(
                                given.by(), made.name(), given.message(), Objects.requireNonNull(effect.repliedAt()))));
            }
        }
        return votes;
    }

    /** Whether a call has failed, or the command that it ran. */
    public static boolean failed(AuditLog.ToolExecution call) {
        Integer exitCode = call.exitCode();
        return call.error() != null || exitCode != null && exitCode != 0;
    }

    /** How the project's tests went when they were last needed; null when they were not yet. */
    static @Nullable String tests(AuditLog.StoryRecord story) {
        try {
            return JSON.readTree(story.data()).path("tests").asText(null);
        } catch (JsonProcessingException e) {
            // The rest is shown without it.
            return null;
        }
    }

    /** What was said to all about a story. */
    List<AuditLog.ChatPost> chat(String storyId) {
        List<AuditLog.ChatPost> posts = new ArrayList<>();
        long last = 0;
        for (List<AuditLog.ChatPost> page = log.chat(last, PAGE); !page.isEmpty(); page = log.chat(last, PAGE)) {
            page.stream().filter(post -> storyId.equals(post.storyId())).forEach(posts::add);
            last = page.get(page.size() - 1).number();
        }
        return posts;
    }

    /** What a story has brought into the target branch. */
    Optional<String> diff(AuditLog.StoryRecord story) {
        return Optional.ofNullable(story.mergeCommit()).flatMap(diffs);
    }

    /**
     * A sum of costs.
     *
     * @param usage tokens
     * @param dollars null where the price of some of it is not known
     */
    record Sum(Usage usage, @Nullable BigDecimal dollars) {
        static Sum of(List<AuditLog.Cost> costs) {
            Usage usage = Usage.NONE;
            BigDecimal dollars = BigDecimal.ZERO;
            for (AuditLog.Cost cost : costs) {
                usage = usage.plus(cost.usage());
                dollars = dollars == null || cost.dollars() == null ? null : dollars.add(cost.dollars());
            }
            return new Sum(usage, dollars);
        }
    }

    /** A state that a story was in. */
    record Stay(CoderState state, Instant from, Instant until, String reason, int attempt) {
        Duration time() {
            return Duration.between(from, until);
        }
    }

    /** The states that a story was in, one after the other; the last one may go on. */
    static List<Stay> stays(List<AuditLog.StateTransition> transitions, Instant now) {
        List<Stay> stays = new ArrayList<>();
        for (int i = 0; i < transitions.size(); i++) {
            AuditLog.StateTransition entered = transitions.get(i);
            boolean last = i == transitions.size() - 1;
            Instant until = last
                    ? (entered.to().isFinal() ? entered.at() : now)
                    : transitions.get(i + 1).at();
            stays.add(new Stay(entered.to(), entered.at(), until, entered.reason(), entered.attempt()));
        }
        return stays;
    }
}
