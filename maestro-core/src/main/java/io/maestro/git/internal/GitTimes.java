package io.maestro.git.internal;

import java.time.Duration;

/**
 * How long a git command may show no sign of progress before it is killed; one that does may take {@link GitProcess#MOST}
 * times as long.
 *
 * @param local of commands on this machine: no output, no use of the processor
 * @param remote of commands that talk to a remote repository: no output; git reports its progress there
 */
public record GitTimes(Duration local, Duration remote) {
    /** Generous: a disk or a server is slow more often than git hangs. */
    public static final GitTimes DEFAULT = new GitTimes(Duration.ofMinutes(5), Duration.ofMinutes(15));
}
