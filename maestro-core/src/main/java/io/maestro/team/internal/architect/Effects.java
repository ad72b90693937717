package io.maestro.team.internal.architect;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.runtime.internal.Texts;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.machine.ParkedException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests from coders to the architect. The request is in the record before it is sent, the reply before anything is done
 * about it; both carry the request's id, which story, attempt and step make: after a restart the reply in the record is
 * taken, or the same request sent again. A coder waits for the reply for a while; then its story is parked, and goes on when
 * the reply is in the record. Safe for use by several threads.
 */
public final class Effects implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Characters of a fact: whatever an agent has written or printed, the architect can read the request. */
    static final int MOST_FACT = 20_000;

    /** Longer than any reply takes: the limit of the reply ends the wait. */
    private static final Duration LONG = Duration.ofDays(36_500);

    private final Store store;
    private final Function<Architect.Kind, Architect> architects;
    private final Limits limits;
    private final Redactor redactor;
    private final Events events;
    private final PendingReplies pending;

    /**
     * Requests to architects.
     *
     * @param architects who decides on a kind of requests
     * @param onAbandon told of a story about which the architect may still think, although its reply counts no more
     */
    public Effects(
            Store store,
            Function<Architect.Kind, Architect> architects,
            Limits limits,
            Redactor redactor,
            Events events,
            Consumer<String> onAbandon) {
        this.store = store;
        this.architects = architects;
        this.limits = limits;
        this.redactor = redactor;
        this.events = events;
        this.pending = new PendingReplies(onAbandon);
    }

    /**
     * Asks the architect and waits for the reply. Facts are shown in their order.
     *
     * @throws ReplyTimeoutException when there was none in time
     * @throws ParkedException when there is none yet; to be asked again when the exception's future is completed
     */
    public Architect.Reply ask(Requester requester, Architect.Kind kind, Map<String, String> facts) {
        return ask(requester, id(requester), kind, facts, limits.parkAfter());
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

    private Architect.Reply ask(
            Requester requester, String id, Architect.Kind kind, Map<String, String> facts, Duration park) {
        // Whoever the architect is, a model, a terminal or a page of the host: none sees a secret.
        Map<String, String> cleanFacts = new LinkedHashMap<>();
        facts.forEach((name, text) -> cleanFacts.put(name, Texts.headAndTail(redactor.redact(text), MOST_FACT)));
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
        Optional<Store.Effect> known = known(requester, id);
        if (known.isEmpty()) {
            record(requester, request);
        }
        String before = known.map(Store.Effect::reply).orElse(null);
        return before == null ? awaited(request, park) : recorded(request, before);
    }

    /** Whether the reply to the request of this step is in the record already: somebody has asked before. */
    public boolean isAnswered(Requester requester) {
        return known(requester, id(requester))
                .filter(effect -> effect.reply() != null)
                .isPresent();
    }

    /** Nobody waits any more for a reply about a story. */
    public void forget(String storyId) {
        pending.cancel(storyId);
    }

    private static String id(Requester requester) {
        return requester.story().id() + "/" + requester.attempt() + "/" + requester.step();
    }

    private Optional<Store.Effect> known(Requester requester, String id) {
        return store.effects(requester.story().id()).stream()
                .filter(effect -> effect.id().equals(id))
                .findFirst();
    }

    private void record(Requester requester, Architect.Request request) {
        ObjectNode sent = JSON.createObjectNode();
        request.facts().forEach(sent::put);
        store.recordEffect(new Store.Effect(
                request.id(),
                requester.sessionId(),
                request.storyId(),
                request.attempt(),
                request.coderId(),
                request.kind().name(),
                sent.toString(),
                Instant.now(),
                null,
                null));
    }

    private Architect.Reply awaited(Architect.Request request, Duration park) {
        Duration limit = limit(request);
        Architect architect = architects.apply(request.kind());
        CompletableFuture<Architect.Reply> reply = pending.ask(
                architect,
                request,
                limit,
                given -> replied(architect, request, given),
                () -> complete(request, ReplyTimeoutException.DECISION, "no reply within " + limit));
        try {
            return reply.get(TimeUnit.NANOSECONDS.convert(park), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new ParkedException("the reply of " + architect.id() + " to the " + request.kind(), reply);
        } catch (InterruptedException e) {
            pending.cancel(request.storyId());
            Thread.currentThread().interrupt();
            throw new CancelledException();
        } catch (ExecutionException e) {
            throw failure(architect, e.getCause());
        }
    }

    private static RuntimeException failure(Architect architect, @Nullable Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException failure
                ? failure
                : new MaestroException("architect " + architect.id() + " failed: " + cause, cause);
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
        complete(request, reply.decision().name(), reply.message());
        events.onEvent(new MaestroEvent.ArchitectReplied(
                request.storyId(), architect.id(), request.kind(), reply.decision(), redactor.redact(reply.message())));
    }

    private void complete(Architect.Request request, String decision, String message) {
        store.completeEffect(
                request.id(),
                JSON.createObjectNode()
                        .put("decision", decision)
                        .put("message", message)
                        .toString(),
                Instant.now());
    }

    private Architect.Reply recorded(Architect.Request request, String json) {
        try {
            JsonNode reply = JSON.readTree(json);
            String decision = reply.path("decision").asText();
            if (decision.equals(ReplyTimeoutException.DECISION)) {
                throw new ReplyTimeoutException(architects.apply(request.kind()).id(), request.kind(), limit(request));
            }
            return new Architect.Reply(
                    request.id(),
                    Architect.Decision.valueOf(decision),
                    reply.path("message").asText());
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new MaestroException(
                    "the recorded reply to request " + request.id() + " is not readable: " + json, e);
        }
    }

    private Duration limit(Architect.Request request) {
        return limits.replyTime(request.kind());
    }

    /** Interrupts those who still think. */
    @Override
    public void close() {
        pending.close();
    }
}
