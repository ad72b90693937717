package io.maestro.llm.internal;

import io.maestro.internal.ArrivingBody;
import io.maestro.internal.BoundedStream;
import io.maestro.internal.RemoteServer;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/** Sends one request, bounded in time and in the size of its answer. */
final class HttpCall {
    private final HttpClient client;
    private final CallLimits limits;
    private final Shown shown;
    private final RemoteServer server;

    /** @param setting what holds the server's address */
    HttpCall(HttpClient client, CallLimits limits, Shown shown, String setting) {
        this.client = client;
        this.limits = limits;
        this.shown = shown;
        this.server = new RemoteServer("the service", setting, shown::line);
    }

    /** Reads an answer; its body is bounded in time and size. */
    @FunctionalInterface
    interface AnswerReader<T> {
        T read(VendorResponse answer) throws AttemptException, IOException;
    }

    /**
     * Sends, and has the answer read while it arrives. {@link HttpRequest#timeout()} ends with the headers; the body keeps the
     * limits, too: a server that sends it byte by byte would never time out.
     */
    <T> T send(HttpRequest request, Duration limit, AnswerReader<T> reader)
            throws AttemptException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        ArrivingBody body = new ArrivingBody(limit, limits.idle());
        try {
            HttpResponse<ArrivingBody> response = body.send(client, request);
            server.answered();
            T read = reader.read(new VendorResponse(response.statusCode(), response.headers(), plain(response)));
            body.finish();
            return read;
        } catch (ArrivingBody.TimeLimitException e) {
            throw AttemptException.passing(String.valueOf(e.getMessage()), null);
        } catch (InterruptedIOException e) {
            throw new InterruptedException();
        } catch (BoundedStream.TooLargeException e) {
            throw AttemptException.lasting(
                    "the answer has " + e.getMessage() + "; check that the base URL is that of the service");
        } catch (IOException e) {
            throw failure(request, e, limit);
        } finally {
            // Without effect when all is done; otherwise it closes the connection.
            body.close();
        }
    }

    /** The bound is on what a compressed body grows to; nobody asked for one, but proxies send them. */
    private InputStream plain(HttpResponse<ArrivingBody> response) throws AttemptException, IOException {
        String encoding = response.headers()
                .firstValue("content-encoding")
                .orElse("")
                .strip()
                .toLowerCase(Locale.ROOT);
        return switch (encoding) {
            case "", "identity" -> new BoundedStream(response.body(), limits.maxBodyBytes());
            case "gzip", "x-gzip" ->
                new BoundedStream(
                        new LateGzip(new BoundedStream(response.body(), limits.maxBodyBytes())), limits.maxBodyBytes());
            default ->
                throw AttemptException.passing(
                        "the answer is compressed as " + shown.line(encoding) + ", which nobody asked for", null);
        };
    }

    /** Begins to read with the first byte that is wanted, as {@link GZIPInputStream} reads when it is made. */
    private static final class LateGzip extends FilterInputStream {
        private boolean begun;

        LateGzip(InputStream compressed) {
            super(compressed);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (!begun) {
                begun = true;
                in = new GZIPInputStream(in);
            }
            return in.read(bytes, offset, length);
        }
    }

    private AttemptException failure(HttpRequest request, IOException failure, Duration limit) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        if (!(cause instanceof IOException)) {
            return AttemptException.lasting("no answer from " + request.uri().getScheme() + "://"
                    + request.uri().getAuthority() + " can be read ("
                    + cause.getClass().getSimpleName() + ": "
                    + shown.line(String.valueOf(cause.getMessage())) + ")");
        }
        // A model may think for long; a look-up does not.
        boolean cheap = request.method().equals("GET");
        RemoteServer.UnreachableException unreachable = server.unreachable(request.uri(), failure, limit, cheap);
        return new AttemptException(
                unreachable.getMessage(),
                unreachable,
                AttemptException.FaultKind.PASSING,
                !unreachable.isFirstContact(),
                null,
                unreachable.mayHaveArrived());
    }
}
