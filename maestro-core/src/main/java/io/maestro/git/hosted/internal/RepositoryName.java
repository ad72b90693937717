package io.maestro.git.hosted.internal;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which repository of which server.
 *
 * @param host the server's name, in small letters
 * @param owner a user, an organization, or a group, which may be in other groups: {@code group/subgroup}
 * @param name without {@code .git}
 */
public record RepositoryName(String host, String owner, String name) {
    private static final String PART = "[A-Za-z0-9_.-]{1,100}";
    private static final Pattern PATH = Pattern.compile("(" + PART + "(?:/" + PART + "){0,19})/(" + PART + ")");
    private static final Pattern URL = Pattern.compile(
            "(?:https?|ssh|git|git\\+ssh|ssh\\+git)://(?:[^/@]*@)?([A-Za-z0-9.-]+)(?::\\d+)?/+([^?#]+?)/?");
    private static final Pattern SCP = Pattern.compile("(?:[^/@:]+@)?([A-Za-z0-9.-]+):/?([^?#]+?)/?");

    /**
     * Reads the URL that git uses.
     *
     * @param remote may hold credentials, which are left out
     * @param nests whether groups can be in groups
     * @return empty when it is no URL of a repository on a server
     */
    public static Optional<RepositoryName> ofUrl(String remote, boolean nests) {
        Matcher url = URL.matcher(remote);
        Matcher matcher = url.matches() ? url : SCP.matcher(remote);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String host = matcher.group(1).toLowerCase(Locale.ROOT);
        return of(withoutSsh(host), matcher.group(2), nests);
    }

    /** Where port 22 is closed, ssh goes to another host of the same service. */
    private static String withoutSsh(String host) {
        return host.equals("ssh.github.com") || host.equals("altssh.gitlab.com")
                ? host.substring(host.indexOf('.') + 1)
                : host;
    }

    /**
     * Reads {@code owner/name}.
     *
     * @param host the server's name
     * @param text owner and name
     * @param nests whether groups can be in groups
     * @return empty when it has another form
     */
    public static Optional<RepositoryName> of(String host, String text, boolean nests) {
        Matcher matcher = PATH.matcher(text);
        if (!matcher.matches() || !nests && matcher.group(1).contains("/")) {
            return Optional.empty();
        }
        String owner = matcher.group(1);
        String name = matcher.group(2);
        String plain = name.endsWith(".git") ? name.substring(0, name.length() - 4) : name;
        boolean path = plain.isEmpty() || plain.equals(".") || plain.equals("..") || ("/" + owner).contains("/.");
        return path ? Optional.empty() : Optional.of(new RepositoryName(host, owner, plain));
    }

    @Override
    public String toString() {
        return owner + "/" + name;
    }
}
