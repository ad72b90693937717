package io.maestro.git.github.internal;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which repository of which GitHub.
 *
 * @param host the server's name, in small letters
 * @param owner a user or an organization
 * @param name without {@code .git}
 */
public record RepositoryName(String host, String owner, String name) {
    private static final String PART = "([A-Za-z0-9_.-]{1,100})";
    private static final Pattern OWNER_AND_NAME = Pattern.compile(PART + "/" + PART);
    private static final Pattern URL =
            Pattern.compile("(?:https?|ssh|git|git\\+ssh|ssh\\+git)://(?:[^/@]*@)?([A-Za-z0-9.-]+)(?::\\d+)?/+" + PART
                    + "/" + PART + "/?");
    private static final Pattern SCP = Pattern.compile("(?:[^/@:]+@)?([A-Za-z0-9.-]+):/?" + PART + "/" + PART + "/?");

    /**
     * Reads the URL that git uses.
     *
     * @param remote may hold credentials, which are left out
     * @return empty when it is no URL of a repository on a server
     */
    public static Optional<RepositoryName> ofUrl(String remote) {
        Matcher url = URL.matcher(remote);
        Matcher matcher = url.matches() ? url : SCP.matcher(remote);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String host = matcher.group(1).toLowerCase(Locale.ROOT);
        // Where port 22 is closed, ssh goes to another host of the same service.
        return of(host.equals("ssh.github.com") ? "github.com" : host, matcher.group(2), matcher.group(3));
    }

    /**
     * Reads {@code owner/name}.
     *
     * @param host the server's name
     * @param text owner and name
     * @return empty when it has another form
     */
    public static Optional<RepositoryName> of(String host, String text) {
        Matcher matcher = OWNER_AND_NAME.matcher(text);
        return matcher.matches() ? of(host, matcher.group(1), matcher.group(2)) : Optional.empty();
    }

    private static Optional<RepositoryName> of(String host, String owner, String name) {
        String plain = name.endsWith(".git") ? name.substring(0, name.length() - 4) : name;
        boolean path = plain.isEmpty() || plain.equals(".") || plain.equals("..") || owner.startsWith(".");
        return path ? Optional.empty() : Optional.of(new RepositoryName(host, owner, plain));
    }

    /** The path of its resources in the API. */
    String path() {
        return "/repos/" + owner + "/" + name;
    }

    @Override
    public String toString() {
        return owner + "/" + name;
    }
}
