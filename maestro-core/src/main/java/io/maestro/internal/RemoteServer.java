package io.maestro.internal;

import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * A server as its client sees it: whether it has ever answered, and in words why it does not. The one place that reads what the
 * network's classes throw. A server that has never answered is no outage: its address may be wrong. Safe for use by several
 * threads.
 */
public final class RemoteServer {
    /** How long the first answer to a question that costs nothing may take. */
    public static final Duration FIRST_ANSWER = Duration.ofSeconds(10);

    private final String name;
    private final String setting;
    private final UnaryOperator<String> safe;
    private volatile boolean answered;

    /**
     * A server that has not answered yet.
     *
     * @param name what it is, as in "the forge"
     * @param setting what holds its address, as in "forge.base_url"
     * @param safe takes secrets out of a text, and makes it fit for one line
     */
    public RemoteServer(String name, String setting, UnaryOperator<String> safe) {
        this.name = name;
        this.setting = setting;
        this.safe = safe;
    }

    /** It has answered, whatever that was. */
    public void answered() {
        answered = true;
    }

    /** {@return what holds its address} */
    public String setting() {
        return setting;
    }

    /** {@return whether it has answered} */
    public boolean hasAnswered() {
        return answered;
    }

    /** Says which server was not reached or has sent no whole answer, why, and what to do. */
    public static final class UnreachableException extends IOException {
        private static final long serialVersionUID = 1L;

        private final Reason reason;
        private final boolean first;

        private UnreachableException(String message, Reason reason, boolean first) {
            super(message);
            this.reason = reason;
            this.first = first;
        }

        /** {@return whether the request may have arrived there} */
        public boolean mayHaveArrived() {
            return reason == Reason.SILENT || reason == Reason.BROKEN;
        }

        /** {@return whether the server has never answered, so that asking it again is of no use before somebody has looked} */
        public boolean isFirstContact() {
            return first;
        }

        @Override
        public String getMessage() {
            return String.valueOf(super.getMessage());
        }
    }

    private enum Reason {
        UNKNOWN_HOST,
        REFUSED,
        NO_CONNECTION,
        TLS,
        SILENT,
        BROKEN
    }

    /**
     * Whether something failed because a server has never answered.
     *
     * @param failure anything that was thrown
     * @return true when one of its causes says so
     */
    public static boolean isFirstContact(Throwable failure) {
        return chain(failure).stream()
                .anyMatch(cause -> cause instanceof UnreachableException one && one.isFirstContact());
    }

    /**
     * What to throw in the place of a failure of the network.
     *
     * @param uri what was asked for; null when that is not known
     * @param failure what the client has thrown
     * @param limit how long the answer was waited for
     * @param cheap whether the request needed no work, so that silence counts as no answer
     * @return without a cause, which might hold a secret
     */
    public UnreachableException unreachable(@Nullable URI uri, Throwable failure, Duration limit, boolean cheap) {
        List<Throwable> chain = chain(failure);
        Reason reason = reason(chain);
        String who = name + (uri == null ? "" : " at " + uri.getScheme() + "://" + uri.getRawAuthority());
        String what = who + " cannot be reached: " + words(reason, safe.apply(said(chain))) + "; ";
        String message = switch (reason) {
            case UNKNOWN_HOST -> what + "check " + setting;
            case REFUSED -> what + "see whether the server runs, and check " + setting;
            case NO_CONNECTION -> what + "check " + setting + " and the network, such as a firewall";
            case TLS -> what + "check " + setting + ", and whether this JVM trusts the server's certificate";
            case SILENT ->
                who + " has sent no complete answer within " + limit.toMillis() + " ms; check " + setting
                        + " and the network";
            case BROKEN ->
                who + " has sent no usable answer (" + safe.apply(said(chain)) + "); check the network and " + setting;
        };
        boolean counts = reason != Reason.BROKEN && (reason != Reason.SILENT || cheap);
        return new UnreachableException(message, reason, counts && !answered);
    }

