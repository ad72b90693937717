package io.maestro.docker;

import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A container that {@link Containers#create} has made. Its commands run as an ordinary user with the variables that were asked
 * for. Safe for use by several threads; once it is destroyed, what needs it fails with a {@link DockerException}.
 */
public interface ProvisionedContainer {
    /**
     * The name by which it is found.
     *
     * @return for example {@code api}
     */
    String name();

    /**
     * What it is for.
     *
     * @return the name of a {@link Purpose}; empty for none
     */
    Optional<String> purpose();

    /**
     * As whom commands run.
     *
     * @return {@code uid:gid}
     */
    String user();

    /**
     * How it was made.
     *
     * @return empty when an earlier {@link Containers} made it
     */
    Optional<ProvisioningReport> report();

    /**
     * The container without what was provided: its id, its logs, whether it runs.
     *
     * @return the container; commands of its own executors run as root without the variables
     */
    RunningContainer container();

    /**
     * Runs commands as its user, with its variables, in its working directory.
     *
     * @return an executor; it is closed with the container
     */
    DockerExecutor executor();

    /**
     * Runs commands as root.
     *
     * @return an executor; it is closed with the container
     * @throws IllegalArgumentException when the {@link ContainerRules} do not allow it
     */
    DockerExecutor rootExecutor();

    /**
     * Runs one command as its user.
     *
     * @param request the command
     * @return what it printed, and how it ended
     */
    default ExecResult run(ExecRequest request) {
        return executor().run(request);
    }

    /**
     * A line by which a person gets a shell in it, as its user and with its variables. No value of a variable is in it.
     *
     * @return for a terminal on the host
     */
    String interactiveCommand();

    /**
     * What is known of it now.
     *
     * @return the state
     */
    ContainerState state();

    /**
     * Copies a file or a directory into it; it belongs to its user then.
     *
     * @param source on the host
     * @param target an absolute path in it
     * @throws DockerException when it cannot be copied
     */
    void copyIn(Path source, String target);

    /**
     * Copies a file or a directory out of it. What is in a container is not trusted: no link leads outside of the target.
     *
     * @param source an absolute path in it
     * @param target on the host
     * @throws DockerException when it cannot be copied; nothing half-done is left then
     */
    void copyOut(String source, Path target);

    /**
     * Makes an image of its files as they are, without mounts, caches and variables.
     *
     * @param name by which {@link ContainerRequest.Builder#snapshot} finds it
     * @return the image's id
     * @throws IllegalArgumentException when it is no name, see {@link ContainerRequest#isName}
     */
    String snapshot(String name);

    /**
     * Adds names that it resolves, in place of others of the same names.
     *
     * @param hosts addresses by names
     * @throws IllegalArgumentException when one of them is none
     */
    void addHosts(Map<String, String> hosts);

    /**
     * Waits until a command in it succeeds.
     *
     * @param command a line for the shell
     * @param pause how long to wait after a failure
     * @param attempts how often at most
     * @return how it went
     * @throws InterruptedException when the thread is interrupted
     */
    Health waitHealthy(String command, Duration pause, int attempts) throws InterruptedException;

    /**
     * How waiting for a command went.
     *
     * @param healthy whether it has succeeded
     * @param attempts how often it was run
     * @param detail what the last one printed and ended with
     */
    record Health(boolean healthy, int attempts, String detail) {}

    /**
     * Starts a command that goes on when the call returns, and when this program ends, as long as the container runs.
     *
     * @param command a line for the shell, of any text
     * @return its id
     * @throws IllegalStateException when too many run
     */
    String startJob(String command);

    /**
     * Looks at a job.
     *
     * @param id what {@link #startJob} returned
     * @param offset from which byte of its output on
     * @return its state, and some of its output
     * @throws IllegalArgumentException when there is no such job
     */
    JobStatus job(String id, long offset);

    /**
     * Ends a job with all that it has started.
     *
     * @param id what {@link #startJob} returned
     * @return its state, truthfully
     * @throws IllegalArgumentException when there is no such job
     */
    JobStatus cancelJob(String id);

    /**
     * All jobs that are known.
     *
     * @return without output
     */
    List<JobStatus> jobs();

    /** Ends it, and removes it with what belongs to it alone. Fine when it is gone already. */
    void destroy();
}
