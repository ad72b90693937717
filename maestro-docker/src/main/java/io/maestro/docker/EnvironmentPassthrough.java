package io.maestro.docker;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which variables of the host's environment a container's commands get. What describes the host itself, or decides what
 * programs load and run, is never handed over unless it is {@linkplain #of named}, and some not even then. Immutable.
 */
public final class EnvironmentPassthrough {
    /** What {@link #auto} hands over unless a host says otherwise: keys and tokens of services, and proxies. */
    public static final List<String> PATTERNS = List.of(
            "*_API_KEY",
            "*_TOKEN",
            "ANTHROPIC_*",
            "OPENAI_*",
            "AZURE_OPENAI_*",
            "GOOGLE_*",
            "GEMINI_*",
            "OLLAMA_*",
            "MAESTRO_*",
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "NO_PROXY",
            "http_proxy",
            "https_proxy",
            "no_proxy");

    /** They describe the host's machine and session, and are wrong elsewhere. */
    private static final Set<String> NEVER = Set.of(
            "PATH",
            "HOME",
            "SHELL",
            "USER",
            "LOGNAME",
            "PWD",
            "OLDPWD",
            "TERM",
            "DISPLAY",
            "SHLVL",
            "HOSTNAME",
            "DBUS_SESSION_BUS_ADDRESS",
            "XDG_RUNTIME_DIR",
            "SSH_AUTH_SOCK",
            "SSH_CONNECTION",
            "SSH_CLIENT",
            "SSH_TTY",
            "LS_COLORS",
            "LANG",
            "LC_ALL",
            "TMPDIR",
            "MAIL",
            "_",
            "DOCKER_HOST",
            "DOCKER_CONTEXT",
            "DOCKER_CONFIG",
            "CONTAINER_HOST",
            "KUBECONFIG",
            "JAVA_HOME",
            "CLASSPATH");

    /** They make every program of a container run or load something: nobody means that. */
    private static final Pattern DANGEROUS =
            Pattern.compile("LD_.*|BASH_ENV|ENV|IFS|PS4|PROMPT_COMMAND|BASH_FUNC_.*|MAESTRO_EXEC_ID|MAESTRO_JOB_ID");

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private enum Mode {
        AUTO,
        ALL,
        NONE,
        NAMED
    }

    private static final EnvironmentPassthrough AUTO = new EnvironmentPassthrough(Mode.AUTO, Set.of());
    private static final EnvironmentPassthrough ALL = new EnvironmentPassthrough(Mode.ALL, Set.of());
    private static final EnvironmentPassthrough NONE = new EnvironmentPassthrough(Mode.NONE, Set.of());

    private final Mode mode;
    private final Set<String> names;

    private EnvironmentPassthrough(Mode mode, Set<String> names) {
        this.mode = mode;
        this.names = names;
    }

    /**
     * Those whose names match the patterns of {@link ContainerRules#passPatterns()}.
     *
     * @return the mode {@code auto}
     */
    public static EnvironmentPassthrough auto() {
        return AUTO;
    }

    /**
     * All but those that belong to the host's machine and session.
     *
     * @return the mode {@code all}
     */
    public static EnvironmentPassthrough all() {
        return ALL;
    }

    /**
     * None.
     *
     * @return the mode {@code none}
     */
    public static EnvironmentPassthrough none() {
        return NONE;
    }

    /**
     * Those of certain names; one that the host does not have is left out.
     *
     * @param names names of variables
     * @return a list of names
     * @throws IllegalArgumentException when one of them is no name, or one that no container is given
     */
    public static EnvironmentPassthrough of(Collection<String> names) {
        names.forEach(name -> {
            if (!NAME.matcher(name).matches() || DANGEROUS.matcher(name).matches()) {
                throw new IllegalArgumentException("'" + name + "' is no name of a variable that a container is given");
            }
        });
        return new EnvironmentPassthrough(Mode.NAMED, Set.copyOf(names));
    }

    /**
     * Whether variables are named, and not chosen by a rule.
     *
     * @return true for what {@link #of} made
     */
    public boolean isNamed() {
        return mode == Mode.NAMED;
    }

    /**
     * The names, where they were named.
     *
     * @return an unmodifiable set
     */
    public Set<String> names() {
        return names;
    }

    /**
     * Chooses from an environment.
     *
     * @param host the host's variables
     * @param patterns names with {@code *} for any characters, for {@link #auto}
     * @return those that a container's commands get, sorted by name
     */
    public Map<String, String> select(Map<String, String> host, Collection<String> patterns) {
        Map<String, String> chosen = new TreeMap<>();
        host.forEach((name, value) -> {
            if (NAME.matcher(name).matches() && isChosen(name, patterns)) {
                chosen.put(name, value);
            }
        });
        return chosen;
    }

    /**
     * Whether a variable decides what programs load and run, so that no container is given it.
     *
     * @param name a variable's name
     * @return true for example for {@code LD_PRELOAD}
     */
    public static boolean decidesWhatRuns(String name) {
        return DANGEROUS.matcher(name).matches() || name.equals("PATH");
    }

    private boolean isChosen(String name, Collection<String> patterns) {
        boolean general = !NEVER.contains(name) && !DANGEROUS.matcher(name).matches();
        return switch (mode) {
            case NONE -> false;
            case NAMED -> names.contains(name);
            case ALL -> general;
            case AUTO -> general && matches(name, patterns);
        };
    }

    /**
     * Whether a name matches one of some patterns.
     *
     * @param name a variable's name
     * @param patterns names with {@code *} for any characters
     * @return true when one matches all of it
     */
    public static boolean matches(String name, Collection<String> patterns) {
        return patterns.stream()
                .anyMatch(pattern -> name.matches(Pattern.quote(pattern).replace("*", "\\E.*\\Q")));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof EnvironmentPassthrough that && mode == that.mode && names.equals(that.names);
    }

    @Override
    public int hashCode() {
        return mode.hashCode() * 31 + names.hashCode();
    }

    /** The mode, or the names; never a value. */
    @Override
    public String toString() {
        return mode == Mode.NAMED
                ? new TreeSet<>(names).toString()
                : mode.name().toLowerCase(Locale.ROOT);
    }
}