    /**
     * In words why there was no connection.
     *
     * @param failure what a client has thrown
     * @return empty when there was one, or something else went wrong; may hold what the server has sent
     */
    public static Optional<String> noConnection(Throwable failure) {
        List<Throwable> chain = chain(failure);
        Reason reason = reason(chain);
        return reason == Reason.SILENT || reason == Reason.BROKEN
                ? Optional.empty()
                : Optional.of(words(reason, said(chain)));
    }

    private static String words(Reason reason, String said) {
        return switch (reason) {
            case UNKNOWN_HOST -> "the host name does not resolve";
            case REFUSED -> "the connection is refused";
            case NO_CONNECTION -> "no connection (" + said + ")";
            case TLS -> "TLS fails (" + said + ")";
            case SILENT, BROKEN -> said;
        };
    }

    /**
     * Asks in a thread of its own, which is left behind when it does not hear an interrupt, such as while it looks up a name.
     *
     * @param limit how long to wait
     * @param question what to ask
     * @param <T> what is answered
     * @return the answer
     * @throws RetriableException when there is none in time; else what the question throws
     */
    public <T> T ask(Duration limit, Supplier<T> question) {
        FutureTask<T> asked = new FutureTask<>(question::get);
        Threads.platformFactory("maestro-ask").newThread(asked).start();
        try {
            T answer = asked.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            answered();
            return answer;
        } catch (TimeoutException e) {
            UnreachableException silent = unreachable(null, e, limit, true);
            throw new RetriableException(silent.getMessage(), silent, null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MaestroException("interrupted while " + name + " was asked", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            asked.cancel(true);
        }
    }

    private static Reason reason(List<Throwable> chain) {
        if (has(chain, UnresolvedAddressException.class) || has(chain, UnknownHostException.class)) {
            return Reason.UNKNOWN_HOST;
        }
        // Other faults of TLS come in the middle of an answer.
        if (has(chain, SSLHandshakeException.class)
                || has(chain, SSLPeerUnverifiedException.class)
                || chain.stream()
                        .anyMatch(one -> message(one).toLowerCase(Locale.ROOT).contains("unrecognized ssl message"))) {
            return Reason.TLS;
        }
        if (has(chain, HttpConnectTimeoutException.class) || has(chain, NoRouteToHostException.class)) {
            return Reason.NO_CONNECTION;
        }
        if (has(chain, ConnectException.class)) {
            // The JDK tries again on a closed channel, and forgets what was said at first; that is a refusal.
            return chain.stream()
                            .map(one -> message(one).toLowerCase(Locale.ROOT))
                            .anyMatch(said -> said.contains("timed out") || said.contains("unreachable"))
                    ? Reason.NO_CONNECTION
                    : Reason.REFUSED;
        }
        return has(chain, HttpTimeoutException.class)
                        || has(chain, SocketTimeoutException.class)
                        || has(chain, TimeoutException.class)
                ? Reason.SILENT
                : Reason.BROKEN;
    }

    private static boolean has(List<Throwable> chain, Class<? extends Throwable> type) {
        return chain.stream().anyMatch(type::isInstance);
    }

    /** The innermost words: the JDK repeats them outside, or wraps them in what says less. */
    private static String said(List<Throwable> chain) {
        String said = "";
        for (Throwable one : chain) {
            String type = one.getClass().getSimpleName();
            said = message(one).isEmpty() ? said.isEmpty() ? type : said : message(one);
        }
        return said;
    }

    private static String message(Throwable one) {
        return one.getMessage() == null ? "" : one.getMessage();
    }

    private static List<Throwable> chain(Throwable failure) {
        List<Throwable> chain = new ArrayList<>();
        for (Throwable one = failure; one != null && chain.size() < 20; one = one.getCause()) {
            chain.add(one);
        }
        return chain;
    }
}
