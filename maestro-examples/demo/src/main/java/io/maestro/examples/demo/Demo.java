package io.maestro.examples.demo;

import io.maestro.CheckReport;
import io.maestro.CheckReport.Status;
import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.claude.ClaudeCodeMode;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.DockerHost;
import io.maestro.docker.Preflight;
import io.maestro.docker.PreflightReport;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.error.MaestroException;
import io.maestro.event.ConsoleProgress;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.llm.AnthropicClient;
import io.maestro.llm.LlmClient;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a story, or a specification with several, on a real git repository, from WAITING to DONE. */
@Command(
        name = "demo",
        sortOptions = false,
        description =
                "Runs one story on a real git repository: plan, review, code, tests, review, merge. With --spec it takes a"
                        + " specification to several stories and several coders. Without options it makes a small Java"
                        + " project of its own and plays a scripted model.")
public final class Demo implements Callable<Integer> {
    /** For tools and git to end when the demo is stopped. */
    private static final long STOP_MILLIS = 20_000;

    @ArgGroup(exclusive = false)
    OwnRepository own;

    @Option(
            names = "--spec",
            arity = "0..1",
            fallbackValue = "",
            paramLabel = "FILE",
            description =
                    "A specification, in Markdown, of which the architect makes stories; needs --repo and --model."
                            + " Without a file: a scripted one on the sample project.")
    String spec;

    @Option(
            names = "--model",
            paramLabel = "NAME",
            description = "A model of the Anthropic Messages API in place of the script; its key is ANTHROPIC_API_KEY.")
    String model;

    @Option(
            names = "--claude",
            arity = "0..1",
            fallbackValue = "",
            paramLabel = "PROGRAM",
            description =
                    "Lets Claude Code plan and code; needs --model and the key in ANTHROPIC_API_KEY. PROGRAM is a claude"
                            + " of this machine, which is bound into the containers of --docker, where planning has no network"
                            + " to install one. Default: a claude that is found where the agents' commands run.")
    String claude;

    @Option(
            names = "--forge",
            description =
                    "Merges the sample project's story by a pull request, on a scripted GitHub of this program's own:"
                            + " a check that fails, a review thread, an approval.")
    boolean forge;

    @Option(
            names = "--test",
            paramLabel = "COMMAND",
            description = "Runs the project's tests; default: by its build file.")
    String testCommand;

    @Option(
            names = "--branch",
            paramLabel = "NAME",
            description = "The branch to merge into; default: the repository's own.")
    String branch;

    @Mixin
    MonitorOption monitor;

    @ArgGroup(exclusive = false)
    Containers containers;

    @Option(
            names = "--directory",
            paramLabel = "PATH",
            description = "Where everything is put; default: a new directory in maestro-demo.")
    Path directory;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Says this.")
    boolean help;

    /** Where the agents' commands run, when it is not this machine itself. */
    static final class Containers {
        @Option(
                names = "--docker",
                required = true,
                arity = "0..1",
                fallbackValue = "",
                paramLabel = "IMAGE",
                description = "Runs the agents' commands in containers. Default image: a small Debian, for the sample"
                        + " project with a JDK.")
        String image;

        @Option(
                names = "--base",
                paramLabel = "IMAGE",
                description = "What that Debian is made of; default: debian:stable-slim.")
        String base;

        @Option(
                names = "--engine",
                paramLabel = "PROGRAM",
                defaultValue = "docker",
                description = "docker or podman; default: docker.")
        String engine;

        private DockerHost host() {
            return DockerHost.builder().program(engine).build();
        }

        /** Says what is missing where no containers can be made. */
        boolean isReady(PrintStream out) {
            PreflightReport report = Preflight.of(host());
            if (!report.ready()) {
                out.println(report);
            }
            return report.ready();
        }

