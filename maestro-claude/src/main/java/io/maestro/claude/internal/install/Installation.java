package io.maestro.claude.internal.install;

import io.maestro.claude.ClaudeInstallException;
import io.maestro.claude.ClaudeInstaller.Installed;
import io.maestro.claude.ClaudeInstaller.Source;
import io.maestro.claude.internal.install.Journal.Done;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** Tries one way after the other until there is a CLI that runs and is new enough. Used once, by one thread. */
public final class Installation {
    private static final String COPY = "copying a binary of the host";
    private static final String NETWORK = "installing over the network";

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
        this.check = new VersionCheck(sandbox, plan.checkLimit());
    }

    /**
     * Does it.
     *
     * @return what there is now
     * @throws ClaudeInstallException when nothing has helped
     */
    public Installed ensure() {
        Facts facts = journal.attempt("looking at what is there", () -> {
                    Facts found = Facts.of(sandbox, plan.checkLimit());
                    return new Done<>(found, found.describe());
                })
                .orElseThrow(() -> failure("a place where commands fail"));
        return there(facts)
                .or(() -> copied(facts))
                .or(this::before)
                .or(() -> network(facts))
                .orElseThrow(() -> failure(facts.describe()));
    }

    private Optional<Installed> there(Facts facts) {
        Set<String> candidates = new LinkedHashSet<>();
        plan.program().ifPresent(candidates::add);
        facts.onPath().ifPresent(candidates::add);
        if (facts.onPath().isEmpty()) {
            journal.skip("claude on the PATH", "there is none");
        }
        // What was copied is compared with the host's binary first: that may be newer.
        if (plan.hostProgram().isEmpty()) {
            target().filter(this::isThere).ifPresent(candidates::add);
        }
        for (String program : candidates) {
            Optional<Installed> found = finish(program, Source.FOUND, () -> new Done<>(program, program));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private boolean isThere(String path) {
        return sandbox.run("test -e \"$1\"", plan.checkLimit(), path).succeeded();
    }

    private Optional<Installed> copied(Facts facts) {
        Optional<Path> given = plan.hostProgram();
        if (given.isEmpty()) {
            journal.skip(COPY, "none was named");
            return Optional.empty();
        }
        if (executor instanceof LocalExecutor) {
            return finish("the host's own binary", Source.FOUND, () -> {
                String file = HostBinary.find(given.get(), facts, plan.wanted())
                        .file()
                        .toString();
                return new Done<>(file, file);
            });
        }
        Optional<String> target = target();
        if (target.isEmpty()) {
            journal.skip(COPY, "no directory was named where it may be put");
            return Optional.empty();
        }
        return finish(COPY, Source.COPIED, () -> {
            HostBinary binary = HostBinary.find(given.get(), facts, plan.wanted());
            return new Done<>(
                    target.get(),
                    new Copy(sandbox, plan).ensure(binary, target.get()).detail());
        });
    }

    /** The host's binary may be gone, or may not be copied now; what an earlier installation has left may still do. */
    private Optional<Installed> before() {
        if (plan.hostProgram().isEmpty()) {
            return Optional.empty();
        }
        return target().filter(this::isThere)
                .flatMap(program ->
                        finish("what was installed before", Source.FOUND, () -> new Done<>(program, program)));
    }

    private Optional<Installed> network(Facts facts) {
        Optional<String> obstacle = networkObstacle(facts);
        if (obstacle.isPresent()) {
            journal.skip(NETWORK, obstacle.get());
            return Optional.empty();
        }
        Facts now = canInstall(facts) ? facts : withPackages(facts);
        String platform = now.platforms().get(0);
        String target = target().orElseThrow();
        Optional<Installed> installed = Optional.empty();
        Optional<URI> registry = plan.registry();
        if (registry.isPresent() && canFetch(now)) {
            installed = finish(
                    "the native package without npm",
                    Source.DOWNLOADED,
                    () -> new Download(sandbox, plan).install(registry.get(), platform, target));
        }
        if (installed.isEmpty() && now.has("npm")) {
            installed = finish(
                    "the native package with npm", Source.NPM, () -> new Npm(sandbox, plan).install(platform, target));
        }
        return installed;
    }

    private Optional<String> networkObstacle(Facts facts) {
        if (!plan.network()) {
            return Optional.of("the host does not want it");
        }
        if (!facts.network()) {
            return Optional.of("there is no network");
        }
        if (plan.directory().isEmpty()) {
            return Optional.of("no directory was named where it may be put");
        }
        if (facts.platforms().isEmpty()) {
            return Optional.of("there is no Claude Code for " + facts.describe());
        }
        return Optional.empty();
    }

    private Facts withPackages(Facts facts) {
        Packages packages = new Packages(sandbox, facts, plan);
        boolean fetches = plan.registry().isPresent();
        String name = fetches ? "packages for a download" : "the package npm";
        Optional<String> obstacle = packages.obstacle();
        if (obstacle.isPresent()) {
            String missing =
                    fetches ? "neither npm nor curl or wget with tar and gzip" : "no npm, and no registry named";
            journal.skip(name, "there is " + missing + "; " + obstacle.get());
            return facts;
        }
        return journal.attempt(
                        name,
                        () -> fetches
                                ? packages.install("curl", "ca-certificates", "tar", "gzip")
                                : packages.install("npm"))
                .map(manager -> Facts.of(sandbox, plan.checkLimit()))
                .orElse(facts);
    }

    private boolean canInstall(Facts facts) {
        return facts.has("npm") || plan.registry().isPresent() && canFetch(facts);
    }

    private static boolean canFetch(Facts facts) {
        return (facts.has("curl") || facts.has("wget")) && facts.has("tar") && facts.has("gzip");
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

    private Optional<String> target() {
        return plan.directory().map(directory -> directory + "/bin/claude");
    }

    private ClaudeInstallException failure(String place) {
        return new ClaudeInstallException(place, plan.minimum().toString(), journal.steps());
    }
}
