package io.maestro.docker.internal.sandbox;

import io.maestro.docker.ClonedRepository;
import io.maestro.docker.ContainerRequest;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.ProvisioningReport.StepStatus;
import io.maestro.docker.internal.sandbox.Steps.Outcome;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts into a new container what its request asks for, in a fixed order. Set-up commands run as root, and features of a tried
 * repository; whatever else a repository brings runs as the container's user. For one container.
 */
final class Provisioner {
    private static final Duration CLONE = Duration.ofMinutes(5);
    private static final Duration COMMAND = Duration.ofMinutes(10);

    private static final List<String> INSTALLERS =
            List.of("install.sh", "setup.sh", "bootstrap.sh", "install", "setup");

    /** Everything that begins with a dot, but for git's own; what is there already is kept beside it. */
    private static final String LINK = """
            for file in "$1"/.[!.]*; do
                name=${file##*/}
                case "$name" in .git|.gitignore|.gitmodules|.github) continue ;; esac
                [ -e "$file" ] || continue
                if [ -e "$HOME/$name" ] && [ ! -L "$HOME/$name" ]; then mv "$HOME/$name" "$HOME/$name.before" || exit; fi
                ln -sfn "$file" "$HOME/$name" || exit
            done
            """;

    private final ContainerRequest request;
    private final HostUser host;
    private final boolean trusted;
    private final Who who;
    private final DockerExecutor root;
    private final ContainerFiles files;
    private final @Nullable TriedRepository tried;
    private final PassedVariables given;
    private final Map<String, String> variables = new TreeMap<>();
    private @Nullable DockerExecutor user;

    /** Whose commands run in the container: {@code uid:gid}, and the home directory. */
    record Who(String user, String home) {}

    /**
     * @param trusted whether the host's identity and variables are handed over where the request says nothing
     * @param root runs commands as root
     * @param tried what the container is made to try; null for nothing
     * @param given what the host hands over
     */
    Provisioner(
            ContainerRequest request,
            HostUser host,
            boolean trusted,
            Who who,
            DockerExecutor root,
            ContainerFiles files,
            @Nullable TriedRepository tried,
            PassedVariables given) {
        this.given = given;
        this.tried = tried;
        this.request = request;
        this.host = host;
        this.trusted = trusted;
        this.who = who;
        this.root = root;
        this.files = files;
    }

    /** The variables of the container's commands, complete when the steps have run. */
    Map<String, String> variables() {
        return new LinkedHashMap<>(variables);
    }

    /**
     * Runs all steps.
     *
     * @param commands makes an executor of the container's user, with its variables, once they are known
     * @return that executor
     */
    DockerExecutor run(Steps steps, Function<Map<String, String>, DockerExecutor> commands) {
        List<String> secrets = new ArrayList<>(given.variables().values());
        secrets.addAll(request.environment().values());
        steps.conceal(secrets);
        steps.run("environment", this::environment);
        DockerExecutor made = commands.apply(variables());
        user = made;
        steps.run("forward_git", this::git);
        steps.run("forward_gh", this::gitHub);
        steps.run("forward_ssh", this::ssh);
        steps.run("dotfiles", this::dotfiles);
        steps.run("repos", this::repositories);
        TriedRepository repository = tried;
        if (repository != null) {
            steps.run("try_repo", () -> repository.setUp(made, root, variables()));
        }
        steps.run("config_files", this::configFiles);
        steps.run("setup_commands", this::setUp);
        return made;
    }

    private DockerExecutor user() {
        return Objects.requireNonNull(user);
    }

    /** What commands get: of the host, of what is tried, and what the request says, which counts more. */
    private Map<String, String> all() {
        Map<String, String> all = new TreeMap<>();
        if (tried != null) {
            all.putAll(tried.variables());
        }
        all.putAll(given.variables());
        all.putAll(request.environment());
        all.putIfAbsent("HOME", who.home());
        if (request.ssh() && host.sshAgent().isPresent()) {
            all.put("SSH_AUTH_SOCK", SshAgent.TARGET);
        }
        return all;
    }

    private Outcome environment() {
        variables.putAll(all());
        Variables.write(root, who.user(), variables);
        String detail = variables.size() + " variables: " + String.join(", ", variables.keySet());
        return given.missing().isEmpty()
                ? Outcome.success(detail)
                : new Outcome(
                        StepStatus.PARTIAL,
                        detail,
                        "the host has no variables of these names: " + String.join(", ", given.missing()));
    }

