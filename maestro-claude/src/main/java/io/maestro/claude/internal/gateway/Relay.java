package io.maestro.claude.internal.gateway;

import io.maestro.claude.GatewayClient;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.internal.RemoteServer;
import io.maestro.internal.RetryAfter;
import io.maestro.wire.internal.BoundedInput;
import io.maestro.wire.internal.ChannelConnection;
import io.maestro.wire.internal.HttpBody;
import io.maestro.wire.internal.HttpFault;
import io.maestro.wire.internal.HttpHead;
import io.maestro.wire.internal.Listener;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Answers a request: with an error of its own, or with what the API says to it. Each connection has one request: none is ever
 * sent on one that is about to be closed, and each has its time limits.
 */
final class Relay implements Listener.Host<ChannelConnection> {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
    private static final String MESSAGES = "/v1/messages";
    private static final String COUNT_TOKENS = "/v1/messages/count_tokens";

    /** What of a request of a stranger is read, for it to see the answer. */
    private static final long STRANGERS_BYTES = 64 * 1024;

    private static final long LOOK_MILLIS = 200;

    private final Upstream upstream;
    private final Placeholder placeholder;
    private final GatewayClient host;
    private final AllowedModels models;
    private final Limits limits;
    private final AtomicLong allowance;
    private final Semaphore open;
    private final Supplier<Optional<Answer>> cut;
    private final Set<ApiCall> calls = ConcurrentHashMap.newKeySet();
    private volatile boolean unreachable;

    /** With the reason why nothing is forwarded any more, if there is one. */
    Relay(
            Upstream upstream,
            Placeholder placeholder,
            GatewayClient host,
            AllowedModels models,
            Limits limits,
            Supplier<Optional<Answer>> cut) {
        this.upstream = upstream;
        this.placeholder = placeholder;
        this.host = host;
        this.models = models;
        this.limits = limits;
        this.allowance = new AtomicLong(limits.get(Limits.ALL_BODY_BYTES));
        this.open = new Semaphore(limits.get(Limits.OPEN), true);
        this.cut = cut;
    }

    /** Looks after clients that have gone, and an API that is silent. */
    void check() {
        long now = System.nanoTime();
        calls.forEach(call -> call.check(now));
    }

    void breakOff(Answer why) {
        calls.forEach(call -> call.breakOff(why));
    }

    /** An answer that is cut short ends without its proper end. */
    @Override
    public void serve(ChannelConnection client) throws IOException {
        BoundedInput in = client.in();
        Reply reply = new Reply(client.out());
        ApiCall call = new ApiCall(client, limits);
        calls.add(call);
        try {
            Answer own = answer(client, in, reply, call);
            if (own != null) {
                reply.send(own);
            }
        } catch (HttpFault e) {
            reply.send(Answer.of(e));
        } finally {
            calls.remove(call);
        }
        client.farewell(
                in, limits.get(Limits.LINGER), client.isKnown() ? limits.get(Limits.BODY_BYTES) : STRANGERS_BYTES);
    }

    /** Null when the client has got its answer, or has gone. */
    private @Nullable Answer answer(ChannelConnection client, BoundedInput in, Reply reply, ApiCall call)
            throws IOException, HttpFault {
        in.limit(limits.get(Limits.HEAD));
        HttpHead head = HttpHead.read(in);
        reply.suit(head);
        if (head.method().equals("HEAD") && head.path().equals("/")) {
            reply.empty(200);
            return null;
        }
        if (!placeholder.isIn(head)) {
            return Answer.noToken();
        }
        client.welcome();
        boolean billed = head.path().equals(MESSAGES);
        if (!head.method().equals("POST") || !(billed || head.path().equals(COUNT_TOKENS))) {
            return Answer.noSuchPath();
        }
        if (head.fields().containsKey("content-encoding")) {
            throw new HttpFault(415, "the request is packed; it must come as it is");
        }
        in.limit(limits.get(Limits.REQUEST));
        try (RequestBody body = new RequestBody(allowance)) {
            HttpBody.read(head, in, client.out(), limits.get(Limits.BODY_BYTES), body);
            GatewayClient.Request request = RequestReader.read(body.stream(), body.length(), models, billed);
            call.received();
            if (!place(call)) {
                return Answer.later("too many requests of this agent are open");
            }
            try {
                Answer refusal = refusal();
                return refusal != null || call.hasLeft() ? refusal : begin(head, reply, call, body, request, billed);
            } finally {
                open.release();
            }
        }
    }

