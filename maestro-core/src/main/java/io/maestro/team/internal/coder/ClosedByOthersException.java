package io.maestro.team.internal.coder;

/** Somebody has closed what the story proposed, or has taken it over: it is theirs. */
final class ClosedByOthersException extends RejectedException {
    private static final long serialVersionUID = 1L;

    ClosedByOthersException(String reason) {
        super("the proposal was closed: " + reason);
    }
}
