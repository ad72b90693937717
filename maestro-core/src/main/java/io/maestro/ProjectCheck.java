package io.maestro;

import io.maestro.CheckReport.Finding;
import io.maestro.CheckReport.Status;
import io.maestro.CheckReport.Subject;
import io.maestro.environment.Environments;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.git.Forge;
import io.maestro.git.LocalForge;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.RemoteCheck;
import io.maestro.internal.RemoteServer;
import io.maestro.llm.LlmClient;
import io.maestro.project.internal.ProjectPrograms;
import io.maestro.runtime.ToolRegistry;
import io.maestro.settings.Settings;
import io.maestro.team.internal.agent.program.CoderProgram;
import io.maestro.team.internal.dispatch.ServiceChecks;
import io.maestro.team.internal.loop.Resources;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Looks at everything that a story needs, before one is paid. Changes nothing in the project directory. */
final class ProjectCheck {
    private final Resources resources;
    private final Settings set;
    private final GitRepository git;
    private final Environments environments;
    private final ToolRegistry registry;
    private final @Nullable CoderProgram program;

    ProjectCheck(Resources resources, @Nullable CoderProgram program) {
        this.resources = resources;
        this.set = resources.settings();
        this.git = resources.git();
        this.environments = resources.environments();
        this.registry = resources.registry();
        this.program = program;
    }

    CheckReport report() {
        List<Finding> all = new ArrayList<>();
        Set<String> rootFiles = repository(all);
        if (program != null) {
            all.add(program(program));
            program.mode().services().forEach(service -> all.add(model(Subject.CODER, service)));
        } else {
            set.agents().coderModel().ifPresent(model -> all.add(model(Subject.CODER, model)));
        }
        all.add(model(Subject.ARCHITECT, set.agents().architectModel()));
        all.add(prices());
        add(all, Subject.ENVIRONMENT, Status.OK, whereCommandsRun(), "");
        all.add(tests(rootFiles));
        tools(all);
        // What a client of the host's says may hold anything.
        return new CheckReport(all.stream()
                .map(one ->
                        new Finding(one.subject(), one.status(), set.redactor().redact(one.detail()), one.remedy()))
                .toList());
    }

    /** Whether commands run by an executor of the host's own, of which nothing is known. */
    private boolean hasOwnExecutor() {
        return set.environment().executor().isPresent();
    }

    private String whereCommandsRun() {
        if (hasOwnExecutor()) {
            return "commands run where the host's executor runs them";
        }
        return environments.isolates() ? "commands run in a sandbox" : "commands run as this user on this machine";
    }

    private static void add(List<Finding> all, Subject subject, Status status, String detail, String remedy) {
        all.add(finding(subject, status, detail, remedy));
    }

    private static Finding finding(Subject subject, Status status, String detail, String remedy) {
        return new Finding(subject, status, detail, Optional.of(remedy).filter(text -> !text.isEmpty()));
    }

    /** The files in the root of the target branch; all that is known where it cannot be read. */
    private Set<String> repository(List<Finding> all) {
        return ScratchDirectory.use(directory -> repository(git.in(directory), all));
    }

    private Set<String> repository(GitRepository git, List<Finding> all) {
        RemoteCheck checked;
        try {
            checked = git.check();
        } catch (MaestroException e) {
            add(all, Subject.REPOSITORY, Status.FAILED, String.valueOf(e.getMessage()), "");
            add(all, Subject.PUSH, Status.UNKNOWN, "not looked at", "");
            add(all, Subject.TARGET_BRANCH, Status.UNKNOWN, "not looked at", "");
            all.add(forge(set.git().targetBranch().orElse(null)));
            return Set.of();
        }
        add(all, Subject.REPOSITORY, Status.OK, git.displayUrl() + " is read", "");
        try {
            git.requireSettings("check", checked.target());
        } catch (MaestroException e) {
            add(all, Subject.REPOSITORY, Status.FAILED, String.valueOf(e.getMessage()), "");
        }
        if (checked.refusesPush().isPresent()) {
            add(
                    all,
                    Subject.PUSH,
                    Status.FAILED,
                    checked.refusesPush().get(),
                    "give the account of this machine the right to write, or use a repository that it may write to");
        } else {
            add(all, Subject.PUSH, Status.OK, "branches can be pushed, as far as git can tell without doing it", "");
        }
        String target = "the target branch '" + checked.target() + "' is there";
        if (set.forge() instanceof LocalForge) {
            add(
                    all,
                    Subject.TARGET_BRANCH,
                    Status.UNKNOWN,
                    target + "; git cannot tell whether rules of a server keep it from being pushed to",
                    "where it is protected, let the account push to it, choose another target branch, or let work be merged by"
                            + " pull requests (forge)");
        } else {
            add(all, Subject.TARGET_BRANCH, Status.OK, target, "");
        }
        all.add(forge(checked.target()));
        return checked.rootFiles();
    }

