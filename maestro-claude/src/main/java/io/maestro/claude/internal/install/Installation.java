package io.maestro.claude.internal.install;

import io.maestro.claude.ClaudeFinder.Installed;
import io.maestro.claude.ClaudeFinder.Source;
import io.maestro.claude.ClaudeMissingException;
import io.maestro.claude.internal.install.Journal.Done;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Tries one way after the other until there is a CLI that runs and is new enough. Used once, by one thread. */
public final class Installation {
    private static final String GIVEN = "the given program";
    private static final String PATH = "claude on the PATH";
    private static final String HOST = "the host's binary";

    /** Prints the file itself; fails where it, or a directory above it, is not root's alone. */
    private static final String ROOTS_OWN = """
            real=$(readlink -f "$1") && test -f "$real" || { echo "is not there"; exit 3; }
            part=$real
            while :; do
                owner=$(stat -c %u "$part") && mode=$(stat -c %a "$part") || exit 3
                test "$owner" = 0 || { echo "$part belongs to user $owner, and may be the agent's"; exit 3; }
                case $mode in
                    *[2367][0-7]|*[2367]) echo "$part may be written by others than root"; exit 3 ;;
                esac
                test "$part" = / && break
                part=$(dirname "$part")
            done
            printf '%s\\n' "$real"
            """;

    private final Executor executor;
    private final Plan plan;
    private final Sandbox sandbox;
    private final VersionCheck check;
    private final Journal journal = new Journal();

    /**
     * Begins one.
     *
     * @param executor runs commands where the CLI is to run
     * @param plan what the host has asked for
     */
    public Installation(Executor executor, Plan plan) {
        this.executor = executor;
        this.plan = plan;
        this.sandbox = new Sandbox(executor, plan.user());
        this.check = new VersionCheck(sandbox, plan.checkLimit(), executor instanceof LocalExecutor);
    }

    /**
     * Does it.
     *
     * @return what there is now
     * @throws ClaudeMissingException when nothing has helped
     */
    public Installed ensure() {
        Facts facts = journal.attempt("looking at what is there", () -> {
                    Facts found = Facts.of(sandbox, plan.checkLimit());
                    return new Done<>(found, found.describe());
                })
                .orElseThrow(() -> failure("a place where commands fail"));
        return inside(GIVEN, plan.program())
                .or(() -> executor instanceof LocalExecutor ? inside(PATH, facts.onPath()) : Optional.empty())
                .or(() -> ofHost(facts))
                .or(() -> executor instanceof LocalExecutor ? Optional.empty() : inside(PATH, facts.onPath()))
                .orElseThrow(() -> failure(facts.describe()));
    }

    /** What the host has, bound into the sandbox or, where that is this machine, in place. */
    private Optional<Installed> ofHost(Facts facts) {
        Optional<Path> given = plan.hostProgram();
        boolean here = executor instanceof LocalExecutor;
        if (given.isEmpty() || !here && plan.bound().isEmpty()) {
            journal.skip(HOST, given.isEmpty() ? "the host has none" : "files of this machine cannot be bound there");
            return Optional.empty();
        }
        return finish(HOST, Source.HOST, () -> {
            HostBinary binary = HostBinary.find(given.get(), facts);
            String program = here
                    ? binary.file().toString()
                    : plan.bound().get() + "/" + HostBinary.name(given.get(), binary.file());
            return new Done<>(program, binary.file() + (here ? "" : ", bound at " + program));
        });
    }

    /** What lies in the sandbox is believed where nobody but root can have put it. */
    private Optional<Installed> inside(String name, Optional<String> program) {
        if (program.isEmpty()) {
            journal.skip(name, "there is none");
            return Optional.empty();
        }
        return finish(name, Source.FOUND, () -> {
            if (!(executor instanceof LocalExecutor)) {
                requireRootsOwn(program.get());
            }
            return new Done<>(program.get(), program.get());
        });
    }

    private void requireRootsOwn(String program) {
        String real = sandbox.require("'" + program + "'", ROOTS_OWN, plan.checkLimit(), program)
                .strip();
        for (String writable : List.of(executor.workingDirectory(), "/tmp", "/var/tmp", "/dev")) {
            if (real.startsWith(writable + "/")) {
                throw new StepFailure(program + " lies in " + writable + ", where the agent can write");
            }
        }
    }

    /** A step is done when the program that it has led to runs, and is new enough. */
    private Optional<Installed> finish(String name, Source source, Journal.Attempt<String> attempt) {
        return journal.attempt(name, () -> {
                    Done<String> done = attempt.run();
                    ClaudeVersion version = check.require(done.value(), plan.minimum());
                    return new Done<>(
                            new Installed(done.value(), version.toString(), source, journal.steps()),
                            done.detail() + "; version " + version);
                })
                .map(it -> new Installed(it.program(), it.version(), it.source(), journal.steps()));
    }

    private ClaudeMissingException failure(String place) {
        return new ClaudeMissingException(place, plan.minimum().toString(), journal.steps());
    }
}
