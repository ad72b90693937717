package io.maestro.team.internal;

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
import io.maestro.internal.Threads;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests from coders to the architect. The request is in the record before it is sent, the reply before anything is done
 * about it; both carry the request's id, which story, attempt and step make: after a restart the reply in the record is
 * taken, or the same request sent again. Safe for use by several threads.
 */
final class Effects implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Effects.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration END_LIMIT = Duration.ofSeconds(5);

    private final Store store;
    private final Architect architect;
    private final Limits limits;
    private final Redactor redactor;
    private final Events events;
    private final ExecutorService threads = Threads.newExecutor("maestro-architect");

    Effects(Store store, Architect architect, Limits limits, Redactor redactor, Events events) {
        this.store = store;
        this.architect = architect;
        this.limits = limits;
        this.redactor = redactor;
        this.events = events;
    }

    /**
     * Asks the architect and waits for the reply. Facts are shown in their order.
     *
     * @throws ReplyTimeoutException when there was none in time
     */
    Architect.Reply ask(StoryRun run, Architect.Kind kind, Map<String, String> facts) {
        String id = id(run);
        // Whoever the architect is, a model, a terminal or a page of the host: none sees a secret.
        Map<String, String> cleanFacts = new LinkedHashMap<>();
        facts.forEach((name, text) -> cleanFacts.put(name, redactor.redact(text)));
        Architect.Request request = new Architect.Request(
                id,
                kind,
                run.story.id(),
                run.attempt,
                run.progress.step,
                redactor.redact(run.story.title()),
                redactor.redact(run.story.content()),
                run.agentId,
                cleanFacts);
        Optional<Store.Effect> known = known(run);
        if (known.isEmpty()) {
            record(run, request);
        }
        String before = known.map(Store.Effect::reply).orElse(null);
        return before == null ? answered(run, request) : recorded(request, before);
    }

    /** Whether the reply to the request of this step is in the record already: an earlier process has asked. */
    boolean isAnswered(StoryRun run) {
        return known(run).filter(effect -> effect.reply() != null).isPresent();
    }

    private static String id(StoryRun run) {
        return run.story.id() + "/" + run.attempt + "/" + run.progress.step;
    }

    private Optional<Store.Effect> known(StoryRun run) {
        String id = id(run);
        return store.effects(run.story.id()).stream()
                .filter(effect -> effect.id().equals(id))
                .findFirst();
    }

    private void record(StoryRun run, Architect.Request request) {
        ObjectNode sent = JSON.createObjectNode();
        request.facts().forEach(sent::put);
        store.recordEffect(new Store.Effect(
                request.id(),
                run.sessionId,
                run.story.id(),
                run.attempt,
                run.agentId,
                request.kind().name(),
                sent.toString(),
                Instant.now(),
                null,
                null));
    }

    private Architect.Reply answered(StoryRun run, Architect.Request request) {
        Architect.Reply reply = inTime(request);
        if (reply == null) {
            complete(request, ReplyTimeoutException.DECISION, "no reply within " + limit(request));
            throw new ReplyTimeoutException(architect.id(), request.kind(), limit(request));
        }
        requireWhole(request, reply);
        complete(request, reply.decision().name(), reply.message());
        events.onEvent(new MaestroEvent.ArchitectReplied(
                run.story.id(), architect.id(), request.kind(), reply.decision(), redactor.redact(reply.message())));
        return reply;
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
                throw new ReplyTimeoutException(architect.id(), request.kind(), limit(request));
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

    /** On a thread of its own, so that an architect that hears no interrupt cannot hold the coder up. Null: not in time. */
    private Architect.@Nullable Reply inTime(Architect.Request request) {
        CountDownLatch ended = new CountDownLatch(1);
        Future<Architect.Reply> future;
        try {
            future = threads.submit(() -> {
                try {
                    return architect.reply(request);
                } finally {
                    ended.countDown();
                }
            });
        } catch (RejectedExecutionException e) {
            throw new CancelledException();
        }
        try {
            Architect.Reply reply = future.get(TimeUnit.NANOSECONDS.convert(limit(request)), TimeUnit.NANOSECONDS);
            if (reply == null) {
                throw noWholeReply(request, null);
            }
            return reply;
        } catch (TimeoutException e) {
            future.cancel(true);
            awaitEnd(request, ended);
            return null;
        } catch (InterruptedException e) {
            future.cancel(true);
            awaitEnd(request, ended);
            Thread.currentThread().interrupt();
            throw new CancelledException();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (e.getCause() instanceof Error failure) {
                throw failure;
            }
            throw new MaestroException("architect " + architect.id() + " failed: " + e.getCause(), e.getCause());
        }
    }

    /** It may still write to the record; somebody who hears no interrupt is left to himself. */
    private void awaitEnd(Architect.Request request, CountDownLatch ended) {
        try {
            if (!ended.await(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn(
                        "architect {} still works on request {} although it was interrupted",
                        architect.id(),
                        request.id());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void requireWhole(Architect.Request request, Architect.Reply reply) {
        if (reply.decision() == null || reply.message() == null) {
            throw noWholeReply(request, reply);
        }
        if (!request.id().equals(reply.requestId())) {
            throw new MaestroException("architect " + architect.id() + " replied to request " + reply.requestId()
                    + " instead of " + request.id());
        }
    }

    private MaestroException noWholeReply(Architect.Request request, Architect.@Nullable Reply reply) {
        return new MaestroException("architect " + architect.id() + " ("
                + architect.getClass().getName() + ") gave no whole reply to the " + request.kind() + " but " + reply);
    }

    /** Interrupts those who still think; their coders are cancelled already. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
