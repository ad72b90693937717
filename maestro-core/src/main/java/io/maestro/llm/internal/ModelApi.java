package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.internal.RemoteServer;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Asks one model over HTTP, in the protocol of its vendor. Thread-safe. */
public final class ModelApi {
    /** What is read of an error; it is shown shortened anyway. */
    private static final int MAX_ERROR_BYTES = 64 * 1024;

    private static final int MAX_EVENT_BYTES = 16 * 1024 * 1024;

    private final Target target;
    private final Protocol protocol;
    private final Shown shown;
    private final HttpCall http;
    private final RetryLoop retries;
    private final ApiError errors;

    /**
     * Sets all up; sends nothing.
     *
     * @param target which model is asked, where and how
     * @param protocol its vendor's
     */
    public ModelApi(Target target, Protocol protocol) {
        this.target = target;
        this.protocol = protocol;
        this.shown = new Shown(target.credentials());
        this.http =
                new HttpCall(target.client(), target.limits(), shown, "the base URL (" + protocol.urlVariable() + ")");
        this.errors = new ApiError(shown, protocol);
        this.retries = new RetryLoop(target.model(), target.limits(), target.clock());
    }

    /**
     * Asks.
     *
     * @param request the conversation
     * @param listener is told of the text, in the calling thread
     * @return the answer; see {@link io.maestro.llm.LlmClient#complete(LlmRequest)} for what is thrown
     */
    public LlmResponse complete(LlmRequest request, LlmStreamListener listener) {
        Protocol.WrittenRequest question = protocol.question(target.model(), request, target.streaming());
        byte[] body = VendorJson.bytes(question.body());
        RestartingListener told = new RestartingListener(listener);
        return retries.run(limit -> {
            told.begin();
            return http.send(post(body), limit, answer -> read(question, answer, told));
        });
    }

    /**
     * Asks the service about the model, which both vendors answer beside the endpoint of questions, and which costs nothing.
     *
     * @return see {@link io.maestro.llm.LlmClient#check}, for what is thrown, too
     */
    public boolean check() {
        String beside = target.endpoint().toString().replaceFirst("/[^/]*$", "/models/");
        String model = URLEncoder.encode(target.model(), StandardCharsets.UTF_8).replace("+", "%20");
        HttpRequest get = authorized(HttpRequest.newBuilder(URI.create(beside + model))
                .header("accept", "application/json")
                .GET());
        Duration attempt = target.limits().attempt();
        Duration limit = attempt.compareTo(RemoteServer.FIRST_ANSWER) < 0 ? attempt : RemoteServer.FIRST_ANSWER;
        CallLimits once = new CallLimits(limit, limit, limit, 0, target.limits().maxBodyBytes());
        return new RetryLoop(target.model(), once, target.clock()).run(left -> http.send(get, left, this::isKnown));
    }

    /** A gateway may have no such path, and a key may be kept from it: neither says anything of questions. */
    private boolean isKnown(VendorResponse answer) throws AttemptException, IOException {
        byte[] body = start(answer);
        Optional<ObjectNode> json = VendorJson.parseObject(body);
        boolean namesTheModel = json.map(
                        object -> object.path("error").path("message").asText().contains(target.model()))
                .orElse(false);
        return switch (answer.status()) {
            case 200 -> json.isPresent();
            case 400, 403, 405, 501 -> false;
            case 404 -> {
                if (namesTheModel) {
                    throw errors.of(answer, body, target.clock().now());
                }
                yield false;
            }
            default -> throw errors.of(answer, body, target.clock().now());
        };
    }

    private HttpRequest post(byte[] body) {
        return authorized(HttpRequest.newBuilder(target.endpoint())
                .header("content-type", "application/json")
                .header("accept", target.streaming() ? "text/event-stream, application/json" : "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    }

    private HttpRequest authorized(HttpRequest.Builder post) {
        protocol.headers(target.credentials().key().orElse(null)).forEach(post::header);
        target.credentials().headers().forEach(post::setHeader);
        if ("http".equals(target.endpoint().getScheme())) {
            // Without TLS there is no negotiation: HTTP/2 would be asked for by a header that not every proxy
            // understands.
            post.version(HttpClient.Version.HTTP_1_1);
        }
        return post.build();
    }

    private LlmResponse read(Protocol.WrittenRequest question, VendorResponse answer, LlmStreamListener listener)
            throws AttemptException, IOException {
        if (answer.status() != 200) {
            throw errors.of(answer, start(answer), target.clock().now());
        }
        String type = answer.header("content-type");
        try {
            // A server may answer at once although it was asked for pieces.
            if (type.toLowerCase(Locale.ROOT).contains("event-stream")) {
                return readPieces(question.pieces(listener), answer);
            }
            if (!type.isEmpty() && !type.toLowerCase(Locale.ROOT).contains("json")) {
                throw new Protocol.UnreadableException("the answer is " + shown.line(type) + " and not JSON");
            }
            return readWhole(question, answer, listener);
        } catch (Protocol.UnreadableException e) {
            throw AttemptException.passing(
                    shown.line(String.valueOf(e.getMessage()))
                            + "; if this goes on, check that the base URL is that of the " + protocol.title(),
                    null);
        } catch (Protocol.ErrorException e) {
            throw errors.inAnswer(answer, e.error());
        }
    }

    /** Whatever goes wrong with the body of an error, its status says enough. */
    private static byte[] start(VendorResponse answer) throws InterruptedIOException {
        byte[] start = new byte[MAX_ERROR_BYTES];
        int length = 0;
        try {
            int count = 0;
            while (count >= 0 && length < start.length) {
                length += count;
                count = answer.body().read(start, length, start.length - length);
            }
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            // What came is what there is.
        }
        return Arrays.copyOf(start, length);
    }

    private static LlmResponse readWhole(
            Protocol.WrittenRequest question, VendorResponse answer, LlmStreamListener listener)
            throws IOException, Protocol.UnreadableException, Protocol.ErrorException {
        byte[] body = answer.body().readAllBytes();
        ObjectNode json = VendorJson.parseObject(body)
                .orElseThrow(() -> new Protocol.UnreadableException(
                        "the answer of " + body.length + " bytes is not a JSON object"));
        LlmResponse response = question.read(json);
        String text = LlmResponseText.of(response);
        if (!text.isEmpty()) {
            listener.onText(text);
        }
        return response;
    }

    private LlmResponse readPieces(Protocol.Pieces pieces, VendorResponse answer)
            throws IOException, Protocol.UnreadableException, Protocol.ErrorException {
        SseReader events = new SseReader(
                answer.body(), Math.min(MAX_EVENT_BYTES, target.limits().maxBodyBytes()));
        while (true) {
            SseEvent event = events.next()
                    .orElseThrow(() -> new Protocol.UnreadableException("the answer ended before it was complete"));
            if (event.data().isBlank() || event.data().equals("[DONE]")) {
                continue;
            }
            ObjectNode json = VendorJson.parseObject(event.data())
                    .orElseThrow(() -> new Protocol.UnreadableException("the answer has a piece of "
                            + event.data().length() + " characters that is not a JSON object"));
            Optional<LlmResponse> complete = pieces.take(json.path("type").asText(event.name()), json);
            if (complete.isPresent()) {
                return complete.get();
            }
        }
    }
}
