package io.maestro.docker.internal.sandbox.devcontainer;

import java.util.ArrayList;
import java.util.List;

/** Paths that a file of a repository names. Only the texts are looked at: symbolic links are left to whoever opens the file. */
final class RepositoryPath {
    /** The root of the repository. */
    static final String ROOT = ".";

    private static final int LONGEST = 1_000;

    private RepositoryPath() {}

    /**
     * Resolves a path and keeps it inside the repository.
     *
     * @param directory from the root, with {@code /}, without {@code ..}; {@link #ROOT} for the root itself
     * @param path relative to the directory; {@code ..} may lead up to the root
     * @return from the root, normalised, with {@code /}; {@link #ROOT} for the root itself
     * @throws IllegalArgumentException when it leads out of the root, is absolute or empty, has more than 1,000 characters, or
     *     could be taken for something else than a path; the message says what and does not repeat the path
     */
    static String resolve(String directory, String path) {
        if (path.isBlank() || path.length() > LONGEST) {
            throw new IllegalArgumentException("is no path: it has 1 to " + LONGEST + " characters");
        }
        if (path.chars().anyMatch(c -> Character.isISOControl(c) || c == '\\' || c == ':')) {
            throw new IllegalArgumentException("holds a control character, '\\' or ':'; write the path with '/'");
        }
        if (path.startsWith("/")) {
            throw new IllegalArgumentException("is an absolute path; name it relative to the devcontainer.json");
        }
        List<String> parts = new ArrayList<>();
        for (String part : (directory + "/" + path).split("/", -1)) {
            if (part.equals("..")) {
                if (parts.isEmpty()) {
                    throw new IllegalArgumentException("leads out of the repository");
                }
                parts.remove(parts.size() - 1);
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        String result = parts.isEmpty() ? ROOT : String.join("/", parts);
        // A client could take it for an option.
        if (result.startsWith("-")) {
            throw new IllegalArgumentException("begins with '-'; rename the file");
        }
        return result;
    }
}
