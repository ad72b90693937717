package io.maestro.git.internal;

import io.maestro.git.GitException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the real repository is. Credentials in an HTTP URL are taken out of it, so that they stand in no command line, no
 * config file and no message; git gets them through its environment.
 */
final class RemoteUrl {
    private static final Set<String> SCHEMES = Set.of("http", "https", "ssh", "git", "file", "git+ssh", "ssh+git");
    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://(.*)", Pattern.DOTALL);
    private static final Pattern HELPER = Pattern.compile("[A-Za-z0-9+.-]+::.*", Pattern.DOTALL);

    /** A host, and a port when there is one. */
    private static final Pattern PORT = Pattern.compile("(?:\\[[^]]*]|[^:]*)(?::\\d*)?");

    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+");
    private static final Pattern QUERY = Pattern.compile("\\?[^=]+=");

    /** A URL with too few slashes, and a password in host:path. */
    private static final Pattern BROKEN =
            Pattern.compile("(?i:https?):.*|[^/:]*:(?:/*[^/]*@|.*@[^/@]*:).*", Pattern.DOTALL);

    /** What a redactor takes. */
    private static final int SHORTEST_PASSWORD = 6;

    /** A user name that long is a token: {@code https://TOKEN@host/}. */
    private static final int SHORTEST_TOKEN = 20;

    private static final Pattern USER_INFO = Pattern.compile("://[^\\s/'\"]*@");

    /** Answers git's question for a password from the environment; the text itself holds no secret. */
    private static final String CREDENTIAL_HELPER =
            "!f() { test \"$1\" = get && printf 'username=%s\\npassword=%s\\n' \"$MAESTRO_GIT_USERNAME\""
                    + " \"$MAESTRO_GIT_PASSWORD\"; }; f";

    private final String url;
    private final @Nullable String username;
    private final @Nullable String password;
    private final @Nullable Path localPath;

    private RemoteUrl(String url, @Nullable String username, @Nullable String password, @Nullable Path localPath) {
        this.url = url;
        this.username = username;
        this.password = password;
        this.localPath = localPath;
    }

    /** @param text blanks around it do not count */
    static RemoteUrl parse(String text) {
        String given = text.strip();
        if (given.isEmpty()) {
            throw new GitException("no repository was given: name its URL or path", null);
        }
        if (given.chars().anyMatch(Character::isISOControl) || given.startsWith("-")) {
            throw refused(given, "it starts with '-' or has a control character");
        }
        if (HELPER.matcher(given).matches()) {
            throw refused(given, "the transport <helper>:: runs a program");
        }
        Matcher matcher = SCHEME.matcher(given);
        if (matcher.matches()) {
            return parseUrl(given, matcher.group(1).toLowerCase(Locale.ROOT), matcher.group(2));
        }
        return parsePath(given);
    }

    private static RemoteUrl parseUrl(String given, String scheme, String rest) {
        if (!SCHEMES.contains(scheme)) {
            throw refused(given, "use one of " + SCHEMES.stream().sorted().toList());
        }
        if (scheme.equals("file")) {
            return new RemoteUrl(given, null, null, Path.of(decode(rest)).toAbsolutePath());
        }
        int slash = rest.indexOf('/');
        String authority = slash < 0 ? rest : rest.substring(0, slash);
        String path = slash < 0 ? "" : rest.substring(slash);
        int at = authority.lastIndexOf('@');
        String host = authority.substring(at + 1);
        if (host.isEmpty() || host.startsWith("-")) {
            throw refused(given, "it names no host");
        }
        if (!PORT.matcher(host).matches()) {
            throw refused(given, "its port is no number; '/' in a password is written %2F");
        }
        if (scheme.startsWith("http") && QUERY.matcher(path).find()) {
            throw refused(
                    scheme + "://" + host,
                    "git has no use for a query; give credentials as https://user:password@host/");
        }
        if (at < 0) {
            return new RemoteUrl(given, null, null, null);
        }
        String[] userInfo = authority.substring(0, at).split(":", 2);
        if (!scheme.startsWith("http")) {
            // The name is needed (git@); a password is of no use to ssh.
            return new RemoteUrl(scheme + "://" + userInfo[0] + "@" + host + path, null, null, null);
        }
        return new RemoteUrl(
                scheme + "://" + host + path,
                decode(userInfo[0]),
                userInfo.length == 2 ? decode(userInfo[1]) : null,
                null);
    }

