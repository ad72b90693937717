package io.maestro.git.internal;

import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the git command: the only place that does. Arguments are a list, never a shell line; a process that
 * shows no progress for {@linkplain GitTimes so long} is killed with its children; no hook, file system monitor or helper program is run; git never asks
 * anything. Safe for use by several threads.
 */
final class GitCli {
    private static final Logger LOG = LoggerFactory.getLogger(GitCli.class);
    private static final Pattern VERSION = Pattern.compile("git version (\\d+)\\.(\\d+).*", Pattern.DOTALL);
    private static final String HELP = "install git 2.38 or newer and make sure that 'git' is on the PATH";
    /** The programs whose version was looked at in this process. */
    private static final Set<String> NEW_ENOUGH = ConcurrentHashMap.newKeySet();

    private static final int MAX_OUT = 32 << 20;
    private static final int MAX_ERR = 64 << 10;

    private static final List<String> ALWAYS = List.of(
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "protocol.ext.allow=never",
            "diff.ignoreSubmodules=all",
            "submodule.recurse=false",
            "gc.auto=0",
            "maintenance.auto=false",
            // What is fetched comes as one pack that is on the disk before a ref is, not as a file for each object.
            "fetch.unpackLimit=1",
            "core.fsync=reference",
            "core.quotePath=false");

    private static final List<String> LOCAL_ONLY =
            List.of("core.excludesFile=/dev/null", "core.attributesFile=/dev/null");

    /** What a user sets to reach a remote. Every other GIT_ variable of this process is withheld (GIT_DIR above all). */
    private static final Pattern REMOTE_VARIABLES = Pattern.compile("GIT_(ASKPASS|SSH|SSH_.*|SSL_.*|HTTP_.*|PROXY_.*"
            + "|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|CONFIG_COUNT|CONFIG_KEY_\\d+|CONFIG_VALUE_\\d+"
            + "|EXEC_PATH|ALLOW_PROTOCOL)");

    private final String executable;
    private final GitTimes times;
    private final @Nullable Path output;
    private final Charset charset;

    GitCli(GitTimes times) {
        this("git", times);
    }

    GitCli(String executable, GitTimes times) {
        this(executable, times, null, StandardCharsets.UTF_8);
    }

    private GitCli(String executable, GitTimes times, @Nullable Path output, Charset charset) {
        this.charset = charset;
        this.executable = executable;
        this.times = times;
        this.output = output;
    }

    /** The same git, whose output goes to files in a directory, where a killed process leaves them for {@link GitProcess#clear}. */
    GitCli in(Path directory) {
        return new GitCli(executable, times, directory, charset);
    }

    /** How a command ended; its output is masked. */
    record GitResult(String command, int exitCode, String out, String err) {
        /** Standard output of a command that must succeed. */
        String orThrow(String what) {
            if (exitCode != 0) {
                throw failure(what);
            }
            return out;
        }

        GitException failure(String what) {
            return new GitException(what + ": " + details(), null);
        }

        String details() {
            return "'" + command + "' " + end();
        }

        /** Without the command. */
        String end() {
            String said = err.isBlank() ? out.strip() : err.strip();
            return "ended with exit code " + exitCode + (said.isEmpty() ? " and said nothing" : " and said: " + said);
        }
    }

    /** Runs a command that touches only this machine, without any config but the repository's own. */
    GitResult local(Path directory, String... arguments) {
        return local(directory, null, arguments);
    }

    /** As {@link #local(Path, String...)}; the command reads a file. */
    GitResult local(Path directory, @Nullable Path input, String... arguments) {
        checkVersion();
        Map<String, String> environment = cleanEnvironment(false);
        environment.put("GIT_CONFIG_GLOBAL", "/dev/null");
        environment.put("GIT_CONFIG_NOSYSTEM", "1");
        environment.put("GIT_ATTR_NOSYSTEM", "1");
        List<String> config = new ArrayList<>(ALWAYS);
        config.addAll(LOCAL_ONLY);
        return run(directory, input, environment, config, arguments, RemoteUrl::maskUserInfo, null);
    }

    /** As {@link #local(Path, String...)}; a character of the output is a byte, as in raw names. */
    GitResult bytes(Path directory, String... arguments) {
        return new GitCli(executable, times, output, StandardCharsets.ISO_8859_1).local(directory, arguments);
    }

    /** Runs a command that touches only this machine, with the user's config, a file as its input, and variables. */
    GitResult withUsersConfig(Path directory, Path input, Map<String, String> variables, String... arguments) {
        checkVersion();
        Map<String, String> environment = cleanEnvironment(true);
        environment.putAll(variables);
        return run(directory, input, environment, ALWAYS, arguments, RemoteUrl::maskUserInfo, null);
    }

