package io.maestro;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What {@link Maestro#check} has found, in the order in which a story would meet it.
 *
 * @param findings at least one of each subject
 */
public record CheckReport(List<Finding> findings) {
    /**
     * Copies the list.
     *
     * @param findings what was found
     */
    public CheckReport {
        findings = List.copyOf(findings);
    }

    /** What was looked at. */
    public enum Subject {
        /** Whether git runs, the repository is reached and has the target branch. */
        REPOSITORY,
        /** Whether branches can be pushed. */
        PUSH,
        /** Whether the target branch takes merges. */
        TARGET_BRANCH,
        /** Whether what merges work is reached, and would do it. */
        FORGE,
        /** The model or program that codes. */
        CODER,
        /** The architect's model. */
        ARCHITECT,
        /** Whether costs can be counted. */
        PRICES,
        /** Where commands run. */
        ENVIRONMENT,
        /** How the project is tested. */
        TEST_COMMAND,
        /** The tools of jars. */
        TOOLS
    }

    /** How it looks. */
    public enum Status {
        /** As it must be. */
        OK,
        /** It cannot be told without doing it. */
        UNKNOWN,
        /** Stories can be run, though perhaps not as it is meant. */
        WARNING,
        /** Stories will fail. */
        FAILED
    }

    /**
     * One thing that was looked at.
     *
     * @param subject what
     * @param status how it looks
     * @param detail what was found, without secrets
     * @param remedy what to do; empty where there is nothing
     */
    public record Finding(Subject subject, Status status, String detail, Optional<String> remedy) {
        /** For people, in one line. */
        @Override
        public String toString() {
            return status + " " + subject + ": " + detail
                    + remedy.map(text -> " -> " + text).orElse("");
        }
    }

    /**
     * Whether a story may be begun.
     *
     * @return true when nothing has {@linkplain Status#FAILED failed}
     */
    public boolean passed() {
        return findings.stream().noneMatch(finding -> finding.status() == Status.FAILED);
    }

    /** For people, a line for each finding. */
    @Override
    public String toString() {
        return findings.stream().map(Finding::toString).collect(Collectors.joining("\n"));
    }
}
