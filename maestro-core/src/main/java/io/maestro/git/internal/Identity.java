package io.maestro.git.internal;

import org.eclipse.jgit.lib.PersonIdent;

/**
 * In whose name agents commit; {@code {AGENT_ID}} is replaced by the agent.
 *
 * @param name the name
 * @param email the address
 * @param signs whether commits are signed
 */
record Identity(String name, String email, boolean signs) {
    private static final String AGENT = "{AGENT_ID}";

    Committer of(String agentId) {
        return new Committer(new PersonIdent(name.replace(AGENT, agentId), email.replace(AGENT, agentId)), signs);
    }
}
