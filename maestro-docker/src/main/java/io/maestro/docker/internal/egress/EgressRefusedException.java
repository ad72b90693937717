package io.maestro.docker.internal.egress;

/** Why a connection is not made; the message is for an agent and says nothing about this machine or its networks. */
final class EgressRefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    EgressRefusedException(String message) {
        super(message, null, false, false);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
