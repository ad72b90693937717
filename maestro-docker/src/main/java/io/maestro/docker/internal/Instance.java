package io.maestro.docker.internal;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Whose containers, volumes, networks and images these are. Immutable.
 *
 * @param id the same in each life of a project directory; 16 lower-case hexadecimal digits
 * @param sessionId this life
 * @param project the project directory, absolute
 */
public record Instance(String id, String sessionId, Path project) {
    private static final Pattern AGENT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");
    private static final SecureRandom RANDOM = new SecureRandom();

    /** The labels of everything that it makes. */
    public Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put(Labels.INSTANCE, id);
        labels.put(Labels.SESSION, sessionId);
        labels.put(Labels.PROJECT, project.toString());
        return labels;
    }

    /** A name that nothing else has, for example {@code maestro-1f2e3d4c-coder-001-coding-9a8b7c}. */
    public String uniqueName(String agentId, String role) {
        return "maestro-" + id.substring(0, 8) + "-" + checked(agentId) + "-" + role + "-" + randomHex(3);
    }

    /**
     * The name of an agent's volume that outlives a life, so that the next one finds it, for example {@code
     * maestro-1f2e3d4c5b6a7988-coder-001-state}.
     */
    public String lastingName(String agentId, String role) {
        return "maestro-" + id + "-" + checked(agentId) + "-" + role;
    }

    private static String checked(String agentId) {
        if (!AGENT.matcher(agentId).matches()) {
            throw new IllegalArgumentException(
                    "the id of an agent has letters, digits and _.- and at most 64 of them, is '" + agentId + "'");
        }
        return agentId;
    }

    /** A new id. */
    public static String newId() {
        return randomHex(8);
    }

    private static String randomHex(int bytes) {
        byte[] random = new byte[bytes];
        RANDOM.nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
