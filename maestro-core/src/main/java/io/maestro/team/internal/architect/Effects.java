package io.maestro.team.internal.architect;

import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.inbox.internal.RecordedReply;
import io.maestro.internal.Texts;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.DecisionRequests;
import io.maestro.record.internal.Store;
import io.maestro.secrets.Redactor;
import io.maestro.settings.PeopleOptions;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.machine.ParkedException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * DecisionRequests from coders to the architect. The request is in the record before it is sent, the reply before anything is done
 * about it; both carry the request's id, which story, attempt and step make: after a restart the reply in the record is
 * taken, or the same request sent again. A coder waits for the reply for a while, for people's not at all; then its story is
 * parked, and goes on when the reply is in the record. What people decide on lies in the inbox from the first write on, with its
 * deadline. Safe for use by several threads.
 */
public final class Effects implements AutoCloseable {
    /** Characters of a fact: whatever an agent has written or printed, the architect can read the request. */
    static final int MOST_FACT = 20_000;

    /** Characters of a difference, some 2,500 lines: people have no tool for the rest. */
    public static final int MOST_DIFF = 100_000;

    /** Of a redactor. */
    private static final Pattern MARK = Pattern.compile("\\[REDACTED\\b");

    /** Longer than any reply takes: the limit of the reply ends the wait. */
    private static final Duration LONG = Duration.ofDays(36_500);

    private final Store store;
    private final PeopleOptions people;
    private final Supplier<@Nullable Architect> model;
    private final Limits limits;
    private final Redactor redactor;
    private final Events events;
    private final PendingReplies pending;
    private final InboxWatch watch;
    private final RequestNotices notices;

    /** The replies of people that listeners know; of stories at work. */
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    /**
     * Requests to architects.
     *
     * @param people who decides on a kind of requests
     * @param model the architect's model; gives null where none is needed
     * @param onAbandon told of a story about which the architect may still think, although its reply counts no more
     */
    public Effects(
            Store store,
            PeopleOptions people,
            Supplier<@Nullable Architect> model,
            Limits limits,
            Redactor redactor,
            Events events,
            Consumer<String> onAbandon) {
        this(store, people, model, limits, redactor, events, onAbandon, RequestNotices.NONE);
    }

    /**
     * Requests to architects, which people are shown in another place as well.
     *
     * @param notices the other place
     */
    public Effects(
            Store store,
            PeopleOptions people,
            Supplier<@Nullable Architect> model,
            Limits limits,
            Redactor redactor,
            Events events,
            Consumer<String> onAbandon,
            RequestNotices notices) {
        this.store = store;
        this.people = people;
        this.model = model;
        this.limits = limits;
        this.redactor = redactor;
        this.events = events;
        this.pending = new PendingReplies(onAbandon, events.telemetry());
        this.watch = new InboxWatch(store.requests());
        this.notices = notices;
    }

    /** Somebody may have answered by the inbox in this process. */
    public void inboxAnswered() {
        watch.lookSoon();
    }

    /**
     * Asks the architect and waits for the reply. Facts are shown in their order.
     *
     * @throws ReplyTimeoutException when there was none in time
     * @throws ParkedException when there is none yet; to be asked again when the exception's future is completed
     */
    public Architect.Reply ask(Requester requester, Architect.Kind kind, Map<String, String> facts) {
        boolean inboxAlone = people.decides(kind) && people.architectFor(kind).isEmpty();
        return ask(requester, id(requester), kind, facts, inboxAlone ? Duration.ZERO : limits.parkAfter());
    }

    /**
     * Asks about a call of a tool, and waits for as long as the reply may take: the call cannot be parked.
     *
     * @param id of the request, the same when it is asked again after a restart
     * @throws ReplyTimeoutException when there was none in time
     */
    Architect.Reply askAboutCall(Requester requester, String id, Map<String, String> facts) {
        return ask(requester, id, Architect.Kind.TOOL_CALL, facts, LONG);
    }

    /** The call that was asked about is gone: a reply, which nobody would use, is not taken any more. */
    void withdrawCall(Requester requester, String id) {
        String gone = new RecordedReply(
                        DecisionRequests.WITHDRAWN,
                        "the call that was asked about has ended; an answer can no longer be used",
                        "",
                        null)
                .json();
        if (store.requests().reply(id, "", false, "", gone, Instant.now()) == DecisionRequests.ReplyStatus.UNKNOWN) {
            store.effect(id)
                    .filter(effect -> effect.reply() == null)
                    .ifPresent(effect -> store.completeEffect(id, gone, Instant.now()));
        }
        notices.changed(requester.story().id());
    }

