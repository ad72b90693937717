package io.maestro;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells which URLs lead to the same repository: those with the same host and path, whatever the protocol and the user, and
 * paths to the same directory of this machine.
 */
final class RepositoryIdentity {
    private static final Pattern URL = Pattern.compile("([a-z+]+)://(?:[^/@]*@)?([^/:]*)(?::(\\d*))?(/.*)?");

    /** As git has it: a colon before the first slash. */
    private static final Pattern SCP = Pattern.compile("(?:[^/@:]*@)?([^/:]+):(.*)");

    private static final Map<String, String> PORTS = Map.of("http", "80", "https", "443", "ssh", "22", "git", "9418");

    private RepositoryIdentity() {}

    /**
     * Names a repository.
     *
     * @param url without a password
     * @return the same for each URL of a repository
     */
    static String of(String url) {
        String plain =
                url.strip().replaceFirst("/+$", "").replaceFirst("\\.git$", "").replaceFirst("/+$", "");
        Matcher matcher = URL.matcher(plain);
        if (matcher.matches()) {
            String scheme = matcher.group(1).replaceFirst("^git\\+|\\+git$", "");
            String path = matcher.group(4) == null ? "" : matcher.group(4);
            if (scheme.equals("file")) {
                return local(path, url);
            }
            String port = matcher.group(3);
            boolean usual = port == null || port.isEmpty() || port.equals(PORTS.get(scheme));
            return remote(matcher.group(2) + (usual ? "" : ":" + port), path);
        }
        Matcher scp = SCP.matcher(plain);
        if (scp.matches() && !Files.exists(Path.of(url))) {
            return remote(scp.group(1), scp.group(2));
        }
        return local(plain, url);
    }

    private static String remote(String host, String path) {
        return host.toLowerCase(Locale.ROOT) + "/" + path.replaceFirst("^/+", "");
    }

    /** By the real directory, as long as it is there. */
    private static String local(String plain, String url) {
        for (String path : new String[] {plain, plain + ".git"}) {
            try {
                return Path.of(path).toRealPath().toString().replaceFirst("\\.git$", "");
            } catch (IOException e) {
                // Not there, or not any more.
            } catch (InvalidPathException e) {
                return url;
            }
        }
        return Path.of(plain).toAbsolutePath().normalize().toString();
    }
}
