package io.maestro.claude.internal.install;

/** A step has failed; another one may do. Never leaves this package. */
final class StepFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StepFailure(String message) {
        super(message, null, false, false);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