    /** @param target null where only the repository knows it, and that was not read */
    private Finding forge(@Nullable String target) {
        Forge forge = set.forge();
        if (forge instanceof LocalForge) {
            return finding(Subject.FORGE, Status.OK, "work is merged by git, which needs no other server", "");
        }
        if (target == null) {
            return finding(Subject.FORGE, Status.UNKNOWN, "not looked at", "");
        }
        try {
            Optional<String> found = asked("the forge '" + forge.id() + "'", () -> forge.check(git.url(), target));
            return finding(Subject.FORGE, Status.OK, found.orElse("the host's forge merges into '" + target + "'"), "");
        } catch (RuntimeException e) {
            return failed(Subject.FORGE, e);
        }
    }

    /** As a story asks before a model is paid; nothing is known of what has answered before. */
    private static <T> T asked(String server, Supplier<T> question) {
        return new RemoteServer(server, "its address", text -> text).ask(ServiceChecks.LIMIT, question);
    }

    /** An outage is waited for; whatever else goes wrong ends stories. */
    private static Finding failed(Subject subject, RuntimeException failure) {
        if (Thread.currentThread().isInterrupted()) {
            throw failure;
        }
        boolean outage = failure instanceof RetriableException && !RemoteServer.isFirstContact(failure);
        return finding(subject, outage ? Status.WARNING : Status.FAILED, String.valueOf(failure.getMessage()), "");
    }

    private static Finding model(Subject subject, LlmClient client) {
        try {
            return asked("the service of " + client.model(), client::check)
                    ? finding(subject, Status.OK, "the service takes the credentials and has " + client.model(), "")
                    : finding(
                            subject,
                            Status.UNKNOWN,
                            client.model() + " cannot be looked up without asking it",
                            "run one agent with a short task");
        } catch (RuntimeException e) {
            return failed(subject, e);
        }
    }

    private Finding program(CoderProgram coder) {
        boolean here = !environments.isolates() && !hasOwnExecutor();
        try {
            Optional<String> found = coder.mode().check(here ? Optional.of(here()) : Optional.empty());
            if (found.isPresent() && !coder.mode().services().isEmpty()) {
                return finding(Subject.CODER, Status.OK, found.get(), "");
            }
            return finding(
                    Subject.CODER,
                    Status.UNKNOWN,
                    found.map(text -> text + ", whose service was not asked")
                            .orElse("the program of '" + coder.id() + "' was not looked for"
                                    + (here ? "" : ", as it runs where the commands of a story run")),
                    "run one agent with a short task");
        } catch (MaestroException e) {
            return finding(Subject.CODER, Status.FAILED, String.valueOf(e.getMessage()), "");
        }
    }

    private Finding prices() {
        Set<String> unknown = new TreeSet<>();
        set.agents().coderModel().ifPresent(model -> unknown.add(model.model()));
        unknown.add(set.agents().architectModel().model());
        unknown.removeIf(model -> set.agents().prices().price(model).isPresent());
        return unknown.isEmpty()
                ? finding(Subject.PRICES, Status.OK, "the price of each model is known", "")
                : finding(
                        Subject.PRICES,
                        Status.WARNING,
                        "no price is known of " + unknown + ", so that no cost is counted",
                        "set it by agents(agents -> agents.prices(…)) or models.prices in config.json");
    }

    private Finding tests(Set<String> rootFiles) {
        Optional<String> line = resources.tests().command(rootFiles::contains);
        if (line.isEmpty()) {
            return finding(
                    Subject.TEST_COMMAND,
                    Status.WARNING,
                    "no test command is set, and the root of the repository has no build file that is known: work is merged"
                            + " UNTESTED",
                    "set testCommand(…) or tests.command");
        }
        if (environments.isolates() || hasOwnExecutor()) {
            return finding(
                    Subject.TEST_COMMAND,
                    Status.UNKNOWN,
                    line.get() + ", whose program is looked for where it runs, when a story begins",
                    "");
        }
        String setup = set.commands().setup().orElse(null);
        Optional<String> first =
                setup == null ? Optional.empty() : ProjectPrograms.missing(here(), ProjectPrograms.of(setup, false));
        Optional<String> missing =
                first.or(() -> ProjectPrograms.missing(here(), ProjectPrograms.of(line.get(), false)));
        if (missing.isEmpty()) {
            return finding(Subject.TEST_COMMAND, Status.OK, line.get(), "");
        }
        // Setting up may install what runs the tests; without a command that is set, work is merged UNTESTED.
        boolean fails =
                first.isPresent() || setup == null && set.commands().test().isPresent();
        return finding(
                Subject.TEST_COMMAND,
                fails ? Status.FAILED : Status.WARNING,
                (first.isPresent() ? setup : line.get()) + ": there is no program " + missing.get()
                        + " on this machine",
                "install it, or set testCommand(…) or tests.command to what tests the project");
    }

    private Executor here() {
        return LocalExecutor.builder(git.projectDirectory()).build();
    }

    private void tools(List<Finding> all) {
        registry.problems()
                .forEach(problem -> add(
                        all,
                        Subject.TOOLS,
                        Status.WARNING,
                        problem.where() + ": " + problem.message(),
                        "mend or remove the jar"));
        List<String> added = registry.added();
        int own = registry.definitions().size() - added.size();
        String others = added.isEmpty() ? "" : " and " + String.join(", ", added);
        add(all, Subject.TOOLS, Status.OK, own + " tools of Maestro" + others, "");
    }
}
