package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.agent.internal.Todos;
import io.maestro.chat.internal.ChatRoom;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.internal.Threads;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.ToolRuntime;
import io.maestro.runtime.internal.DefaultToolContext;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.CoderState;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chat and todos as agents have them: through the runtime and the registry, on a real record. */
class TeamToolsTest {
    private static final String SECRET = "correct-horse-battery";
    private static final String CODER = "coder-001";
    private static final String ARCHITECT = "architect-001";

    @TempDir
    Path directory;

    private final List<MaestroEvent> events = new CopyOnWriteArrayList<>();
    private final ToolRegistry registry =
            ToolRegistry.builder().builtIn(BuiltinTools.all()).build();
    private final Map<Class<?>, Object> services = new HashMap<>();
    private final Redactor redactor = SecretRedactor.builder().secret(SECRET).build();
    private Store store;
    private ToolRuntime runtime;

    @BeforeEach
    void open() {
        open(redactor);
        store.beginSession(new AuditLog.Session("s1", "https://example.org/app.git", Instant.now(), 1, null));
        attempt("042", 1);
    }

    private void open(Redactor scanner) {
        store = Store.sqlite(directory.resolve("maestro.db"), scanner);
        runtime = ToolRuntime.builder()
                .record(store::recordToolExecution)
                .redactor(scanner)
                .listener(events::add)
                .build();
        services.put(ChatRoom.class, new ChatRoom(store, scanner, events::add, "s1"));
        services.put(Todos.class, new Todos(store, scanner));
    }

    /** As when the process has ended and a new one has begun. */
    private void restart(Redactor scanner) {
        close();
        open(scanner);
    }

    @AfterEach
    void close() {
        runtime.close();
        store.close();
    }

    private void attempt(String storyId, int attempt) {
        store.saveStory(new AuditLog.StoryRecord(
                storyId,
                "s1",
                "A title",
                "Do it",
                "APP",
                false,
                CoderState.PLANNING,
                attempt,
                CODER,
                null,
                null,
                null,
                "{}",
                null,
                List.of(),
                Instant.now()));
    }

    private ToolResult call(String tool, Object... namesAndValues) {
        return callAs(ToolAudience.CODER_CODING, CODER, "042", tool, namesAndValues);
    }

    private ToolResult callAs(
            ToolAudience audience, String agentId, String storyId, String tool, Object... namesAndValues) {
        Map<String, Object> arguments = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            arguments.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        DefaultToolContext.Builder context =
                DefaultToolContext.builder(agentId, audience).storyId(storyId).services(services);
        if (audience == ToolAudience.CODER_CODING) {
            context.writable();
        }
        return runtime.call(
                registry.agentTools(context.build()),
                new ToolInvocation(
                        "call-1",
                        tool,
                        new JsonMapper().valueToTree(arguments).toString(),
                        new ToolInvocation.Caller("s1", agentId, storyId, 1, audience.name())));
    }