    private Outcome git() {
        boolean withToken = given.token().isPresent();
        if (!request.git().orElse(trusted)) {
            return Outcome.skipped(trusted ? "not asked for" : "not handed over for this purpose unless asked for");
        }
        Optional<String> name = host.git("user.name");
        Optional<String> email = host.git("user.email");
        if (name.isEmpty() && email.isEmpty() && request.git().isEmpty() && !withToken) {
            return Outcome.skipped("the host's git has no user.name and no user.email");
        }
        // A copy of the host's file would break by what it includes, runs and trusts.
        StringBuilder text = new StringBuilder("[user]\n");
        name.ifPresent(
                value -> text.append("\tname = ").append(gitQuoted(value)).append('\n'));
        email.ifPresent(
                value -> text.append("\temail = ").append(gitQuoted(value)).append('\n'));
        text.append("[safe]\n\tdirectory = ")
                .append(gitQuoted(request.workingDirectory()))
                .append('\n');
        if (withToken) {
            // Read where it is used: no file has the token.
            text.append("[credential \"https://github.com\"]\n\thelper = \"!f() { test \\\"$1\\\" = get && echo"
                    + " username=x-access-token && echo \\\"password=$GH_TOKEN\\\"; }; f\"\n");
        }
        files.write(
                Map.of(who.home() + "/.gitconfig", text.toString().getBytes(StandardCharsets.UTF_8)), who.user(), 0644);
        Optional<byte[]> known = host.knownHosts();
        // Wherever the home directory of the user is that an image has for the same number.
        known.ifPresent(bytes -> files.write(Map.of("/etc/ssh/ssh_known_hosts", bytes), "0:0", 0644));
        String detail = "user.name " + name.map(value -> "'" + value + "'").orElse("is not set") + ", user.email "
                + email.map(value -> "'" + value + "'").orElse("is not set")
                + known.map(bytes -> ", and the keys of the servers that the host knows")
                        .orElse("");
        return name.isPresent() && email.isPresent()
                ? Outcome.success(detail)
                : new Outcome(
                        StepStatus.PARTIAL,
                        detail,
                        "set it on the host: git config --global user.name …; git config --global user.email …");
    }

