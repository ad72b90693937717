package io.maestro.docker.internal.egress;

/** Why a connection is not made; the message is for an agent and says nothing about this machine or its networks. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    Refusal(String message) {
        super(message, null, false, false);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
