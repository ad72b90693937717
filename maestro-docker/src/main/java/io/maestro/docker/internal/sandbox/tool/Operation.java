package io.maestro.docker.internal.sandbox.tool;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What the tool does, and what each of it takes. */
@SuppressWarnings("ImmutableEnumChecker") // Nobody changes the sets.
enum Operation {
    PREFLIGHT("checks whether containers can be made, and says what to do where not", List.of(), List.of()),
    GUIDE("gives the long guide to this tool", List.of(), List.of()),
    CREATE(
            "makes a container and provides it",
            List.of(),
            List.of(
                    "name",
                    "purpose",
                    "image",
                    "repo_url",
                    "workdir",
                    "mount_cwd",
                    "mounts",
                    "ports",
                    "env",
                    "env_passthrough",
                    "forward_git",
                    "forward_gh",
                    "forward_ssh",
                    "dotfiles_repo",
                    "dotfiles_inline",
                    "repos",
                    "config_files",
                    "setup_commands",
                    "compose_content",
                    "compose_file",
                    "run_image",
                    "memory_limit",
                    "cpu_limit",
                    "pids_limit",
                    "network",
                    "hosts",
                    "user",
                    "persistent",
                    "gpu",
                    "privileged",
                    "cache_bust")),
    EXEC("runs a command", List.of("container", "command"), List.of("timeout", "workdir", "as_root")),
    EXEC_INTERACTIVE_HINT("gives the line by which a person gets a shell", List.of("container"), List.of()),
    EXEC_BACKGROUND("starts a command that goes on by itself", List.of("container", "command"), List.of("as_root")),
    EXEC_POLL("looks at such a command", List.of("container", "job_id"), List.of("offset")),
    EXEC_CANCEL("ends such a command", List.of("container", "job_id"), List.of()),
    LIST("lists containers, networks and snapshots", List.of(), List.of()),
    STATUS("says what is known of a container", List.of("container"), List.of("health_check")),
    DESTROY("removes a container", List.of("container"), List.of()),
    DESTROY_ALL("removes all containers", List.of("confirm"), List.of()),
    COPY_IN("copies from the host", List.of("container", "host_path", "container_path"), List.of()),
    COPY_OUT("copies to the host", List.of("container", "container_path", "host_path"), List.of()),
    SNAPSHOT("makes an image of a container's files", List.of("container", "name"), List.of()),
    RESTORE(
            "makes a container from a snapshot",
            List.of("snapshot"),
            List.of("name", "env", "env_passthrough", "network", "ports", "workdir", "mount_cwd", "persistent")),
    CREATE_NETWORK("makes a network in which containers find each other by name", List.of("name"), List.of("internal")),
    DESTROY_NETWORK("removes a network", List.of("name"), List.of()),
    ADD_HOSTS("adds names that a container resolves", List.of("container", "hosts"), List.of()),
    WAIT_HEALTHY(
            "waits until a command succeeds", List.of("container", "health_command"), List.of("interval", "retries")),
    CACHE_CLEAR("removes images and caches of purposes", List.of(), List.of("purpose"));

    private final String does;
    private final Set<String> required;
    private final Set<String> all;

    Operation(String does, List<String> required, List<String> optional) {
        this.does = does;
        this.required = new LinkedHashSet<>(required);
        this.all = new LinkedHashSet<>(required);
        this.all.addAll(optional);
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    String does() {
        return does;
    }

    Set<String> all() {
        return all;
    }

    static String[] words() {
        return Arrays.stream(values()).map(Operation::word).toArray(String[]::new);
    }

    static Operation of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** Which operations take a parameter, for its description. */
    static String takers(String parameter) {
        return String.join(
                ", ",
                Arrays.stream(values())
                        .filter(operation -> operation.all.contains(parameter))
                        .map(Operation::word)
                        .toList());
    }

    /**
     * Refuses what does not belong to the operation.
     *
     * @throws IllegalArgumentException with a message that names the operation
     */
    void require(Map<String, Object> given) {
        Set<String> names = new TreeSet<>(given.keySet());
        names.remove("operation");
        Set<String> strange = new TreeSet<>(names);
        strange.removeAll(all);
        Set<String> missing = new LinkedHashSet<>(required);
        missing.removeAll(names);
        if (!strange.isEmpty() || !missing.isEmpty()) {
            throw new IllegalArgumentException("the operation '" + word() + "' "
                    + (missing.isEmpty() ? "" : "needs " + String.join(", ", missing))
                    + (missing.isEmpty() || strange.isEmpty() ? "" : " and ")
                    + (strange.isEmpty() ? "" : "does not take " + String.join(", ", strange))
                    + "; it takes " + (all.isEmpty() ? "nothing more" : described()));
        }
    }

    private String described() {
        return String.join(
                ", ",
                all.stream()
                        .map(name -> required.contains(name) ? name + " (needed)" : name)
                        .toList());
    }
}
