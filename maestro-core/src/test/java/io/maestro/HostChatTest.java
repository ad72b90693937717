package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.chat.Chat;
import io.maestro.chat.ChatException;
import io.maestro.event.MaestroEvent;
import io.maestro.record.AuditLog;
import io.maestro.record.StoreException;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testing.Await;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostChatTest {
    private static final String SECRET = "correct-horse-battery";

    @TempDir
    Path directory;

    private final List<MaestroEvent> events = new CopyOnWriteArrayList<>();

    private TestRepository repository;

    @BeforeEach
    void createRepository() {
        repository = TestRepository.create(directory, Map.of("README.md", "x"));
    }

    private Maestro maestro(ScriptedLlm coder) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving())
                .testCommand("true")
                .secret(SECRET)
                .listener(events::add)
                .build();
    }

    private Maestro idle() {
        return maestro(ScriptedLlm.builder("coder").build());
    }

    private String record() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(directory.resolve("project/.maestro"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.append(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }

    @Test
    void theHostWritesAndReads() {
        Chat chat;
        try (Maestro maestro = idle()) {
            chat = maestro.chat();
            AuditLog.ChatPost first = chat.post("Release is on Friday");
            AuditLog.ChatPost second = chat.post("ada.l-1", "Fine");

            assertThat(first.author()).isEqualTo("host");
            assertThat(first.storyId()).isNull();
            assertThat(first.sessionId()).isEqualTo(maestro.sessionId());
            assertThat(second.author()).isEqualTo("ada.l-1");
            assertThat(chat.read(0, 10)).containsExactly(first, second);
            assertThat(chat.read(first.number(), 10)).containsExactly(second);
            assertThat(chat.last(1)).containsExactly(second);
            assertThat(maestro.auditLog().chat(0, 10)).containsExactly(first, second);
            MaestroEvent told = new MaestroEvent.ChatPosted("", "ada.l-1", second.number(), "Fine", second.at());
            Await.until("it is told", () -> events.contains(told));
        }
        assertThatThrownBy(() -> chat.post("too late")).isInstanceOf(StoreException.class);
        try (Maestro next = idle()) {
            assertThat(next.chat().last(5))
                    .extracting(AuditLog.ChatPost::text)
                    .containsExactly("Release is on Friday", "Fine");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-a",
                "_a",
                ".a",
                "a b",
                "a\n",
                "a]",
                "ä",
                "coder-001",
                "Coder-1",
                "architect-001",
                "ARCHITECT-12345",
                "dispatcher"
            })
    void theHostTakesNoAgentsNameAndNoneThatIsNoName(String author) {
        try (Maestro maestro = idle()) {
            assertThatThrownBy(() -> maestro.chat().post(author, "hello"))
                    .isInstanceOf(ChatException.class)
                    .hasMessageContaining("the message was not posted");
            assertThatThrownBy(() -> maestro.chat().post("a".repeat(65), "hello"))
                    .isInstanceOf(ChatException.class);
            assertThat(maestro.chat().post("a".repeat(64), "hello").number()).isEqualTo(1);
            assertThat(maestro.chat().last(10)).hasSize(1);
        }
    }

    @Test
    void aSecretThatTheHostPostsReachesNobody() throws IOException {
        try (Maestro maestro = idle()) {
            AuditLog.ChatPost post = maestro.chat().post("log in with " + SECRET);
            assertThat(post.text()).startsWith("log in with [REDACTED:");
            assertThat(maestro.chat().last(1)).containsExactly(post);
            assertThatThrownBy(() -> maestro.chat().post(SECRET, "hello")).isInstanceOf(ChatException.class);
        }
        assertThat(events.toString()).contains("log in with [REDACTED:").doesNotContain(SECRET);
        assertThat(record()).contains("log in with [REDACTED:").doesNotContain(SECRET);
    }

    @Test
    void whatTheHostWritesIsInTheNextCallOfTheModelOnceInEachConversation() {
        AtomicReference<Maestro> host = new AtomicReference<>();
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Turn.any().reply(request -> {
                    host.get().chat().post("Use port 8080");
                    return Reply.toolCall("list_files", Map.of());
                }))
                .turn(Turn.expecting("]\n  Use port 8080").reply(Reply.toolCall("submit_plan", Map.of("plan", "so"))))
                .turn(Turn.expecting("]\n  Use port 8080")
                        .reply(Reply.toolCall("write_file", Map.of("path", "a", "content", "b"))))
                .turn(Reply.toolCall("done", Map.of("summary", "done")))
                .build();
        try (Maestro maestro = maestro(coder)) {
            host.set(maestro);
            maestro.chat().post("long ago");
            StoryResult result =
                    maestro.run(Story.builder("042", "Write").content("a").build());
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            coder.assertFinished();
            assertThat(maestro.auditLog().messages("042").stream()
                            .filter(message -> message.role().equals("user")
                                    && message.content().contains("[chat #2 from host]")))
                    .extracting(AuditLog.Message::state)
                    .containsExactly("PLANNING", "CODING");
            assertThat(maestro.auditLog().messages("042").toString()).doesNotContain("long ago");
        }
    }

    @Test
    void aCoderUsesChatAndTodosFromItsFirstTurnOn() throws IOException {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("todos_add", Map.of("todos", List.of("write a", "write b"))))
                .turn(Turn.expecting("1. [ ] write a\n2. [ ] write b")
                        .reply(Reply.toolCall("chat_post", Map.of("text", "I write a and b, key " + SECRET))))
                .turn(Reply.toolCall("submit_plan", Map.of("plan", "so")))
                .turn(Reply.toolCall("write_file", Map.of("path", "a", "content", "b")))
                .turn(Reply.toolCall("todo_complete", Map.of("number", 1)))
                .turn(Turn.expecting("1. [x] write a\n2. [ ] write b").reply(Reply.toolCall("chat_read", Map.of())))
                .turn(Turn.expecting("I write a and b, key [REDACTED:")
                        .reply(Reply.toolCall("done", Map.of("summary", "done"))))
                .build();
        try (Maestro maestro = maestro(coder)) {
            StoryResult result =
                    maestro.run(Story.builder("042", "Write").content("a and b").build());
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            coder.assertFinished();
            assertThat(maestro.chat().last(5))
                    .singleElement()
                    .satisfies(post -> assertThat(post.author()).isEqualTo("coder-001"))
                    .satisfies(post -> assertThat(post.storyId()).isEqualTo("042"));
            assertThat(maestro.auditLog().todos("042", 1)).isPresent();
        }
        assertThat(events.toString()).contains("ChatPosted[storyId=042").doesNotContain(SECRET);
        assertThat(record()).doesNotContain(SECRET);
    }
}