        EnvironmentFactory environments(boolean sample) {
            DockerEnvironments.Builder builder = DockerEnvironments.builder().host(host());
            if (base != null) {
                builder.images(images -> images.base(base));
            }
            if (!image.isEmpty()) {
                builder.image(image);
            } else if (sample) {
                builder.dockerfile("Dockerfile");
            }
            return builder.build();
        }

        @Override
        public String toString() {
            return engine + ", " + (image.isEmpty() ? "an image of this project's own" : image)
                    + "; the first time it is built, which takes a while";
        }
    }

    /** What to work on, when it is not the sample project. */
    static final class OwnRepository {
        @Option(names = "--repo", required = true, paramLabel = "URL|PATH", description = "Your repository.")
        String repository;

        @Option(names = "--story", paramLabel = "FILE", description = "The story, in Markdown.")
        Path story;
    }

    /** Of {@code --claude}, once the options were looked at. */
    private ClaudeCodeMode claudeCode;

    /** For picocli. */
    Demo() {}

    /**
     * Starts the demo.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(out);
        CommandLine line = new CommandLine(new Demo());
        line.setExecutionExceptionHandler((failure, commandLine, parsed) -> {
            if (failure instanceof MaestroException || failure instanceof IllegalArgumentException) {
                System.err.println("demo: " + failure.getMessage());
                return 1;
            }
            if (failure instanceof IOException) {
                System.err.println("demo: " + failure);
                return 1;
            }
            throw failure;
        });
        Stop stop = new Stop(Thread.currentThread());
        Runtime.getRuntime().addShutdownHook(new Thread(stop::now));
        int exitCode = line.execute(args);
        if (stop.isNotNeeded()) {
            System.exit(exitCode);
        }
    }

    /** A page about all that happened. */
    static void report(PrintStream out, Maestro maestro, Path home, String id) {
        Path file = home.resolve("report.html");
        maestro.report(id).writeHtml(file);
        out.println("report      " + file);
    }

    /** Ctrl-C cancels the story, so that it ends in order and the record says so. */
    private record Stop(Thread main, AtomicBoolean begun) {
        Stop(Thread main) {
            this(main, new AtomicBoolean());
        }