    /** Runs a command that talks to a remote repository, with the user's config and credentials for it. */
    GitResult remote(Path directory, RemoteUrl remote, String... arguments) {
        checkVersion();
        Map<String, String> environment = cleanEnvironment(true);
        environment.putAll(remote.environment(environment));
        return run(directory, null, environment, ALWAYS, arguments, remote::mask, remote);
    }

    private void checkVersion() {
        if (NEW_ENOUGH.contains(executable)) {
            return;
        }
        GitResult result = run(
                null,
                null,
                cleanEnvironment(false),
                List.of(),
                new String[] {"--version"},
                UnaryOperator.identity(),
                null);
        Matcher matcher = VERSION.matcher(result.orThrow("git does not run; " + HELP));
        if (matcher.matches()) {
            int major = Integer.parseInt(matcher.group(1));
            if (major < 2 || (major == 2 && Integer.parseInt(matcher.group(2)) < 38)) {
                throw new GitException("this is " + result.out().strip() + ", which is too old; " + HELP, null);
            }
        }
        NEW_ENOUGH.add(executable);
    }

    private static Map<String, String> cleanEnvironment(boolean remote) {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment
                .keySet()
                .removeIf(name -> name.startsWith("GIT_")
                        && !(remote && REMOTE_VARIABLES.matcher(name).matches()));
        environment.put("GIT_TERMINAL_PROMPT", "0");
        environment.put("GIT_OPTIONAL_LOCKS", "0");
        environment.put("LC_ALL", "C");
        // ssh would ask on the terminal of the host; a user's own askpass program may still answer.
        environment.putIfAbsent("SSH_ASKPASS", "false");
        environment.put("SSH_ASKPASS_REQUIRE", "force");
        return environment;
    }

    private GitResult run(
            @Nullable Path directory,
            @Nullable Path input,
            Map<String, String> environment,
            List<String> config,
            String[] arguments,
            UnaryOperator<String> mask,
            @Nullable RemoteUrl remote) {
        List<String> command = new ArrayList<>(List.of(executable));
        config.forEach(entry -> command.addAll(List.of("-c", entry)));
        command.addAll(List.of(arguments));
        String shown = mask.apply("git " + String.join(" ", arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(environment);
        if (directory != null) {
            builder.directory(directory.toFile());
            // A repository that Maestro's directory happens to lie in is not meant, and its config not wanted.
            builder.environment().put("GIT_CEILING_DIRECTORIES", String.valueOf(directory.getParent()));
        }
        if (input != null) {
            builder.redirectInput(input.toFile());
        }
        Duration limit = remote == null ? times.local() : times.remote();
        boolean started = false;
        try (GitProcess process = GitProcess.start(builder, output)) {
            started = true;
            return new GitResult(
                    shown,
                    await(process, shown, limit, mask, remote),
                    mask.apply(process.out(charset)),
                    said(process, mask));
        } catch (IOException e) {
            throw new GitException(
                    shown
                            + (started ? " failed: " : " cannot be started: ")
                            + mask.apply(String.valueOf(e.getMessage()))
                            + (started ? "" : "; " + HELP),
                    e);
        }
    }

    private static int await(
            GitProcess process, String shown, Duration limit, UnaryOperator<String> mask, @Nullable RemoteUrl remote)
            throws IOException {
        GitProcess.End end = null;
        try {
            // A client that polls a dead connection computes, too.
            end = process.await(limit, remote == null, MAX_OUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GitException(shown + " was cancelled", e);
        } finally {
            if (end != GitProcess.End.ENDED) {
                process.end();
            }
        }
        switch (end) {
            case ENDED -> LOG.debug("{}: exit code {} after {} ms", shown, process.exitCode(), process.millis());
            case TOO_LOUD ->
                throw new GitException("'" + shown + "' printed more than " + (MAX_OUT >> 20) + " MB", null);
            case STUCK, ENDLESS -> {
                String what = end == GitProcess.End.STUCK
                        ? "showed no progress for " + limit.toMillis() + " ms"
                        : "did not end within "
                                + limit.multipliedBy(GitProcess.MOST).toMillis() + " ms";
                String message = "'" + shown + "' " + what + " and was killed; it said: "
                        + said(process, mask).strip() + "; see whether "
                        + (remote == null ? "the disk" : "the server of the repository") + " answers";
                throw remote == null ? new GitException(message, null) : new GitUnavailableException(message, null);
            }
        }
        return process.exitCode();
    }

    private static String said(GitProcess process, UnaryOperator<String> mask) throws IOException {
        return mask.apply(process.err(MAX_ERR));
    }
}