    private Architect.Reply ask(
            Requester requester, String id, Architect.Kind kind, Map<String, String> facts, Duration park) {
        // What people were asked about before a restart is theirs to decide, as they were shown it.
        Optional<DecisionRequests.Row> known = store.requests().find(id);
        boolean byPeople = known.isPresent() || people.decides(kind);
        Map<String, String> shown = known.map(
                        row -> RecordedReply.facts(id, row.effect().request()))
                .orElseGet(() -> byPeople
                        ? requester.factsForPeople(
                                kind,
                                facts,
                                () -> store.effects(requester.story().id()))
                        : facts);
        // Whoever the architect is, a model, a terminal or a page of the host: none sees a secret.
        Map<String, String> cleanFacts = new LinkedHashMap<>();
        shown.forEach((name, text) -> cleanFacts.put(
                name,
                name.equals(Architect.Request.DIFF)
                        ? Texts.headAndTail(byPeople ? redactedDiff(text) : redactor.redact(text), MOST_DIFF)
                        : Texts.headAndTail(redactor.redact(text), MOST_FACT)));
        Architect.Request request = new Architect.Request(
                id,
                kind,
                requester.story().id(),
                requester.attempt(),
                requester.step(),
                redactor.redact(requester.story().title()),
                redactor.redact(requester.story().content()),
                requester.agentId(),
                cleanFacts);
        return byPeople ? askPeople(requester, request, park) : askModel(requester, request, park);
    }

    /** Whoever decides on a change knows how much of it is not shown. */
    private String redactedDiff(String diff) {
        String clean = redactor.redact(diff);
        if (clean.equals(diff)) {
            return clean;
        }
        long more = marks(clean) - marks(diff);
        return clean.stripTrailing() + "\n"
                + (more == 1
                        ? "1 value is hidden here and merged as it is.\n"
                        : (more > 1 ? more : "Some") + " values are hidden here and merged as they are.\n");
    }

    private static long marks(String text) {
        return MARK.matcher(text).results().count();
    }

    private Architect.Reply askPeople(Requester requester, Architect.Request request, Duration park) {
        Instant now = Instant.now();
        Duration limit = limits.replyTime(request.kind());
        DecisionRequests.Row row = store.requests()
                .open(
                        effect(requester, request, now),
                        now.plus(limit.compareTo(LONG) < 0 ? limit : LONG),
                        people.approvals(request.kind()));
        Architect host = people.architectFor(request.kind()).orElse(null);
        if (host == null) {
            notices.show(requester, request.id());
        }
        String before = row.effect().reply();
        if (before != null) {
            return taken(
                    request.id(),
                    request.storyId(),
                    request.attempt(),
                    request.kind(),
                    RecordedReply.read(request.id(), before));
        }
        return awaited(name(request.kind()), request, peoplesReply(request, row.until(), host), park);
    }

    private CompletableFuture<Architect.Reply> peoplesReply(
            Architect.Request request, Instant until, @Nullable Architect host) {
        // Not the request: its texts would be kept for as long as people take.
        String id = request.id();
        String storyId = request.storyId();
        int attempt = request.attempt();
        Architect.Kind kind = request.kind();
        return watch.await(id, storyId, until, reply -> taken(id, storyId, attempt, kind, reply), reply -> {
            events.onEvent(new MaestroEvent.RequestOpened(
                    storyId, request.coderId(), attempt, id, kind, request.facts(), until, Instant.now()));
            CompletableFuture<?> unused = reply.whenComplete((given, failure) -> notices.changed(storyId));
            if (host != null) {
                think(host, request, reply);
            }
        });
    }

    /** What people have replied; told once in this life, whether they did before somebody waited for it or after. */
    private Architect.Reply taken(String id, String storyId, int attempt, Architect.Kind kind, RecordedReply reply) {
        Architect.Reply given = recorded(id, kind, reply);
        if (told.add(id)) {
            tell(id, storyId, attempt, kind, reply.by(), given);
        }
        return given;
    }

    /** The host's architect is one of those who may answer. */
    private void think(Architect host, Architect.Request request, CompletableFuture<Architect.Reply> reply) {
        CompletableFuture<?> unusedThought = pending.ask(
                        host, request, null, given -> replied(host, request, given), () -> {})
                .whenComplete((given, failure) -> {
                    if (failure == null) {
                        watch.lookSoon();
                    } else {
                        watch.fail(request.id(), failure);
                    }
                });
        CompletableFuture<?> unusedEnd = reply.whenComplete((given, failure) -> pending.withdraw(request.id()));
    }

    private Architect.Reply askModel(Requester requester, Architect.Request request, Duration park) {
        Optional<AuditLog.Effect> known = store.effect(request.id());
        String before = known.map(AuditLog.Effect::reply).orElse(null);
        if (before != null) {
            return recorded(request.id(), request.kind(), RecordedReply.read(request.id(), before));
        }
        if (known.isEmpty()) {
            store.recordEffect(effect(requester, request, Instant.now()));
            events.onEvent(new MaestroEvent.RequestOpened(
                    request.storyId(),
                    request.coderId(),
                    request.attempt(),
                    request.id(),
                    request.kind(),
                    request.facts(),
                    null,
                    Instant.now()));
        }
        Duration limit = limits.replyTime(request.kind());
        Architect architect = Objects.requireNonNull(model.get(), "an architect");
        CompletableFuture<Architect.Reply> reply = pending.ask(
                architect,
                request,
                limit,
                given -> replied(architect, request, given),
                () -> complete(
                        request, new RecordedReply(RecordedReply.TIMEOUT, "no reply within " + limit, "", null)));
        return awaited(architect.id(), request, reply, park);
    }

