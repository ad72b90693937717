package io.maestro.llm.internal;

import io.maestro.internal.ArrivingBody;
import io.maestro.internal.BoundedStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/** Sends one request, bounded in time and in the size of its answer. */
final class HttpCall {
    private final HttpClient client;
    private final CallLimits limits;
    private final Shown shown;

    HttpCall(HttpClient client, CallLimits limits, Shown shown) {
        this.client = client;
        this.limits = limits;
        this.shown = shown;
    }

    /** Reads an answer; its body is bounded in time and size. */
    @FunctionalInterface
    interface Reader<T> {
        T read(HttpAnswer answer) throws AttemptException, IOException;
    }

    /**
     * Sends, and has the answer read while it arrives. {@link HttpRequest#timeout()} ends with the headers; the body keeps the
     * limits, too: a server that sends it byte by byte would never time out.
     */
    <T> T send(HttpRequest request, Duration limit, Reader<T> reader) throws AttemptException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        ArrivingBody body = new ArrivingBody(limit, limits.idle());
        try {
            HttpResponse<ArrivingBody> response = body.send(client, request);
            T read = reader.read(new HttpAnswer(response.statusCode(), response.headers(), plain(response)));
            body.finish();
            return read;
        } catch (HttpConnectTimeoutException e) {
            throw failure(request, e);
        } catch (HttpTimeoutException e) {
            throw AttemptException.passing("no complete answer within " + limit.toMillis() + " ms", null);
        } catch (ArrivingBody.TimeLimitException e) {
            throw AttemptException.passing(String.valueOf(e.getMessage()), null);
        } catch (InterruptedIOException e) {
            throw new InterruptedException();
        } catch (BoundedStream.TooLargeException e) {
            throw AttemptException.lasting(
                    "the answer has " + e.getMessage() + "; check that the base URL is that of the service");
        } catch (IOException e) {
            throw failure(request, e.getCause() == null ? e : e.getCause());
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

    private AttemptException failure(HttpRequest request, Throwable cause) {
        String what = cause.getMessage() == null
                ? cause.getClass().getSimpleName()
                : cause.getClass().getSimpleName() + ": " + shown.line(cause.getMessage());
        String message = "no answer from " + request.uri().getScheme() + "://"
                + request.uri().getAuthority() + " (" + what + ")";
        boolean sent = !(cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException);
        return cause instanceof IOException
                ? new AttemptException(
                        message + "; check the network and the base URL",
                        shown.cause(cause),
                        AttemptException.Kind.PASSING,
                        true,
                        null,
                        sent)
                : new AttemptException(message, shown.cause(cause), AttemptException.Kind.LASTING, false, null, sent);
    }
}
