package io.maestro.docker;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A repository that is cloned into a container.
 *
 * @param url what {@code git clone} takes: https, ssh or git
 * @param path where to, absolute; null for its name below the working directory
 * @param install a line for the shell, run there afterwards as root; null for none
 */
public record ClonedRepository(
        String url, @Nullable String path, @Nullable String install) {
    private static final Pattern URL = Pattern.compile(
            "(https?|ssh|git|file)://[^\\s\\p{Cntrl}]+|[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[^\\s\\p{Cntrl}]+");

    /**
     * Checks them.
     *
     * @param url where it is
     * @param path where it goes
     * @param install what is run
     * @throws IllegalArgumentException when the URL has another protocol, or holds a password
     */
    public ClonedRepository {
        requireUrl(url);
        if (path != null) {
            ContainerRequest.requirePath("the path of a repository", path);
        }
    }

    static void requireUrl(String url) {
        if (!URL.matcher(url).matches() || url.length() > 2048) {
            throw new IllegalArgumentException(
                    "'" + (url.length() > 200 ? url.substring(0, 200) + "…" : url.replaceAll("\\p{Cntrl}", "?"))
                            + "' is no URL of a repository: https, http, ssh and git are known");
        }
        if (url.matches("[a-z]+://[^/@]*:[^/@]*@.*")) {
            throw new IllegalArgumentException("a URL of a repository must not hold a password, since it is shown"
                    + " everywhere; forward a token or the SSH agent instead");
        }
    }

    /**
     * What it is called.
     *
     * @return the last part of the URL, without {@code .git}
     */
    public String name() {
        String end = url.replaceAll("[?#].*", "").replaceAll("/+$", "").replaceAll(".*[/:]", "");
        String plain = end.replaceAll("\\.git$", "").replaceAll("[^A-Za-z0-9._-]", "-");
        return plain.matches("[.]*") ? "repository" : plain;
    }
}