    /** Whether the reply to the request of this step is in the record already: somebody has asked before. */
    public boolean isAnswered(Requester requester) {
        return store.effect(id(requester))
                .filter(effect -> effect.reply() != null)
                .isPresent();
    }

    /** Nobody waits any more for a reply about a story. */
    public void forget(String storyId) {
        pending.cancel(storyId);
        watch.forget(storyId);
        told.removeIf(id -> id.startsWith(storyId + "/"));
    }

    private static String id(Requester requester) {
        return requester.story().id() + "/" + requester.attempt() + "/" + requester.step();
    }

    private static AuditLog.Effect effect(Requester requester, Architect.Request request, Instant now) {
        return new AuditLog.Effect(
                request.id(),
                requester.sessionId(),
                request.storyId(),
                request.attempt(),
                request.coderId(),
                request.kind().name(),
                RecordedReply.json(request.facts()),
                now,
                null,
                null);
    }

    private Architect.Reply awaited(
            String architect, Architect.Request request, CompletableFuture<Architect.Reply> reply, Duration park) {
        try {
            return reply.get(TimeUnit.NANOSECONDS.convert(park), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new ParkedException("the reply of " + architect + " to the " + request.kind(), reply);
        } catch (InterruptedException e) {
            forget(request.storyId());
            Thread.currentThread().interrupt();
            throw new CancelledException();
        } catch (ExecutionException e) {
            throw failure(architect, e.getCause());
        }
    }

    private static RuntimeException failure(String architect, @Nullable Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException failure
                ? failure
                : new MaestroException("architect " + architect + " failed: " + cause, cause);
    }

    /** A reply has come in: checks and records it, before anybody acts on it. */
    private void replied(Architect architect, Architect.Request request, Architect.@Nullable Reply reply) {
        if (reply == null || reply.decision() == null || reply.message() == null) {
            throw new MaestroException(
                    "architect " + architect.id() + " (" + architect.getClass().getName()
                            + ") gave no whole reply to the " + request.kind() + " but " + reply);
        }
        if (!request.id().equals(reply.requestId())) {
            throw new MaestroException("architect " + architect.id() + " replied to request " + reply.requestId()
                    + " instead of " + request.id());
        }
        if (reply.plan() != null) {
            RecordedReply.planRefused(request.id(), request.kind(), request.facts(), people.approvals(request.kind()))
                    .ifPresent(why -> {
                        throw new MaestroException(
                                "architect " + architect.id() + " has replied with a plan, but " + why);
                    });
        }
        RecordedReply recorded = RecordedReply.of(reply, architect.id());
        if (people.decides(request.kind())) {
            // Whether it counts or somebody else has replied before, the record tells whoever waits.
            DecisionRequests.ReplyStatus unused = store.requests()
                    .reply(
                            request.id(),
                            architect.id(),
                            reply.decision() == Architect.Decision.APPROVED,
                            reply.message(),
                            recorded.json(),
                            Instant.now());
        } else {
            complete(request, recorded);
            tell(request.id(), request.storyId(), request.attempt(), request.kind(), architect.id(), reply);
        }
    }

    private void tell(String id, String storyId, int attempt, Architect.Kind kind, String by, Architect.Reply reply) {
        events.onEvent(new MaestroEvent.ArchitectReplied(
                storyId, by, attempt, id, kind, reply.decision(), redactor.redact(reply.message()), Instant.now()));
    }

    private void complete(Architect.Request request, RecordedReply reply) {
        store.completeEffect(request.id(), reply.json(), Instant.now());
    }

    private Architect.Reply recorded(String id, Architect.Kind kind, RecordedReply reply) {
        if (reply.decision().equals(RecordedReply.TIMEOUT)) {
            throw new ReplyTimeoutException(name(kind), kind, limits.replyTime(kind));
        }
        Architect.Decision decision = reply.decided()
                .orElseThrow(() -> new MaestroException(
                        "the recorded reply to request " + id + " has no decision, but " + reply.decision(), null));
        return new Architect.Reply(id, decision, reply.message(), reply.plan());
    }

    /** Who decides, for messages. */
    private String name(Architect.Kind kind) {
        Architect architect = people.decides(kind) ? people.architectFor(kind).orElse(null) : model.get();
        return architect == null ? "(people, by the inbox)" : architect.id();
    }

    /** Interrupts those who still think. */
    @Override
    public void close() {
        watch.close();
        pending.close();
    }
}