        /** Called when the JVM is shut down, for whatever reason. */
        void now() {
            if (!begun.compareAndSet(false, true)) {
                return;
            }
            main.interrupt();
            try {
                main.join(STOP_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Whether the story ended by itself; from then on there is nothing to wait for. */
        boolean isNotNeeded() {
            return begun.compareAndSet(false, true);
        }
    }

    @Override
    public Integer call() throws IOException {
        if (claude != null && model == null) {
            throw new IllegalArgumentException("--claude needs --model NAME, for example claude-sonnet-5, and a key in"
                    + " ANTHROPIC_API_KEY: a script cannot play Claude Code");
        }
        if (claude != null) {
            claudeCode = claudeCode();
        }
        if (forge && (own != null || spec != null || model != null)) {
            throw new IllegalArgumentException(
                    "--forge plays a script on the sample project; leave out --repo, --spec and"
                            + " --model (in your own program: MaestroBuilder.forge(HostedForge.gitHub()...))");
        }
        if (containers != null && !containers.isReady(System.out)) {
            return 1;
        }
        if (spec != null) {
            return new SpecDemo(this).run();
        }
        if (own != null && own.story == null) {
            throw new IllegalArgumentException("--repo needs --story or --spec: say what is to be done");
        }
        Story story = own == null
                ? SampleProject.story()
                : Story.fromMarkdown(own.story).build();
        Scripts scripts =
                forge ? Scripts.forForge() : own == null ? Scripts.forSample() : Scripts.forOwnRepository(story);
        LlmClient coder = model == null ? scripts.coder() : AnthropicClient.fromEnvironment(model);
        LlmClient architect = model == null ? scripts.architect() : coder;

        Path home = home();
        Git git = new Git(LocalExecutor.builder(home).build());
        Origin origin = own == null
                ? Origin.sample(git, home)
                : model == null ? Origin.forScript(git, home, own.repository) : Origin.of(git, home, own.repository);
        PrintStream out = System.out;
        out.println("repository  " + origin.url());
        out.println("story       " + story);
        out.println("model       " + (model == null ? scripts.notice() : modelNotice()));
        out.println("directory   " + home);
        if (containers != null) {
            out.println("containers  " + containers);
        }
        out.println();

        MaestroBuilder builder = builder(home, origin, coder, architect);
        try (SampleForge server = forge ? new SampleForge(git, origin.url()) : null;
                ConsoleProgress progress = ConsoleProgress.builder(out).build();
                Maestro maestro = (server == null ? builder : builder.forge(server.client()))
                        .listener(progress)
                        .build()) {
            if (!isReady(out, maestro)) {
                return 1;
            }
            boolean before = maestro.auditLog()
                    .story(story.id())
                    .filter(known -> known.state() == CoderState.DONE)
                    .isPresent();
            monitor.begin(out, maestro);
            StoryResult result = maestro.run(story);
            progress.close();
            if (before) {
                out.println("This story was done before, in this directory; this is what the record says of it.");
            }
            new Summary(out, git, maestro.auditLog()).print(origin, result);
            report(out, maestro, home, story.id());
            if (server != null) {
                out.println("\npull request");
                server.events().forEach(event -> out.println("  " + event));
            }
            if (result.mergeCommit().isPresent()) {
                origin.takeBack(git, story.id(), result.mergeCommit().get()).ifPresent(out::println);
            }
            monitor.end(out);
            return result.succeeded() ? 0 : 1;
        }
    }

    /** Where a model is paid, all that a story needs is looked at before; what is not as it should be is printed. */
    boolean isReady(PrintStream out, Maestro maestro) {
        if (model == null) {
            return true;
        }
        CheckReport report = maestro.check();
        report.findings().stream()
                .filter(finding -> finding.status() == Status.FAILED || finding.status() == Status.WARNING)
                .forEach(out::println);
        return report.passed();
    }

    /** The directory that was asked for, or a new one that nobody else has. */
    Path home() throws IOException {
        if (directory != null) {
            return Files.createDirectories(directory.toAbsolutePath().normalize());
        }
        Path parent = Files.createDirectories(Path.of("maestro-demo").toAbsolutePath());
        String now = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").format(LocalDateTime.now(ZoneId.systemDefault()));
        for (int number = 1; ; number++) {
            try {
                return Files.createDirectory(parent.resolve(number == 1 ? now : now + "-" + number));
            } catch (FileAlreadyExistsException e) {
                // Somebody was faster in this second.
            }
        }
    }

    String modelNotice() {
        return model + (claude == null ? "" : ", with Claude Code as the coder");
    }

    private ClaudeCodeMode claudeCode() {
        ClaudeCodeMode.Builder mode = ClaudeCodeMode.builder().model(model);
        if (!claude.isEmpty()) {
            Path program = Path.of(claude).toAbsolutePath().normalize();
            if (!Files.isExecutable(program) || Files.isDirectory(program)) {
                throw new IllegalArgumentException("--claude: there is no program " + program);
            }
            if (containers == null) {
                mode.program(program.toString());
            } else {
                mode.hostProgram(program);
            }
        }
        return mode.build();
    }

    MaestroBuilder builder(Path home, Origin origin, LlmClient coder, LlmClient architect) {
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(home.resolve("project"))
                .repository(origin.url())
                .coderModel(coder)
                .architectModel(architect);
        monitor.on(builder);
        if (branch != null) {
            builder.git(git -> git.targetBranch(branch));
        }
        if (testCommand != null) {
            builder.testCommand(testCommand);
        } else if (own == null) {
            builder.testCommand(SampleProject.testCommand(containers != null));
        }
        if (containers != null) {
            builder.environment(containers.environments(own == null));
        }
        if (claudeCode != null) {
            builder.coderMode(claudeCode);
        }
        return builder;
    }
}