    /** As git does: what has a colon before its first slash is host:path, unless it exists here. */
    private static RemoteUrl parsePath(String given) {
        int colon = given.indexOf(':');
        int slash = given.indexOf('/');
        boolean looksRemote = colon >= 0 && (slash < 0 || colon < slash);
        Path path;
        try {
            path = Path.of(given).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw refused(given, "it is not a path");
        }
        if (looksRemote && !Files.exists(path)) {
            if (BROKEN.matcher(given).matches()) {
                throw refused(given, "it looks like a URL with a password; write https://user:password@host/path");
            }
            return new RemoteUrl(given, null, null, null);
        }
        return new RemoteUrl(path.toString(), null, null, path);
    }

    /**
     * A name for its mirror: the last part of the URL, for people, and a hash of all of it, since two repositories may end in the
     * same.
     */
    String mirrorName() {
        String path = url.replaceAll("[/\\\\]+$", "").replaceAll("(/|\\\\)?\\.git$", "");
        String last = path.substring(
                Math.max(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')), path.lastIndexOf(':')) + 1);
        String name = last.replaceAll("[^A-Za-z0-9_-]+", "-").replaceAll("^-+|-+$", "");
        if (name.length() > 60) {
            name = name.substring(0, 60);
        }
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(url.getBytes(StandardCharsets.UTF_8));
            return (name.isEmpty() ? "repository" : name) + "-" + HexFormat.of().formatHex(hash, 0, 4) + ".git";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // A percent sign that encodes nothing means itself, as for git. Not its message: it quotes the password.
            return text;
        }
    }

    /** Shows the scheme and the host only: a password may be anywhere. */
    private static GitException refused(String given, String why) {
        Matcher url = SCHEME.matcher(given);
        String shown = "";
        if (url.matches()) {
            Matcher host = HOST.matcher(url.group(2).substring(url.group(2).lastIndexOf('@') + 1));
            shown = " '" + url.group(1) + "://" + (host.lookingAt() ? host.group() : "") + "'";
        }
        return new GitException("the repository" + shown + " is refused: " + why, null);
    }

    /** What git is given and what may be shown: without credentials. */
    String url() {
        return url;
    }

    /** Where the repository lies when it is on this machine. */
    Optional<Path> localPath() {
        return Optional.ofNullable(localPath);
    }

    /** Config entries (in order, as git's GIT_CONFIG_KEY_n and VALUE_n) that hand the credentials to git. */
    Map<String, String> environment(Map<String, String> inherited) {
        Map<String, String> environment = new HashMap<>();
        if (username == null) {
            return environment;
        }
        int slash = url.indexOf('/', url.indexOf("://") + 3);
        String section = "credential." + (slash < 0 ? url : url.substring(0, slash));
        int count = count(inherited);
        if (password == null) {
            entry(environment, count++, section + ".username", username);
        } else {
            // The empty entry forgets helpers configured before: they shall not store what is passed here.
            entry(environment, count++, section + ".helper", "");
            entry(environment, count++, section + ".helper", CREDENTIAL_HELPER);
            environment.put("MAESTRO_GIT_USERNAME", username);
            environment.put("MAESTRO_GIT_PASSWORD", password);
        }
        environment.put("GIT_CONFIG_COUNT", Integer.toString(count));
        return environment;
    }

    private static int count(Map<String, String> inherited) {
        try {
            return Integer.parseInt(
                    inherited.getOrDefault("GIT_CONFIG_COUNT", "0").strip());
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static void entry(Map<String, String> environment, int index, String key, String value) {
        environment.put("GIT_CONFIG_KEY_" + index, key);
        environment.put("GIT_CONFIG_VALUE_" + index, value);
    }

    /** What a redactor is told: the password, or a user name that is a token; not one that is too short to be redacted. */
    List<String> secrets() {
        if (password != null) {
            return password.strip().length() >= SHORTEST_PASSWORD ? List.of(password) : List.of();
        }
        return username != null && username.length() >= SHORTEST_TOKEN ? List.of(username) : List.of();
    }

    /** Takes what may be a credential out of a text that git printed. */
    String mask(String text) {
        String masked = maskUserInfo(text);
        if (password != null && password.length() >= 4) {
            masked = masked.replace(password, "***");
        } else if (password == null && username != null && username.length() >= SHORTEST_TOKEN) {
            masked = masked.replace(username, "***");
        }
        return masked;
    }

    static String maskUserInfo(String text) {
        return USER_INFO.matcher(text).replaceAll("://***@");
    }

    @Override
    public String toString() {
        return url;
    }
}
