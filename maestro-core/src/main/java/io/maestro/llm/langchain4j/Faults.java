package io.maestro.llm.langchain4j;

import dev.langchain4j.exception.ContentFilteredException;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.exception.NonRetriableException;
import dev.langchain4j.exception.RetriableException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import io.maestro.internal.RemoteServer;
import io.maestro.internal.RemoteServer.UnreachableException;
import io.maestro.llm.LlmContextOverflowException;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmUnavailableException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeoutException;

/** What a chat model threw, in Maestro's terms. */
final class Faults {
    private static final int MAX_CHARACTERS = 500;
    private static final List<String> TOO_LONG = List.of(
            "context_length_exceeded",
            "context length",
            "context window",
            "prompt is too long",
            "exceed context limit",
            "exceeds the maximum number of tokens");

    private Faults() {}

    static RuntimeException translated(String model, RemoteServer server, RuntimeException failure) {
        List<Throwable> chain = chain(failure);
        boolean interrupted = Thread.currentThread().isInterrupted()
                || chain.stream()
                        .anyMatch(t -> t instanceof InterruptedException || t instanceof ClosedByInterruptException);
        if (interrupted) {
            Thread.currentThread().interrupt();
            return new LlmInterruptedException("interrupted while " + model + " was asked", failure);
        }
        if (chain.stream().anyMatch(HttpException.class::isInstance)) {
            server.answered();
        }
        UnreachableException unreachable = server.unreachable(null, failure, Duration.ZERO, false);
        if (!unreachable.mayHaveArrived()) {
            unreachable.initCause(failure);
            return new LlmUnavailableException(model + ": " + unreachable.getMessage(), unreachable, null, false);
        }
        String message = model + ": " + shown(failure);
        boolean charged = chain.stream().noneMatch(Faults::isRefusal);
        if (mayPass(chain)) {
            return new LlmUnavailableException(message, failure, null, charged);
        }
        return chain.stream().anyMatch(Faults::isTooLong)
                ? new LlmContextOverflowException(message, failure, charged)
                : new LlmException(message, failure, charged);
    }

    /** Of any other failure nobody knows whether there was an answer; one that is filtered has been written. */
    private static boolean isRefusal(Throwable failure) {
        return failure instanceof HttpException
                || failure instanceof UnsupportedFeatureException
                || failure instanceof NonRetriableException && !(failure instanceof ContentFilteredException);
    }

    /** LangChain4j has no exception for it, and each vendor says it in words of its own. */
    private static boolean isTooLong(Throwable failure) {
        String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
        return (failure instanceof HttpException http && http.statusCode() == 413)
                || TOO_LONG.stream().anyMatch(message::contains);
    }

    /** The outermost that says something decides: it knows more than what is underneath. */
    private static boolean mayPass(List<Throwable> chain) {
        for (Throwable t : chain) {
            if (t instanceof RetriableException) {
                return true;
            }
            if (t instanceof NonRetriableException) {
                return false;
            }
            if (t instanceof HttpException http) {
                return mayPass(http.statusCode());
            }
            if (t instanceof IOException || t instanceof TimeoutException) {
                return true;
            }
        }
        return false;
    }

    private static boolean mayPass(int status) {
        return status == 408 || status == 409 || status == 429 || status >= 500;
    }

    private static List<Throwable> chain(Throwable failure) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Throwable> chain = new ArrayList<>();
        for (Throwable t = failure; t != null && seen.add(t); t = t.getCause()) {
            chain.add(t);
        }
        return chain;
    }

    private static String shown(Throwable failure) {
        return line(failure.getClass().getSimpleName() + ": " + failure.getMessage());
    }

    static String line(String text) {
        String start = text.length() <= MAX_CHARACTERS ? text : text.substring(0, MAX_CHARACTERS) + "…";
        return start.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    }
}
