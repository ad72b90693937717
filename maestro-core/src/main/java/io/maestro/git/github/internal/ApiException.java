package io.maestro.git.github.internal;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A request to the API has not brought what it was for. Ends in {@link GitHubSession}; nobody else sees one. */
final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What can be done about it. */
    enum Kind {
        /** No answer that can be read came; what was asked for may have been done. */
        LOST,
        /** Too many requests; later it goes on. */
        LIMITED,
        /** The token or the repository: somebody has to mend it. */
        DENIED,
        /** The server does not do this. */
        REFUSED
    }

    private final Kind kind;
    private final int status;
    private final @Nullable Duration retryAfter;

    ApiException(Kind kind, int status, String message, @Nullable Duration retryAfter) {
        super(message);
        this.kind = kind;
        this.status = status;
        this.retryAfter = retryAfter;
    }

    Kind kind() {
        return kind;
    }

    /** Of the answer; 0 where there was none. */
    int status() {
        return status;
    }

    /** Whether the rest of the work can go on without it. */
    boolean isAboutThisAlone() {
        return (kind == Kind.DENIED || kind == Kind.REFUSED) && status >= 403;
    }

    /** Set where the kind is {@link Kind#LIMITED}. */
    @Nullable
    Duration retryAfter() {
        return retryAfter;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
