package io.maestro.docker;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What {@link Preflight} has found.
 *
 * @param findings what was looked at, in this order; what could not be looked at is left out
 */
public record PreflightReport(List<Finding> findings) {
    /**
     * Copies the list.
     *
     * @param findings what was found
     */
    public PreflightReport {
        findings = List.copyOf(findings);
    }

    /** What was looked at. */
    public enum Subject {
        /** Whether the client program runs. */
        CLIENT,
        /** Whether the engine answers. */
        ENGINE,
        /** Whether this user may use it. */
        PERMISSIONS,
        /** Whether client and engine understand each other, and are new enough. */
        VERSIONS,
        /** Limits that the engine ignores, and what else it warns of. */
        LIMITS,
        /** Whether there is Compose. */
        COMPOSE,
        /** Whether there is buildx. */
        BUILDX,
        /** What is free where the engine keeps everything. */
        DISK,
        /** How much memory the engine's machine has. */
        MEMORY,
        /** Whether the engine runs as an ordinary user. */
        ROOTLESS,
        /** Whether containers could be given a GPU. */
        GPU,
        /** What the kernel counts by user, and not by container. */
        USER,
        /** What of this machine listens where containers with an open network reach it. */
        LISTENERS
    }

    /** How it looks. */
    public enum Status {
        /** As it must be. */
        OK,
        /** Neither good nor bad. */
        INFORMATION,
        /** Containers can be made, but not everything will work. */
        WARNING,
        /** No containers can be made. */
        FAILED
    }

    /**
     * One thing that was looked at.
     *
     * @param subject what
     * @param status how it looks
     * @param detail what was found
     * @param guidance what to do on this platform; empty where there is nothing
     * @param mended what was done about it; empty where nothing was
     */
    public record Finding(
            Subject subject, Status status, String detail, Optional<String> guidance, Optional<String> mended) {
        /** For people, in one line. */
        @Override
        public String toString() {
            return status + " " + subject + ": " + detail
                    + mended.map(text -> " (" + text + ")").orElse("")
                    + guidance.map(text -> " -> " + text).orElse("");
        }
    }

    /**
     * Whether containers can be made.
     *
     * @return true when nothing has {@linkplain Status#FAILED failed}
     */
    public boolean ready() {
        return findings.stream().noneMatch(finding -> finding.status() == Status.FAILED);
    }

    /** For people, a line for each finding. */
    @Override
    public String toString() {
        return findings.stream().map(Finding::toString).collect(Collectors.joining("\n"));
    }
}
