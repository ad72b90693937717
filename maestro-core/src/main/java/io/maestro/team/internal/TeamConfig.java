package io.maestro.team.internal;

import io.maestro.agent.Limits;
import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.builtin.internal.ProjectTests;
import io.maestro.environment.Environments;
import io.maestro.event.MaestroListener;
import io.maestro.git.Forge;
import io.maestro.git.internal.GitRepository;
import io.maestro.instructions.internal.RepositoryInstructions;
import io.maestro.llm.LlmClient;
import io.maestro.llm.PriceTable;
import io.maestro.prompt.internal.Prompts;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRegistry;
import io.maestro.team.internal.architect.Architects;
import io.maestro.team.internal.program.CoderProgram;
import io.maestro.telemetry.Telemetry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a team is made of; put together by the builder of Maestro.
 *
 * @param sessionId identifies this life of the Maestro
 * @param git the repository
 * @param targetBranch where work is merged into; null for the remote's own default
 * @param forge how work is merged
 * @param coderModel the coders' model; null where a program works in its place
 * @param coderProgram the program that works in PLANNING and CODING; null for the model
 * @param architectModel the architect's model
 * @param architects who decides on what
 * @param maxCoders how many stories run at the same time
 * @param registry the tools
 * @param services what the host gives to its tools
 * @param policies the host's say in calls of tools
 * @param environments where agents' commands run; the team closes them
 * @param tests prepares checkouts and runs the project's tests
 * @param store the record
 * @param sharesStore whether other processes may use the record at the same time
 * @param redactor takes secrets out
 * @param listeners who watches
 * @param limits what a story may cost
 * @param leaseTime how long a story that nobody sees to any more is left alone
 * @param prices what models cost
 * @param temperatures the models' temperature by the state of the agent; without one, the vendor's default
 * @param conventionalCommits whether commits have headers as Conventional Commits have them
 * @param prompts what models are told
 * @param instructions what the repository tells them
 * @param telemetry who traces what is done
 */
public record TeamConfig(
        String sessionId,
        GitRepository git,
        @Nullable String targetBranch,
        Forge forge,
        @Nullable LlmClient coderModel,
        @Nullable CoderProgram coderProgram,
        LlmClient architectModel,
        Architects architects,
        int maxCoders,
        ToolRegistry registry,
        Map<Class<?>, Object> services,
        List<ToolPolicy> policies,
        Environments environments,
        ProjectTests tests,
        Store store,
        boolean sharesStore,
        Redactor redactor,
        List<MaestroListener> listeners,
        Limits limits,

        Duration leaseTime,
        PriceTable prices,
        Map<String, Double> temperatures,
        boolean conventionalCommits,
        Prompts prompts,
        RepositoryInstructions instructions,
        Telemetry telemetry) {}