    /** All that is on the disk of the record; it is closed for that. */
    private String bytes() throws Exception {
        close();
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path path : files.toList()) {
                all.append(Files.readString(path, StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }

    private String todos(int attempt) {
        return new Todos(store, redactor).asText("042", attempt);
    }

    private void assertOffered(String tool, boolean readOnly, ToolAudience... audiences) {
        ToolDefinition definition = registry.definitions().stream()
                .filter(found -> found.name().equals(tool))
                .findFirst()
                .orElseThrow();
        assertThat(definition.audiences()).as(tool).containsExactlyInAnyOrder(audiences);
        assertThat(definition.readOnly()).as(tool).isEqualTo(readOnly);
        assertThat(definition.terminal()).as(tool).isFalse();
    }

    @Test
    void everyAgentHasTheChatAndACoderHasTodosFromPlanningOn() {
        assertOffered("chat_post", false, ToolAudience.values());
        assertOffered("chat_read", true, ToolAudience.values());
        for (String tool : List.of("todos_add", "todo_complete", "todo_update")) {
            assertOffered(tool, false, ToolAudience.CODER_PLANNING, ToolAudience.CODER_CODING);
        }
    }

    @Test
    void whatOneAgentWritesAnotherReads() {
        assertThat(call("chat_read").text()).isEqualTo("nobody has written to the chat yet");
        ToolResult posted =
                callAs(ToolAudience.CODER_PLANNING, CODER, "042", "chat_post", "text", "I change the API\nof Main");
        callAs(ToolAudience.ARCHITECT, ARCHITECT, "043", "chat_post", "text", "Good");

        assertThat(posted.isError()).isFalse();
        assertThat(posted.text()).isEqualTo("It is message #1 of the chat.");
        assertThat(callAs(ToolAudience.CODER_PLANNING, "coder-002", "050", "chat_read")
                        .text())
                .isEqualTo("""
                        [chat #1 from coder-001, story 042]
                          I change the API
                          of Main
                        [chat #2 from architect-001, story 043]
                          Good""");
        assertThat(call("chat_read", "last", 1).text()).startsWith("[chat #2 ").doesNotContain("#1");
        assertThat(store.toolExecutions("042")).hasSizeGreaterThan(2);
    }

    @Test
    void aPostThatIsMadeAgainAfterACrashIsReadOnce() {
        ToolResult first = call("chat_post", "text", "I change the API");
        restart(redactor);
        assertThat(call("chat_post", "text", "I change the API").text()).isEqualTo(first.text());
        assertThat(store.chat(0, 10)).hasSize(1);
    }

    @Test
    void aLongChatIsShownFromItsEnd() {
        for (int i = 0; i < 20; i++) {
            call("chat_post", "text", i + " " + "x".repeat(7_000));
        }
        String text = call("chat_read", "last", 50).text();
        assertThat(text)
                .startsWith("(14 older ones are left out, as all together are too long)\n[chat #15 ")
                .contains("[chat #20 ")
                .doesNotContain("characters left out");
    }

    @Test
    void faultsOfChatArgumentsAreReadable() {
        assertThat(call("chat_post").text()).contains("$.text: is missing but required");
        assertThat(call("chat_post", "text", "").text()).contains("$.text: ");
        assertThat(call("chat_post", "text", " \n").text())
                .isEqualTo("the message is blank and was not posted; write what the others should know");
        assertThat(call("chat_post", "text", "x".repeat(8_001)).text())
                .isEqualTo(
                        "the message has 8001 characters and was not posted; 8000 are allowed: say it shorter, or name"
                                + " the file where it stands");
        assertThat(call("chat_post", "text", "x", "to", "all").text()).contains("$.to: unknown property");
        for (int last : new int[] {0, 51}) {
            assertThat(call("chat_read", "last", last).text()).contains("$.last: ");
        }
        assertThat(store.chat(0, 10)).isEmpty();
        services.remove(ChatRoom.class);
        assertThat(call("chat_post", "text", "x").text()).contains("there is no chat here");
    }

    @Test
    void aSecretThatAnAgentPostsOrNotesReachesNobody() throws Exception {
        call("chat_post", "text", "the key is " + SECRET);
        call("todos_add", "todos", List.of("use the key " + SECRET));
        call("todo_update", "number", 1, "text", "take the key " + SECRET);

        assertThat(callAs(ToolAudience.ARCHITECT, ARCHITECT, "042", "chat_read").text())
                .contains("the key is [REDACTED:")
                .doesNotContain(SECRET);
        assertThat(todos(1)).startsWith("1. [ ] take the key [REDACTED:").doesNotContain(SECRET);
        assertThat(events.toString()).contains("ChatPosted").doesNotContain(SECRET);
        assertThat(bytes()).contains("REDACTED").doesNotContain(SECRET);
    }

    @Test
    void whatCannotBeScannedIsNotPostedAndNotNoted() throws Exception {
        call("todos_add", "todos", List.of("read"));
        restart(text -> {
            if (text.contains("boom")) {
                throw new IllegalStateException("on " + text);
            }
            return text;
        });
        assertThat(call("chat_post", "text", "boom is secret").text())
                .startsWith("the message could not be scanned for secrets and was not posted");
        assertThat(call("todos_add", "todos", List.of("write", "boom is secret"))
                        .text())
                .startsWith("todo 2 of these could not be scanned for secrets and nothing was noted");
        assertThat(call("todo_update", "number", 1, "text", "boom is secret").text())
                .startsWith("the text could not be scanned for secrets and nothing was noted");
        assertThat(store.chat(0, 10)).isEmpty();
        assertThat(todos(1)).isEqualTo("1. [ ] read");
        assertThat(bytes()).doesNotContain("boom is secret");
    }

    @Test
    void everyChangeOfTheTodosAnswersWithTheList() {
        assertThat(callAs(
                                ToolAudience.CODER_PLANNING,
                                CODER,
                                "042",
                                "todos_add",
                                "todos",
                                List.of("Read Main", " Write a\n  test ", "Change Main"))
                        .text())
                .isEqualTo("1. [ ] Read Main\n2. [ ] Write a test\n3. [ ] Change Main");
        assertThat(call("todo_complete", "number", 1).text())
                .isEqualTo("1. [x] Read Main\n2. [ ] Write a test\n3. [ ] Change Main");
        assertThat(call("todo_update", "number", 2, "status", "in_progress").text())
                .isEqualTo("1. [x] Read Main\n2. [>] Write a test\n3. [ ] Change Main");
        assertThat(call("todo_update", "number", 3, "text", "Change App", "status", "dropped")
                        .text())
                .isEqualTo("1. [x] Read Main\n2. [>] Write a test\n3. [-] Change App");
        assertThat(call("todo_update", "number", 1, "status", "pending").text()).startsWith("1. [ ] Read Main\n");
        assertThat(call("todo_update", "number", 1, "text", "Look at Main").text())
                .startsWith("1. [ ] Look at Main\n2. [>]");
        assertThat(call("todos_add", "todos", List.of("Clean up")).text()).endsWith("\n4. [ ] Clean up");
        assertThat(call("todo_complete", "number", 4).text()).endsWith("\n4. [x] Clean up");
        assertThat(store.todos("042", 1))
                .hasValue("[{\"text\":\"Look at Main\",\"status\":\"pending\"},"
                        + "{\"text\":\"Write a test\",\"status\":\"in_progress\"},"
                        + "{\"text\":\"Change App\",\"status\":\"dropped\"},"
                        + "{\"text\":\"Clean up\",\"status\":\"done\"}]");
    }

    @Test
    void theTodosSurviveARestartAndEachAttemptHasItsOwn() {
        assertThat(todos(1)).isEmpty();
        call("todos_add", "todos", List.of("one", "two"));
        restart(redactor);
        assertThat(todos(1)).isEqualTo("1. [ ] one\n2. [ ] two");
        assertThat(call("todo_complete", "number", 2).text()).isEqualTo("1. [ ] one\n2. [x] two");

        attempt("042", 2);
        attempt("043", 1);
        assertThat(todos(2)).isEmpty();
        assertThat(call("todos_add", "todos", List.of("again")).text()).isEqualTo("1. [ ] again");
        callAs(ToolAudience.CODER_CODING, "coder-002", "043", "todos_add", "todos", List.of("other"));
        assertThat(todos(1)).isEqualTo("1. [ ] one\n2. [x] two");
        assertThat(todos(2)).isEqualTo("1. [ ] again");
        assertThat(new Todos(store, redactor).asText("043", 1)).isEqualTo("1. [ ] other");
    }

    @Test
    void faultsOfTodoArgumentsAreReadable() {
        assertThat(call("todo_complete", "number", 1).text())
                .isEqualTo("there are no todos yet; make some by todos_add");
        assertThat(call("todos_add").text()).contains("$.todos: is missing but required");
        assertThat(call("todos_add", "todos", List.of()).text()).contains("$.todos: ");
        assertThat(call("todos_add", "todos", Collections.nCopies(21, "x")).text())
                .contains("$.todos: ");
        assertThat(call("todos_add", "todos", List.of("ok", "  ")).text())
                .isEqualTo("todo 2 of these is blank and nothing was noted; say what is to be done");
        assertThat(call("todos_add", "todos", List.of("x".repeat(501))).text())
                .isEqualTo("the todo has 501 characters and nothing was noted; 500 are allowed: say it shorter, or make"
                        + " several of it");
        assertThat(todos(1)).isEmpty();

        call("todos_add", "todos", List.of("x".repeat(500), "two"));
        assertThat(call("todo_complete", "number", 3).text())
                .startsWith("there is no todo 3, they go from 1 to 2:\n1. [ ] xxx");
        assertThat(call("todo_complete", "number", 0).text()).contains("$.number: ");
        assertThat(call("todo_complete", "number", "one").text()).contains("$.number: ");
        assertThat(call("todo_update", "number", 1).text())
                .isEqualTo("give a text, a status, or both; nothing was changed");
        assertThat(call("todo_update", "number", 1, "status", "finished").text())
                .contains("$.status: ", "pending", "in_progress", "done", "dropped");
        assertThat(callAs(ToolAudience.ARCHITECT, ARCHITECT, "042", "todos_add", "todos", List.of("x"))
                        .isError())
                .isTrue();
        assertThat(callAs(ToolAudience.CODER_CODING, CODER, "unknown", "todos_add", "todos", List.of("x"))
                        .text())
                .isEqualTo("there is no story unknown to keep todos for");
        services.remove(Todos.class);
        assertThat(call("todos_add", "todos", List.of("x")).text()).contains("there is no list of todos here");
    }

    @Test
    void aListHoldsFiftyAndSaysWhatToDoThen() {
        for (int i = 0; i < 48; i += 16) {
            call("todos_add", "todos", Collections.nCopies(16, "x"));
        }
        ToolResult full = call("todos_add", "todos", List.of("a", "b", "c"));
        assertThat(full.isError()).isTrue();
        assertThat(full.text())
                .startsWith("there are 48 todos already, and 50 are the most; nothing was added.")
                .endsWith("\n48. [ ] x");
        assertThat(call("todos_add", "todos", List.of("a", "b")).text()).endsWith("\n49. [ ] a\n50. [ ] b");
        assertThat(call("todo_complete", "number", 50).text()).endsWith("50. [x] b");
    }

    /** Tools that run beside each other must not lose each other's change. */
    @Test
    void changesAtTheSameTimeAreAllKept() throws Exception {
        ExecutorService threads = Threads.newExecutor("todos-test");
        try {
            List<Future<ToolResult>> calls = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                String text = "todo " + i;
                calls.add(threads.submit(() -> call("todos_add", "todos", List.of(text))));
            }
            for (Future<ToolResult> call : calls) {
                assertThat(call.get().isError()).isFalse();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(todos(1).lines().map(line -> line.replaceAll("^\\d+\\. ", "")))
                .hasSize(40)
                .doesNotHaveDuplicates();
    }

    /** What the record keeps of a list that it could not scan is a list, too; what is none says so. */
    @Test
    void aListThatTheRecordCouldNotScanGoesOn() {
        store.saveTodos("042", 1, "[\"[REDACTED: could not be scanned]\"]");
        assertThat(call("todos_add", "todos", List.of("x")).text())
                .isEqualTo("1. [ ] [REDACTED: could not be scanned]\n2. [ ] x");
        for (String broken : List.of("[{\"text\":\"secret\",\"status\":\"odd\"}]", "[{\"text\":\"secret")) {
            store.saveTodos("042", 1, broken);
            assertThatThrownBy(() -> todos(1))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("todos that cannot be read")
                    .hasMessageNotContaining("secret");
        }
    }
}
