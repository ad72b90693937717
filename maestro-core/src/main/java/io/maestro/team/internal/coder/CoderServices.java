package io.maestro.team.internal.coder;

import io.maestro.agent.Limits;
import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.builtin.internal.ProjectTests;
import io.maestro.environment.Environments;
import io.maestro.environment.Equipment;
import io.maestro.git.Forge;
import io.maestro.git.internal.GitRepository;
import io.maestro.llm.Usage;
import io.maestro.prompt.internal.Prompts;
import io.maestro.team.internal.architect.Effects;
import io.maestro.team.internal.dispatch.ServiceChecks;
import io.maestro.team.internal.dispatch.WorkspaceMarkers;
import io.maestro.team.internal.loop.AgentNotes;
import io.maestro.team.internal.machine.Events;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the work on stories needs.
 *
 * @param sessionId identifies this life of the Maestro
 * @param git the repository
 * @param targetBranch where work is merged into; null for the remote's own default
 * @param forge how work is merged
 * @param checks asks what a story needs before a model is paid
 * @param bell ends the waits for the forge
 * @param conventionalCommits whether commits have headers as Conventional Commits have them
 * @param prompts what commits and forges are told
 * @param environments where commands run
 * @param equipment what an agent needs there
 * @param markers whose work each workspace holds
 * @param workspaces the open ones, for tools that read them
 * @param driver works in PLANNING and CODING
 * @param effects asks the architect
 * @param tests the project's tests
 * @param notes the chat
 * @param limits what a story may cost
 * @param prices what tokens of a model cost in US dollars
 * @param store the record
 * @param redactor takes secrets out
 * @param events who watches
 */
public record CoderServices(
        String sessionId,
        GitRepository git,
        @Nullable String targetBranch,
        Forge forge,
        ServiceChecks checks,
        ForgeBell bell,
        boolean conventionalCommits,
        Prompts prompts,
        Environments environments,
        Function<String, Equipment> equipment,
        WorkspaceMarkers markers,
        Workspaces workspaces,
        CoderDriver driver,
        Effects effects,
        ProjectTests tests,
        AgentNotes notes,
        Limits limits,
        BiFunction<String, Usage, Optional<BigDecimal>> prices,
        Store store,
        Redactor redactor,
        Events events) {}
