package io.maestro.docker.internal.sandbox;

import io.maestro.docker.ContainerRequest;
import io.maestro.docker.EnvironmentPassthrough;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a container's commands get of the host's variables. Values are told to nobody but them.
 *
 * @param variables by name
 * @param missing names that were asked for and that the host does not have
 * @param asksForToken whether a token for GitHub was to be handed over
 * @param token the token
 */
record PassedVariables(
        Map<String, String> variables, List<String> missing, boolean asksForToken, Optional<String> token) {
    private static final List<String> TOKENS = List.of("GH_TOKEN", "GITHUB_TOKEN");

    /**
     * Chooses.
     *
     * @param trusted whether anything is handed over where the request says nothing
     * @param patterns names of what is handed over then; the token for GitHub, too, only as {@code GH_TOKEN}
     */
    static PassedVariables of(ContainerRequest request, HostUser host, boolean trusted, Collection<String> patterns) {
        boolean asksForToken =
                request.gitHub().orElse(trusted && EnvironmentPassthrough.matches(TOKENS.get(0), patterns));
        EnvironmentPassthrough passed = request.passthrough()
                .filter(asked -> trusted || asked.isNamed())
                .orElse(trusted ? EnvironmentPassthrough.auto() : EnvironmentPassthrough.none());
        Map<String, String> variables = new TreeMap<>(passed.select(host.variables(), patterns));
        // A token that is a variable is handed over as a token, or by its name.
        if (!asksForToken && !passed.isNamed()) {
            TOKENS.forEach(variables::remove);
        }
        List<String> missing = passed.names().stream()
                .filter(name -> !host.variables().containsKey(name))
                .sorted()
                .toList();
        Optional<String> token = asksForToken ? host.gitHubToken() : Optional.empty();
        token.ifPresent(text -> TOKENS.forEach(name -> variables.put(name, text)));
        return new PassedVariables(variables, missing, asksForToken, token);
    }

    /** The names, for a label. */
    String names() {
        return String.join(",", variables.keySet());
    }

    /** How many, and never the values. */
    @Override
    public String toString() {
        return "Given[" + variables.size() + "]";
    }
}
