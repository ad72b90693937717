package io.maestro.docker.internal.compose;

/**
 * What one container of a stack does.
 *
 * @param service its service
 * @param container its name
 * @param id its id
 * @param status what the engine says, for example {@code running} or {@code exited}
 * @param health of its check: starting, healthy or unhealthy; nothing when there is none
 * @param exitCode of its end; 0 while it runs
 */
public record ServiceState(String service, String container, String id, String status, String health, int exitCode) {
    /** Whether it ended with an error, cannot go on or fails its check. */
    boolean failed() {
        return switch (status) {
            case "exited" -> exitCode != 0;
            case "dead", "paused", "removing" -> true;
            default -> health.equals("unhealthy");
        };
    }

    /** Whether it works, or has done what it was for. */
    boolean settled() {
        return status.equals("exited") || (status.equals("running") && !health.equals("starting"));
    }

    /** One line for a model. */
    @Override
    public String toString() {
        String ended = status.equals("exited") ? " with exit code " + exitCode : "";
        return service + ": " + status + ended + (health.isEmpty() ? "" : ", " + health) + " (" + container + ")";
    }
}
