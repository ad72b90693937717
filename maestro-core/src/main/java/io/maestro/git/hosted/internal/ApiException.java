package io.maestro.git.hosted.internal;

import io.maestro.internal.RemoteServer.UnreachableException;
import java.net.http.HttpHeaders;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A request to the API has not brought what it was for. Ends in {@link ForgeSession}; nobody else sees one. */
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What can be done about it. */
    public enum ApiFault {
        /** No answer that can be read came; what was asked for may have been done. */
        LOST,
        /** Too many requests; later it goes on. */
        LIMITED,
        /** The token or the repository: somebody has to mend it. */
        DENIED,
        /** The server does not do this. */
        REFUSED
    }

    private final ApiFault kind;
    private final int status;
    private final @Nullable Duration retryAfter;

    /**
     * A failure.
     *
     * @param kind what can be done about it
     * @param status of the answer; 0 where there was none
     * @param message what was asked and what came
     * @param retryAfter after how long to ask again, where the kind is {@link ApiFault#LIMITED}
     */
    public ApiException(ApiFault kind, int status, String message, @Nullable Duration retryAfter) {
        super(message);
        this.kind = kind;
        this.status = status;
        this.retryAfter = retryAfter;
    }

    /**
     * What can be done about it.
     *
     * @return the kind
     */
    public ApiFault kind() {
        return kind;
    }

    /**
     * What the server has answered.
     *
     * @return the status of HTTP; 0 where there was no answer
     */
    public int status() {
        return status;
    }

    /**
     * Too many requests.
     *
     * @param message what was asked
     * @param headers in which the server says when it goes on
     * @return a failure of that kind
     */
    public static ApiException limited(String message, HttpHeaders headers) {
        return new ApiException(ApiFault.LIMITED, 429, message, RateLimit.after(headers));
    }

    /**
     * No answer came.
     *
     * @param asked what was asked
     * @param why which server was not reached, why, and what to do
     * @return a failure after which what was asked for may have been done
     */
    static ApiException lost(String asked, UnreachableException why) {
        ApiException lost = new ApiException(ApiFault.LOST, 0, why.getMessage() + " (" + asked + ")", null);
        lost.initCause(why);
        return lost;
    }

    /**
     * The answer is longer than is read.
     *
     * @param message what was asked
     * @return a failure that is no outage: whoever can make an answer long must not end work by that
     */
    static ApiException tooLong(String message) {
        return new ApiException(ApiFault.DENIED, 413, message, null);
    }

    /**
     * Whether the answer was longer than is read.
     *
     * @return then a part of it may be asked for
     */
    public boolean isTooLong() {
        return kind == ApiFault.DENIED && status == 413;
    }

    /** Whether the rest of the work can go on without it. */
    boolean isAboutThisAlone() {
        return (kind == ApiFault.DENIED || kind == ApiFault.REFUSED) && status >= 403;
    }

    /** Set where the kind is {@link ApiFault#LIMITED}. */
    @Nullable
    Duration retryAfter() {
        return retryAfter;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
