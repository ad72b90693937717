package io.maestro.environment;

import io.maestro.exec.Executor;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where the commands of one attempt at a story run. Used by the thread of the story, except for the executor, which several
 * threads may use.
 *
 * <p>An attempt can have several environments, one after the other: Maestro closes one when the attempt waits for a person or
 * the host is shut down, and opens another one to go on. What the attempt keeps, its {@linkplain #stateDirectory state} and the
 * images that it has chosen, outlasts all of them, and a process that is killed, until {@link #remove}.
 */
public interface Environment extends AutoCloseable {
    /**
     * Makes sure that commands run as the phase needs it. Called whenever a state begins; does nothing when the environment
     * is in that phase already and lives.
     *
     * @param phase the phase
     * @throws io.maestro.error.MaestroException when it cannot be made so; retriable when the sandbox is down
     */
    void enter(Phase phase);

    /**
     * Runs commands in the workspace, wherever the environment has it at the moment.
     *
     * @return always the same one
     */
    Executor executor();

    /**
     * Where commands see a directory of this machine.
     *
     * @param directory {@link Workplace#directory()} or one of {@link Workplace#readable()}
     * @return an absolute path in the executor's notation
     */
    default String locate(Path directory) {
        return directory.toString();
    }

    /**
     * Where programs may keep files that outlast the containers of the attempt, {@link #close}, and a restart of the host. It
     * belongs to the user that commands run as. The next environment of the same attempt finds the files there; no other
     * attempt does. Removed by {@link #remove}.
     *
     * @return an absolute path in the executor's notation; empty unless the {@linkplain Workplace#equipment() equipment} asks
     *     for it
     */
    default Optional<String> stateDirectory() {
        return Optional.empty();
    }

    /**
     * Where programs see the sockets of the {@linkplain Workplace#equipment() equipment}.
     *
     * @return an absolute path in the executor's notation; empty when there are none, or sockets of this machine cannot be
     *     reached from there, as from an engine on another machine
     */
    default Optional<String> socketDirectory() {
        return Optional.empty();
    }

    /**
     * Where commands see the programs of the {@linkplain Workplace#equipment() equipment}, read-only.
     *
     * @return an absolute path in the executor's notation; empty when there are none, where commands run on this machine itself,
     *     and where its files cannot be seen, as on an engine on another machine
     */
    default Optional<String> programDirectory() {
        return Optional.empty();
    }

    /**
     * How programs reach servers of this machine in the phase that the environment is in.
     *
     * @return empty when they cannot, as without a network
     */
    default Optional<HostRoute> hostRoute() {
        return Optional.empty();
    }

    /**
     * Says which image the agent had chosen in an earlier life of the attempt, whose work goes on here. Called before {@link
     * #enter}, if at all; an image that is not there any more is no error: commands run in the project's own then.
     *
     * @param image the image's id, as a tool gave it
     */
    default void resume(String image) {}

    /**
     * Which services {@link #runFresh} starts from the files of a checkout, as far as the checkout has them.
     *
     * @return for people; empty when there are none
     */
    default String services() {
        return "";
    }

    /**
     * Runs commands whose result decides something, such as the project's tests. They see the checkout and nothing of what the
     * agent has left beside it: they run in a sandbox that is made for them and removed afterwards, with an empty home directory
     * and no process of anybody else. {@linkplain #services Services} that they reach are started for them from the files of the
     * checkout. Their result does not pass through anything that the agent's commands can reach. An environment that is no sandbox
     * gives them the checkout and an empty home directory, and can promise nothing more.
     *
     * @param <T> what comes of the commands
     * @param checkout a directory of this machine, absolute; nobody else writes there meanwhile
     * @param image the image to run them in, by its id: one that has passed its {@link #check}; null for the project's own. What
     *     the agent has chosen for itself alone does not count
     * @param commands is given an executor in the checkout; only its {@link Executor#run} need work
     * @return what the commands return
     * @throws io.maestro.error.MaestroException when the sandbox cannot be made
     */
    <T> T runFresh(Path checkout, @Nullable String image, Function<Executor, T> commands);

    /**
     * Checks an image that the agent wants the project to use from now on: whether it can be built from the files of a checkout,
     * starts, and can be worked in. What it runs to find that out, it runs as {@link #runFresh}.
     *
     * @param image the image's id, as a tool gave it
     * @param checkout a directory of this machine, absolute; nobody else writes there meanwhile
     * @return how it went; an environment without images finds nothing to check
     */
    default ImageCheck check(String image, Path checkout) {
        return new ImageCheck(true, image, "there is no container to check");
    }

    /**
     * Makes an image that was checked the project's own: new environments use it. Called when the story was merged; may be
     * called again after a crash.
     *
     * @param image {@link ImageCheck#image()}
     */
    default void adopt(String image) {}

    /**
     * Leaves the environment: ends what runs, and gives back containers, services and networks. The attempt may go on in another
     * environment, so its {@linkplain #stateDirectory state} and the images that it has chosen are kept. A second call does
     * nothing.
     */
    @Override
    void close();

    /**
     * Closes the environment and removes everything that the attempt has kept. Called instead of {@link #close} when the attempt
     * has ended, also where this environment was never {@linkplain #enter entered}; may be called after {@link #close}. Does
     * nothing to another attempt of the same agent. A second call does nothing.
     */
    void remove();
}