    /** Waits until one more may be open; false when that takes too long, or nobody waits for it any more. */
    private boolean place(ApiCall call) throws IOException {
        long end = System.nanoTime() + limits.get(Limits.QUEUE).toNanos();
        try {
            while (!open.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (System.nanoTime() - end > 0 || call.hasLeft() || cut.get().isPresent()) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the gateway ends");
        }
    }

    /** Forwards it once the host has begun it. */
    private @Nullable Answer begin(
            HttpHead head, Reply reply, ApiCall call, RequestBody body, GatewayClient.Request request, boolean billed)
            throws IOException {
        GatewayClient.Exchange begun = null;
        if (billed) {
            try {
                begun = host.begin(request);
            } catch (RetriableException e) {
                return Answer.later(e.getMessage());
            } catch (MaestroException e) {
                return Answer.refused(e.getMessage());
            } catch (RuntimeException e) {
                LOG.error("the host of the API gateway did not begin a request", e);
                return Answer.hostFailed();
            }
        }
        try (Report report = new Report(begun, request, call)) {
            return forward(head, reply, call, body, report, billed);
        }
    }

    private @Nullable Answer refusal() {
        Optional<Answer> end = cut.get();
        if (end.isPresent()) {
            return end.get();
        }
        try {
            return host.refusal().map(Answer::refused).orElse(null);
        } catch (RuntimeException e) {
            LOG.error("the host of the API gateway did not say whether to go on", e);
            return Answer.hostFailed();
        }
    }

    private @Nullable Answer forward(
            HttpHead head, Reply reply, ApiCall call, RequestBody body, Report report, boolean billed)
            throws IOException {
        FutureTask<HttpResponse<InputStream>> asked;
        try {
            asked = upstream.request(head, models, body.publisher());
        } catch (IllegalArgumentException e) {
            return Answer.unreadable(); // The message may show a header.
        }
        report.sent();
        call.asking(asked);
        // A cut that came before the call was known did not reach it.
        cut.get().ifPresent(call::breakOff);
        try {
            asked.run();
            HttpResponse<InputStream> response = asked.get();
            try (InputStream answer = response.body()) {
                call.answered(answer);
                if (billed && response.statusCode() / 100 == 2) {
                    tellWhatWasSaid(body);
                }
                return pass(reply, call, response, report);
            }
        } catch (CancellationException e) {
            // Whoever gave it up has interrupted this thread.
            boolean unused = Thread.interrupted();
            return brokenOff(call);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InterruptedException) {
                Thread.currentThread().interrupt();
                throw new IOException("the gateway ends");
            }
            Answer why = call.broken();
            if (why != null) {
                return why;
            }
            RemoteServer.UnreachableException failure = upstream.unreachable(e, limits.get(Limits.IDLE));
            if (!failure.mayHaveArrived()) {
                report.refused();
            }
            // The CLI asks again and again.
            LOG.atLevel(unreachable ? Level.DEBUG : Level.WARN).log("{}", failure.getMessage());
            unreachable = true;
            return Answer.unreachable(failure.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            asked.cancel(true);
            throw new IOException("the gateway ends");
        }
    }

    private void tellWhatWasSaid(RequestBody body) {
        try {
            for (String field : List.of("system", "messages")) {
                RequestTexts.read(body.stream(), field, host::told);
            }
        } catch (IOException | RuntimeException e) {
            LOG.error("the host of the API gateway did not take note of what a model was told", e);
        }
    }

    private static Answer brokenOff(ApiCall call) {
        Answer why = call.broken();
        return why != null ? why : Answer.unreachable("the request was given up");
    }

    private @Nullable Answer pass(Reply reply, ApiCall call, HttpResponse<InputStream> response, Report report)
            throws IOException {
        int status = response.statusCode();
        unreachable = false;
        boolean answered = status >= 200 && status < 300;
        if (!answered) {
            report.refused();
            tellWait(response);
        }
        String encoding = response.headers().firstValue("content-encoding").orElse("identity");
        if (status < 200 || status == 204 || status == 205 || (status >= 300 && status < 400) || status > 599) {
            return Answer.unusable(
                    "status " + status + "; redirects are not followed, the host must set the right URL");
        }
        if (!encoding.equals("identity") && !encoding.equals("gzip")) {
            return Answer.unusable("it is encoded although it was not asked for that");
        }
        if (!call.beginAnswer()) {
            return brokenOff(call);
        }
        boolean stream =
                response.headers().firstValue("content-type").orElse("").startsWith("text/event-stream");
        UsageMeter meter = !answered ? UsageMeter.NOTHING : stream ? new SseMeter() : new JsonMeter();
        InputStream in = encoding.equals("gzip") ? new GZIPInputStream(response.body()) : response.body();
        Told told = new Told(reply, call);
        told.tell(() -> reply.begin(status, headers(response)));
        try {
            copy(in, told, call, meter, report);
        } finally {
            report.over(meter.counted());
        }
        told.tell(reply::end);
        return null;
    }

    private void tellWait(HttpResponse<?> response) {
        if (response.statusCode() != 429 && response.statusCode() < 500) {
            return;
        }
        try {
            RetryAfter.of(response.headers(), Instant.now()).ifPresent(host::askedToWait);
        } catch (RuntimeException e) {
            LOG.error("the host of the API gateway did not take note of a time to wait", e);
        }
    }

    private Map<String, List<String>> headers(HttpResponse<?> response) {
        Map<String, List<String>> passed = new TreeMap<>();
        response.headers().map().forEach((name, values) -> {
            if (HeaderRules.goesToClient(name)) {
                passed.put(
                        name, values.stream().map(upstream.key()::removedFrom).toList());
            }
        });
        return passed;
    }

    /** What is written to a client, for as long as there is one. */
    private static final class Told {
        private final Reply reply;
        private final ApiCall call;
        private boolean there = true;

        Told(Reply reply, ApiCall call) {
            this.reply = reply;
            this.call = call;
        }

        interface Writing {
            void write() throws IOException;
        }

        void tell(Writing writing) {
            if (!there || call.hasLeft()) {
                there = false;
                return;
            }
            try {
                writing.write();
            } catch (IOException e) {
                LOG.debug("a client went away before it had its answer: {}", e.toString());
                there = false;
                call.leave();
            }
        }
    }

    /** Each piece goes on as it comes. What nobody wants any more is read on until it is counted. */
    private void copy(InputStream in, Told told, ApiCall call, UsageMeter meter, Report report) throws IOException {
        KeyMask mask = new KeyMask(upstream.key());
        byte[] buffer = new byte[16 * 1024];
        int count = in.read(buffer);
        while (count >= 0 && (told.there || !meter.counted().isWhole())) {
            call.moved();
            meter.read(buffer, count);
            report.whole(meter.counted());
            byte[] piece = mask.next(buffer, count);
            told.tell(() -> told.reply.piece(piece));
            count = in.read(buffer);
        }
        told.tell(() -> told.reply.piece(mask.rest()));
    }
}
