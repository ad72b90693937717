package io.maestro.agent.spi;

import io.maestro.agent.Agent;
import io.maestro.environment.Equipment;
import io.maestro.exec.Executor;
import io.maestro.llm.LlmClient;
import java.util.List;
import java.util.Optional;

/** Opens the agents of one program, for all coders of one Maestro. Safe for use by several threads. */
public interface AgentProvider extends AutoCloseable {
    /**
     * What the program needs in the environment of a coder beside the workspace. Asked before the environment is opened.
     *
     * @param agentId the coder, for example {@code coder-001}
     * @return the same for a coder each time, after a restart too
     */
    default Equipment equipment(String agentId) {
        return Equipment.NONE;
    }

    /**
     * Looks whether the program can be started, without asking a model. A part of {@code Maestro.check}.
     *
     * @param executor runs commands where agents run theirs; empty where that is a sandbox, which is made for a story only
     * @return what was found, for example {@code Claude Code 2.1.197 at /usr/bin/claude}; empty when nothing was looked at
     * @throws io.maestro.error.MaestroException when it cannot be used; the message says what to do
     */
    default Optional<String> check(Optional<Executor> executor) {
        return Optional.empty();
    }

    /**
     * The services that the program asks, so that a wrong address or key ends a story in SETUP, before one of them is paid. Only
     * {@link LlmClient#check} is called, there and in {@code Maestro.check}.
     *
     * @return the same each time; empty when none can be asked without paying
     */
    default List<LlmClient> services() {
        return List.of();
    }

    /**
     * Opens an agent: a coder in one state of one attempt, or one that works alone. Nothing is started yet.
     *
     * <p>Each task holds what the agent must be told: the answer to its question, the feedback of a review, why tests failed. It
     * is empty at first, when the {@linkplain AgentContext#assignment assignment} is all, and after a budget was granted. After a
     * task that was interrupted, by a kill of the host, too, it is given again and says so. After a question the program may go on
     * holding its call open; the next task then begins with the answer. What the result says of tokens, cost and calls is not
     * looked at: Maestro counts them.
     *
     * @param task what is to be done, and what the program may use for it
     * @return closed when the coder leaves the state other than for a question, and when the attempt ends
     */
    Agent open(AgentContext task);

    /** Ends what still runs. A second call does nothing. */
    @Override
    void close();
}
