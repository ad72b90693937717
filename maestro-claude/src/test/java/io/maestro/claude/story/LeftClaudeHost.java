package io.maestro.claude.story;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.Submission;
import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.claude.ClaudeCodeMode;
import io.maestro.docker.DockerEnvironments;
import io.maestro.event.MaestroEvent;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

/**
 * One life of a host that runs a story with Claude Code, asked and sent back once by the architect, and that ends at a given
 * point of the story: it is closed, or killed.
 */
final class LeftClaudeHost {
    static final Story STORY =
            Story.builder("1", "A feature").content("write feature.txt").build();

    private static final String TEST = "test -f feature.txt";

    static final String ANSWER = "the blue one";
    static final String CHANGES = "make it bluer";

    /** The exit status of a process that was killed by SIGKILL. */
    static final int KILLED = 137;

    private final Path directory;
    private final String point;
    private final boolean kill;
    private final CompletableFuture<String> reached = new CompletableFuture<>();

    private LeftClaudeHost(Path directory, String point, boolean kill) {
        this.directory = directory;
        this.point = point;
        this.kill = kill;
    }

    /** Arguments: the directory, the API, the CLI's program, the base image or "", close or kill, and the point. */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        LeftClaudeHost host = new LeftClaudeHost(directory, arguments[5], arguments[4].equals("kill"));
        MaestroBuilder builder = builder(directory, arguments[1], Path.of(arguments[2]), arguments[3])
                .architect(new Asked(host::reply))
                .tool(hold(context -> context.audience().name().equals("CODER_" + host.point), host::end))
                .listener(event -> {
                    if (event instanceof MaestroEvent.StateChanged changed
                            && changed.to() == CoderState.TESTING
                            && host.point.equals("TESTING")) {
                        host.end();
                    }
                })
                .testCommand(host.point.equals("TESTING") ? "sleep 1000" : TEST);
        try (Maestro maestro = builder.build()) {
            Submission<StoryResult> story = maestro.submit(STORY);
            CompletableFuture.anyOf(host.reached, story.future()).join();
            if (host.reached.isDone()) {
                maestro.close();
                System.out.println("closed in " + host.point);
                return;
            }
            StoryResult result = story.await();
            System.out.println("outcome " + result.outcome() + " attempt " + result.attempt() + " tokens "
                    + result.usage().totalTokens() + " " + result.error().orElse(""));
        }
    }

    static MaestroBuilder builder(Path directory, String api, Path program, String base) {
        ClaudeCodeMode.Builder mode = ClaudeCodeMode.builder()
                .model("claude-sonnet-4-5")
                .apiKey("sk-ant-real-planted-91ab")
                .baseUrl(URI.create(api));
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(TestRepository.existing(directory).url())
                .testCommand(TEST);
        if (base.isEmpty()) {
            mode.program(program.toString());
        } else {
            builder.environment(DockerEnvironments.builder()
                    .images(all -> all.base(base).allowed("maestro-test/*"))
                    .build());
            mode.hostProgram(program);
        }
        return builder.coderMode(mode.build());
    }

    /** Once for each life. */
    private void end() {
        if (kill) {
            Runtime.getRuntime().halt(KILLED);
        }
        reached.complete(point);
    }

    private Architect.Reply reply(Architect.Request request) {
        if (request.kind().name().equals(point)) {
            end();
            await();
        }
        return switch (request.kind()) {
            case QUESTION -> new Architect.Reply(request.id(), Architect.Decision.APPROVED, ANSWER);
            case PLAN_REVIEW, CODE_REVIEW ->
                firstTime("reviewed-" + request.kind())
                        ? new Architect.Reply(request.id(), Architect.Decision.NEEDS_CHANGES, CHANGES)
                        : Asked.approve(request);
            default -> Asked.approve(request);
        };
    }

    /**
     * A tool of the host's.
     *
     * @param here whether calls of the agent that it is made for wait until Maestro is closed
     * @param waiting told of such a call
     */
    static ToolFactory hold(Predicate<ToolContext> here, Runnable waiting) {
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder("hold")
                        .description("Waits")
                        .offeredTo(ToolAudience.CODER_PLANNING, ToolAudience.CODER_CODING)
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> {
                    if (here.test(context)) {
                        waiting.run();
                        await();
                    }
                    return ToolResult.ok("held");
                };
            }
        };
    }

    /** Until Maestro is closed. */
    private static void await() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the host was closed", e);
        }
    }

    private boolean firstTime(String what) {
        try {
            Files.createFile(directory.resolve(what));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