    private static String gitQuoted(String value) {
        return "\"" + value.replaceAll("\\p{Cntrl}", " ").replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private Outcome gitHub() {
        if (!given.asksForToken()) {
            return Outcome.skipped(trusted ? "not asked for" : "not handed over for this purpose unless asked for");
        }
        if (given.token().isPresent()) {
            return Outcome.success("GH_TOKEN and GITHUB_TOKEN are set for commands, and git uses them for github.com");
        }
        String none = "the host has no GH_TOKEN or GITHUB_TOKEN, and no GitHub CLI that is logged in";
        return request.gitHub().isPresent()
                ? Outcome.failed("no token", none + "; log in by gh auth login")
                : Outcome.skipped(none);
    }

    private Outcome ssh() {
        if (!request.ssh()) {
            return Outcome.skipped("not asked for");
        }
        if (host.sshAgent().isEmpty()) {
            return Outcome.failed("no agent", "the host has no SSH agent: SSH_AUTH_SOCK is not set, or leads nowhere");
        }
        return Outcome.success("the host's SSH agent is reached at " + SshAgent.TARGET + "; no key was copied");
    }

    private Outcome dotfiles() {
        List<String> good = new ArrayList<>();
        List<String> faults = new ArrayList<>();
        request.dotfilesRepository().ifPresent(url -> {
            String fault = faultOf(() -> dotfilesOf(url));
            (fault.isEmpty() ? good : faults).add(fault.isEmpty() ? url : url + ": " + fault);
        });
        request.dotfiles().forEach((path, text) -> written(who.home() + "/" + path, text, "~/" + path, good, faults));
        return good.isEmpty() && faults.isEmpty()
                ? Outcome.skipped("none asked for")
                : Outcome.of("done", good, faults);
    }

    /** What went wrong with one of several things; the others are done all the same. */
    private static String faultOf(Supplier<String> one) {
        try {
            return one.get();
        } catch (DockerException | ExecException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private String dotfilesOf(String url) {
        String directory = who.home() + "/.dotfiles";
        ExecResult cloned = cloned(url, directory, List.of());
        if (!cloned.succeeded()) {
            return Steps.why(cloned);
        }
        String find = "for name in " + String.join(" ", INSTALLERS)
                + "; do if [ -f \"$name\" ]; then exec sh \"./$name\"; fi; done; " + "set -- \"$PWD\"\n" + LINK;
        ExecResult installed = user().run(ExecRequest.shell(find)
                .workingDirectory(directory)
                .timeLimit(COMMAND)
                .build());
        return installed.succeeded() ? "" : Steps.why(installed);
    }

    private ExecResult cloned(String url, String directory, List<String> options) {
        List<String> words = new ArrayList<>(List.of("git", "clone", "--quiet"));
        words.addAll(options);
        words.addAll(List.of("--", url, directory));
        return user().run(ExecRequest.command(words)
                .environment("GIT_TERMINAL_PROMPT", "0")
                .workingDirectory("/")
                .timeLimit(CLONE)
                .build());
    }

    private Outcome repositories() {
        List<String> good = new ArrayList<>();
        List<String> faults = new ArrayList<>();
        for (ClonedRepository repository : request.repositories()) {
            String path = repository.path() == null
                    ? request.workingDirectory() + "/" + repository.name()
                    : repository.path();
            String fault = faultOf(() -> repository(repository, path));
            (fault.isEmpty() ? good : faults).add(fault.isEmpty() ? path : repository.url() + ": " + fault);
        }
        return good.isEmpty() && faults.isEmpty()
                ? Outcome.skipped("none asked for")
                : Outcome.of("cloned", good, faults);
    }

    private String repository(ClonedRepository repository, String path) {
        // Anywhere, where a user may not write; but below a mount the host's files are, and keep their owners.
        Path target = Path.of(path).normalize();
        boolean mounted = request.mounts().stream()
                .anyMatch(mount -> target.startsWith(Path.of(mount.target()).normalize()));
        ExecResult made = (mounted ? user() : root)
                .run(ExecRequest.command(
                                "sh",
                                "-c",
                                mounted ? "mkdir -p -- \"$1\"" : "mkdir -p -- \"$1\" && chown \"$2\" \"$1\"",
                                "sh",
                                path,
                                who.user())
                        .build());
        ExecResult cloned = made.succeeded() ? cloned(repository.url(), path, List.of()) : made;
        if (!cloned.succeeded()) {
            return Steps.why(cloned);
        }
        String install = repository.install();
        if (install == null) {
            return "";
        }
        ExecResult installed = command(install, path);
        return installed.succeeded()
                ? ""
                : "was cloned to " + path + ", but '" + install + "' failed: " + Steps.why(installed);
    }

    /** A command of the request's, as root, with the variables. */
    private ExecResult command(String line, String directory) {
        ExecRequest.Builder command =
                ExecRequest.shell(line).workingDirectory(directory).timeLimit(COMMAND);
        // What a repository of strangers says is not for root.
        given.variables().forEach(command::environment);
        request.environment().forEach(command::environment);
        command.environment("HOME", "/root");
        return root.run(command.build());
    }

    private Outcome configFiles() {
        List<String> good = new ArrayList<>();
        List<String> faults = new ArrayList<>();
        request.files().forEach((path, text) -> written(path, text, path, good, faults));
        return good.isEmpty() && faults.isEmpty()
                ? Outcome.skipped("none asked for")
                : Outcome.of("written", good, faults);
    }

    private void written(String path, String text, String shown, List<String> good, List<String> faults) {
        try {
            files.write(Map.of(path, text.getBytes(StandardCharsets.UTF_8)), who.user(), 0644);
            good.add(shown);
        } catch (DockerException | IllegalArgumentException e) {
            faults.add(shown + ": " + e.getMessage());
        }
    }

    private Outcome setUp() {
        List<String> good = new ArrayList<>();
        List<String> faults = new ArrayList<>();
        for (String line : request.setUp()) {
            ExecResult result = command(line, request.workingDirectory());
            String shown = line.length() <= 80 ? line : line.substring(0, 80) + "…";
            (result.succeeded() ? good : faults)
                    .add("'" + shown + "'" + (result.succeeded() ? "" : ": " + Steps.why(result)));
        }
        return good.isEmpty() && faults.isEmpty()
                ? Outcome.skipped("none asked for")
                : Outcome.of("commands succeeded", good, faults);
    }
}
