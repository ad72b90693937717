package io.maestro.agent;

import io.maestro.llm.Usage;
import java.util.Optional;

/**
 * What an agent of a team is doing. Immutable: a snapshot of the moment when it was asked for.
 *
 * @param id for example {@code coder-001}
 * @param role {@code coder} or {@code architect}
 * @param storyId the story that it works on; the specification, where the architect works on that
 * @param state for example {@code CODING} or {@code ANSWERING}
 * @param model the model that was asked last; empty before the first request
 * @param lastCall the tool that was called last; empty before the first call
 * @param usage the tokens that it has used for the story in this session of the Maestro
 */
public record AgentStatus(
        String id,
        String role,
        String storyId,
        String state,
        Optional<String> model,
        Optional<String> lastCall,
        Usage usage) {}
