package io.maestro.builtin.internal;

import static java.util.Map.entry;

import io.maestro.agent.internal.Todos;
import io.maestro.chat.internal.ChatRoom;
import io.maestro.exec.ExecResult;
import io.maestro.instructions.internal.RepositoryInstructions;
import io.maestro.instructions.internal.Skills;
import io.maestro.instructions.internal.TestCommits;
import io.maestro.llm.RawServer;
import io.maestro.project.internal.ProjectCommands;
import io.maestro.project.internal.ProjectTests;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.internal.WorkspaceView;
import io.maestro.story.CoderState;
import io.maestro.testkit.ToolTester;
import io.maestro.testkit.contract.ToolContract;
import io.maestro.tools.ToolFactory;
import io.maestro.web.SearchResult;
import io.maestro.web.WebAccess;
import io.maestro.web.internal.PageFetcher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Every tool that comes with Maestro, by the contract of tools. */
@ParameterizedClass(name = "{0}")
@MethodSource("tools")
class BuiltinToolsContractTest extends ToolContract {
    private static final String STORY =
            "{\"title\":\"A\",\"description\":\"what to do\",\"acceptance_criteria\":[\"it works\"]}";

    /** Of each tool, a call that succeeds again and again. */
    private static final Map<String, String> ARGUMENTS = Map.ofEntries(
            entry("shell", "{\"cmd\":\"echo hello\"}"),
            entry("shell_job", "{}"),
            entry("read_file", "{\"path\":\"a.txt\"}"),
            entry("list_files", "{}"),
            entry("search_files", "{\"pattern\":\"o[mn]e\",\"glob\":\"a.txt\"}"),
            entry("get_diff", "{}"),
            entry("read_skill", "{\"name\":\"deploy\"}"),
            entry("write_file", "{\"path\":\"b.txt\",\"content\":\"two\"}"),
            entry("edit_file", "{\"path\":\"a.txt\",\"old\":\"one\",\"new\":\"-one\"}"),
            entry("build", "{}"),
            entry("lint", "{}"),
            entry("test", "{}"),
            entry("backend_info", "{}"),
            entry("web_fetch", "{\"url\":\"URL\"}"),
            entry("web_search", "{\"query\":\"java\"}"),
            entry("chat_post", "{\"text\":\"hello\"}"),
            entry("chat_read", "{}"),
            entry("todos_add", "{\"todos\":[\"one\"]}"),
            entry("todo_complete", "{\"number\":1}"),
            entry("todo_update", "{\"number\":1,\"text\":\"two\"}"),
            entry("submit_plan", "{\"plan\":\"first this\"}"),
            entry("story_complete", "{\"reason\":\"it is there\"}"),
            entry("ask_question", "{\"question\":\"which?\"}"),
            entry("report_blocked", "{\"reason\":\"no network\"}"),
            entry("done", "{\"summary\":\"all\"}"),
            entry("review_complete", "{\"decision\":\"APPROVED\"}"),
            entry("submit_reply", "{\"message\":\"this one\"}"),
            entry("submit_stories", "{\"requirements\":[" + STORY + "]}"),
            entry("story_edit", STORY),
            entry("story_give_up", "{\"reason\":\"too large\"}"));

    private static final Map<String, String> SLOW = Map.of("shell", "{\"cmd\":\"sleep 30\"}");

    private static final AtomicInteger ATTEMPTS = new AtomicInteger();

    private static Store store;
    private static RawServer server;
    private static Skills skills;

    @Parameter
    ToolFactory tested;

    static Stream<Named<ToolFactory>> tools() {
        return Stream.of(
                        BuiltinTools.all().stream(),
                        BuiltinTools.web(
                                true,
                                (query, limit) ->
                                        List.of(new SearchResult("Java", "https://example.org", "a language")))
                                .stream(),
                        BuiltinTools.alone().stream()
                                .filter(tool -> tool.definition().terminal()))
                .flatMap(tools -> tools)
                .map(tool -> Named.of(tool.definition().name(), tool));
    }

    @BeforeAll
    static void open(@TempDir Path directory) throws Exception {
        store = Store.sqlite(directory.resolve("maestro.db"), text -> text);
        store.beginSession(new AuditLog.Session("s1", "https://example.org/app.git", Instant.now(), 1, null));
        TestCommits commits = TestCommits.in(Files.createDirectories(directory.resolve("skills")));
        String commit = commits.commit()
                .skill(".claude/skills/deploy", "How to deploy.")
                .make();
        skills = new RepositoryInstructions(commits.git(), TestCommits.REDACTOR, true, 150_000)
                .at(commit)
                .skills();
        server = new RawServer(socket -> RawServer.write(
                socket, "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello"));
    }

    @AfterAll
    static void end() throws IOException {
        server.close();
        store.close();
    }

    @Override
    protected ToolFactory factory() {
        return tested;
    }

    @Override
    protected String validArguments() {
        String name = tested.definition().name();
        return Objects.requireNonNull(ARGUMENTS.get(name), () -> "add valid arguments of " + name + " above")
                .replace("URL", server.url() + "/page");
    }

    @Override
    protected Optional<String> slowArguments() {
        return Optional.ofNullable(SLOW.get(tested.definition().name()));
    }

    @Override
    protected boolean announced() {
        return false;
    }

    @Override
    protected void prepare(ToolTester.Builder builder) {
        String arguments = validArguments();
        Todos todos = new Todos(store, text -> text);
        if (tested.definition().name().startsWith("todo")) {
            int attempt = ATTEMPTS.incrementAndGet();
            for (String story : List.of("042", "043")) {
                store.saveStory(story(story, attempt));
                todos.add(story, List.of("first"));
            }
        }
        if (arguments.contains("a.txt")) {
            try {
                Files.writeString(directory.resolve("a.txt"), "one\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        if (tested.definition().name().equals("backend_info")) {
            // To start every tool that is here takes seconds, a hundred times.
            builder.executor(ToolBench.ending(ExecResult.Ending.EXITED, OptionalInt.of(0), "git: git version 2\n"));
        }
        builder.service(WorkspaceView.class, new Workspace(directory))
                .service(Todos.class, todos)
                .service(ChatRoom.class, new ChatRoom(store, text -> text, event -> {}, "s1"))
                .service(Skills.class, skills)
                .service(
                        ProjectTests.class,
                        new ProjectTests(new ProjectCommands(null, "true", "true", "true", Duration.ofSeconds(30))))
                .service(
                        PageFetcher.class,
                        PageFetcher.of(
                                WebAccess.builder()
                                        .addresses("127.0.0.1")
                                        .ports(server.url().getPort())
                                        .build(),
                                (phase, host, port, tls) -> true));
    }

    /** Its difference needs no program. */
    private record Workspace(Path place) implements WorkspaceView {
        @Override
        public Set<String> coders() {
            return Set.of("coder-001");
        }

        @Override
        public Optional<Path> directory(String coderId) {
            return Optional.of(place);
        }

        @Override
        public Optional<String> diff(String coderId, @Nullable String path, long firstLine, int maxCharacters) {
            return Optional.of("+one\n");
        }
    }

    private static AuditLog.StoryRecord story(String id, int attempt) {
        return new AuditLog.StoryRecord(
                id,
                "s1",
                "A title",
                "Do it",
                "APP",
                false,
                CoderState.PLANNING,
                attempt,
                "coder-001",
                null,
                null,
                null,
                "{}",
                null,
                List.of(),
                Instant.now());
    }
}
