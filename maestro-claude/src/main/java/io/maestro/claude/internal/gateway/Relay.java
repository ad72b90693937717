package io.maestro.claude.internal.gateway;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.maestro.claude.GatewayClient;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers a request: with an error of its own, or with what the API says to it. */
final class Relay implements HttpHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
    private static final String MESSAGES = "/v1/messages";
    private static final String COUNT_TOKENS = "/v1/messages/count_tokens";

    private final Links links;
    private final Upstream upstream;
    private final Placeholder placeholder;
    private final GatewayClient host;
    private final Limits limits;
    private final AtomicLong allowance;
    private final Supplier<Optional<Answer>> cut;

    /** With the reason why nothing is forwarded any more, if there is one. */
    Relay(
            Links links,
            Upstream upstream,
            Placeholder placeholder,
            GatewayClient host,
            Limits limits,
            Supplier<Optional<Answer>> cut) {
        this.links = links;
        this.upstream = upstream;
        this.placeholder = placeholder;
        this.host = host;
        this.limits = limits;
        this.allowance = new AtomicLong(limits.allBodyBytes());
        this.cut = cut;
    }

    /** Returns with the connection closed; an answer that is cut short ends without its proper end. */
    @Override
    public void handle(HttpExchange exchange) throws IOException {
        Link link = links.at(exchange.getRemoteAddress().getPort());
        if (link == null) {
            throw new IOException("not a connection of this gateway");
        }
        Call call = new Call(link::hangUp);
        link.serves(call);
        // One request for each connection: none is ever sent on one that is about to be closed, and each has its time
        // limits.
        exchange.getResponseHeaders().set("Connection", "close");
        if (exchange.getRequestMethod().equals("HEAD")
                && "/".equals(exchange.getRequestURI().getPath())) {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
            return;
        }
        Answer own = answer(exchange, call);
        if (own != null) {
            send(exchange, own);
        }
        exchange.close();
    }

    /** Null when the client has got its answer. */
    private @Nullable Answer answer(HttpExchange exchange, Call call) throws IOException {
        InputStream in = exchange.getRequestBody();
        String path = String.valueOf(exchange.getRequestURI().getRawPath());
        Answer wrong = null;
        if (!placeholder.isIn(exchange.getRequestHeaders())) {
            wrong = Answer.noToken();
        } else if (!exchange.getRequestMethod().equals("POST")
                || !(path.equals(MESSAGES) || path.equals(COUNT_TOKENS))) {
            wrong = Answer.noSuchPath();
        }
        if (wrong != null) {
            RequestBody.discard(in, limits.bodyBytes());
            return wrong;
        }
        try (RequestBody body = new RequestBody(limits.bodyBytes(), allowance)) {
            RequestBody.Outcome outcome = body.read(in);
            if (outcome == RequestBody.Outcome.TOO_LARGE) {
                return Answer.tooLarge(limits.bodyBytes());
            }
            if (outcome == RequestBody.Outcome.TOO_MUCH_AT_ONCE) {
                return Answer.tooMuchAtOnce();
            }
            Answer refusal = refusal();
            return refusal != null ? refusal : begin(exchange, call, path, body);
        }
    }

    /** Forwards it once the host has begun it; what is not billed has no host. */
    private @Nullable Answer begin(HttpExchange exchange, Call call, String path, RequestBody body) throws IOException {
        GatewayClient.Exchange begun = null;
        if (path.equals(MESSAGES)) {
            try {
                begun = host.begin(body.facts());
            } catch (RetriableException e) {
                return Answer.later(e.getMessage());
            } catch (MaestroException e) {
                return Answer.refused(e.getMessage());
            } catch (RuntimeException e) {
                LOG.error("the host of the API gateway did not begin a request", e);
                return Answer.hostFailed();
            }
        }
        try (Report report = new Report(begun)) {
            return forward(exchange, call, path, body, report);
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

    private @Nullable Answer forward(HttpExchange exchange, Call call, String path, RequestBody body, Report report)
            throws IOException {
        CompletableFuture<HttpResponse<InputStream>> asked;
        try {
            asked = upstream.send(
                    path, exchange.getRequestURI().getRawQuery(), exchange.getRequestHeaders(), body.publisher());
        } catch (IllegalArgumentException e) {
            return Answer.unreadable(); // The message may show a header.
        }
        report.sent();
        call.asking(asked);
        // A cut that came before the call was known did not reach it.
        cut.get().ifPresent(call::breakOff);
        try {
            HttpResponse<InputStream> response = asked.get();
            try (InputStream answer = response.body()) {
                call.answered(answer);
                return pass(exchange, call, response, report);
            }
        } catch (CancellationException e) {
            return brokenOff(call);
        } catch (ExecutionException e) {
            Answer why = call.broken();
            if (why != null) {
                return why;
            }
            if (e.getCause() instanceof ConnectException || e.getCause() instanceof HttpConnectTimeoutException) {
                report.refused();
            }
            String failure = upstream.key().removedFrom(String.valueOf(e.getCause()));
            LOG.warn("the API cannot be reached: {}", failure);
            return Answer.unreachable(failure);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            asked.cancel(true);
            throw new IOException("the gateway ends");
        }
    }

    private static Answer brokenOff(Call call) {
        Answer why = call.broken();
        return why != null ? why : Answer.unreachable("the request was given up");
    }

    private @Nullable Answer pass(HttpExchange exchange, Call call, HttpResponse<InputStream> response, Report report)
            throws IOException {
        int status = response.statusCode();
        boolean answered = status >= 200 && status < 300;
        if (!answered) {
            report.refused();
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
        copyHeaders(exchange, response);
        exchange.sendResponseHeaders(status, 0);
        boolean stream =
                response.headers().firstValue("content-type").orElse("").startsWith("text/event-stream");
        Meter meter = !answered ? Meter.NOTHING : stream ? new SseMeter() : new JsonMeter();
        try {
            InputStream in = encoding.equals("gzip") ? new GZIPInputStream(response.body()) : response.body();
            copy(in, exchange.getResponseBody(), call, meter, report);
        } finally {
            report.make(meter.counted());
        }
        return null;
    }

    private void copyHeaders(HttpExchange exchange, HttpResponse<?> response) {
        for (Map.Entry<String, List<String>> header : response.headers().map().entrySet()) {
            if (HeaderRules.goesToClient(header.getKey())) {
                header.getValue()
                        .forEach(value -> exchange.getResponseHeaders()
                                .add(header.getKey(), upstream.key().removedFrom(value)));
            }
        }
    }

    /** Each piece goes on as it comes. */
    private void copy(InputStream in, OutputStream out, Call call, Meter meter, Report report) throws IOException {
        KeyMask mask = new KeyMask(upstream.key());
        byte[] buffer = new byte[16 * 1024];
        int count = in.read(buffer);
        while (count >= 0) {
            call.moved();
            meter.read(buffer, count);
            if (meter.complete()) {
                report.make(meter.counted());
            }
            out.write(mask.next(buffer, count));
            out.flush();
            count = in.read(buffer);
        }
        report.make(meter.counted());
        out.write(mask.rest());
        out.flush();
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        byte[] body = answer.body();
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.getResponseHeaders().set("X-Should-Retry", String.valueOf(answer.again()));
        exchange.sendResponseHeaders(answer.status(), body.length);
        exchange.getResponseBody().write(body);
    }
}
