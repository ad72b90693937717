package io.maestro.chat.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.maestro.chat.ChatException;
import io.maestro.event.MaestroEvent;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.SecretRedactor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChatRoomTest {
    private static final String SECRET = "correct-horse-battery";

    @TempDir
    Path directory;

    private final List<MaestroEvent> events = new CopyOnWriteArrayList<>();
    private final SecretRedactor redactor =
            SecretRedactor.builder().secret(SECRET).build();
    private Path file;
    private Store store;
    private ChatRoom room;

    @BeforeEach
    void open() {
        file = directory.resolve("maestro.db");
        store = Store.sqlite(file, redactor);
        store.beginSession(new AuditLog.Session("s1", "https://example.org/app.git", Instant.now(), 1, null));
        room = room(redactor);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private ChatRoom room(Redactor scanner) {
        return new ChatRoom(store, scanner, events::add, "s1");
    }

    /** All that is on the disk of the record. */
    private String bytes() throws Exception {
        store.close();
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path path : files.toList()) {
                all.append(Files.readString(path, StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }

    @Test
    void keepsAMessageAndTellsOfIt() {
        AuditLog.ChatPost first = room.post("host", null, "Hello\nall");
        AuditLog.ChatPost second = room.post("coder-001", "042", " x ");

        assertThat(second.number()).isGreaterThan(first.number());
        assertThat(room.log().read(0, 10)).containsExactly(first, second);
        assertThat(room.log().read(first.number(), 10)).containsExactly(second);
        assertThat(room.log().read(second.number(), 10)).isEmpty();
        assertThat(first.text()).isEqualTo("Hello\nall");
        assertThat(first.storyId()).isNull();
        assertThat(second.storyId()).isEqualTo("042");
        assertThat(second.sessionId()).isEqualTo("s1");
        assertThat(events)
                .containsExactly(
                        new MaestroEvent.ChatPosted("", "host", first.number(), "Hello\nall", first.at()),
                        new MaestroEvent.ChatPosted("042", "coder-001", second.number(), " x ", second.at()));
    }

    @Test
    void noSecretReachesTheRecordAReaderOrAListener() throws Exception {
        AuditLog.ChatPost post = room.post("coder-001", "042", "the key is " + SECRET + ", use it");
        AuditLog.ChatPost once = room.postOnce("coder-002", "043", "key: " + SECRET);

        assertThat(post.text()).startsWith("the key is [REDACTED:").endsWith("], use it");
        assertThat(room.log().last(10)).containsExactly(post, once);
        assertThat(events.toString()).contains("REDACTED").doesNotContain(SECRET);
        assertThat(bytes()).contains("the key is [REDACTED:").doesNotContain(SECRET);
    }

    @Test
    void aSecretAsAnAuthorIsRefused() throws Exception {
        assertThatThrownBy(() -> room.post(SECRET, null, "hello"))
                .isInstanceOf(ChatException.class)
                .hasMessageNotContaining(SECRET);
        assertThat(events).isEmpty();
        assertThat(bytes()).doesNotContain(SECRET);
    }

    @Test
    @SuppressWarnings("DataFlowIssue") // null is a fault that is tried
    void whatCannotBeScannedDoesNotPass() throws Exception {
        SecretRedactor broken = SecretRedactor.builder()
                .rule("broken", "boom", "boom(?<secret>(x+x+)+y)")
                .build();
        String hard = "boom" + "x".repeat(5_000);
        assertThat(broken.redact(hard)).as("the rule cannot be tried").contains("could not be scanned");
        List<ChatRoom> rooms = List.of(
                room(text -> {
                    throw new IllegalStateException("on " + text);
                }),
                room(text -> {
                    throw new StackOverflowError();
                }),
                room(text -> null),
                room(broken));
        for (ChatRoom closed : rooms) {
            assertThatThrownBy(() -> closed.postOnce("coder-001", "042", hard))
                    .isInstanceOf(ChatException.class)
                    .hasMessageContaining("could not be scanned for secrets and was not posted")
                    .hasMessageNotContaining("xxx");
            assertThatThrownBy(() -> closed.post("host", null, hard)).isInstanceOf(ChatException.class);
        }
        assertThat(room.log().newest()).isZero();
        assertThat(events).isEmpty();
        assertThat(bytes()).doesNotContain("xxx");
    }

    @Test
    void theLengthCountsWhenSecretsAreTakenOut() {
        assertThat(room.post("host", null, "a".repeat(8_000)).text()).hasSize(8_000);
        assertThatThrownBy(() -> room.post("host", null, "a".repeat(8_001)))
                .isInstanceOf(ChatException.class)
                .hasMessageContaining("has 8001 characters and was not posted; 8000 are allowed");
        String longSecret = IntStream.range(0, 3_000).mapToObj(i -> "s" + i).collect(Collectors.joining("-"));
        redactor.addSecret(longSecret);
        assertThat(room.post("host", null, "gone: " + longSecret).text()).hasSizeLessThan(100);
        for (String blank : List.of("", " ", "\n\t")) {
            assertThatThrownBy(() -> room.post("host", null, blank)).hasMessageContaining("blank");
        }
        assertThat(room.log().last(50)).hasSize(2);
    }

    @Test
    void anAgentThatRepeatsItselfIsHeardOnce() {
        AuditLog.ChatPost first = room.postOnce("coder-001", "042", "done " + SECRET);
        room.postOnce("coder-002", "043", "other");

        assertThat(room.postOnce("coder-001", "042", "done " + SECRET)).isEqualTo(first);
        // For another story, by somebody else, or after something else it is news.
        assertThat(room.postOnce("coder-001", "050", first.text()).number()).isGreaterThan(first.number());
        assertThat(room.postOnce("coder-002", "042", first.text()).number()).isGreaterThan(first.number());
        room.postOnce("coder-001", "042", "something else");
        assertThat(room.postOnce("coder-001", "042", first.text()).number()).isGreaterThan(first.number());
        assertThat(room.log().last(50)).hasSize(6);
        assertThat(events).hasSize(6);
    }

    @Test
    void theNewestAreFoundWithGapsInTheNumbers() {
        NavigableMap<Long, AuditLog.ChatPost> posts = new TreeMap<>();
        Store store = mock();
        when(store.chat(anyLong(), anyInt()))
                .then(call -> posts.tailMap(call.getArgument(0), false).values().stream()
                        .limit(call.<Integer>getArgument(1))
                        .toList());
        when(store.newestPost()).then(call -> posts.isEmpty() ? 0L : posts.lastKey());
        ChatLog log = new ChatLog(store);
        assertThat(log.newest()).isZero();
        assertThat(log.last(3)).isEmpty();
        long[] numbers = {1, 2, 3, 90, 91, 1_000, 1_000_000_000_000L, 1_000_000_000_001L, 1_000_000_000_050L};
        for (long number : numbers) {
            posts.put(number, new AuditLog.ChatPost(number, "s1", null, "host", "x", Instant.EPOCH));
            assertThat(log.newest()).isEqualTo(number);
            assertThat(log.last(1)).extracting(AuditLog.ChatPost::number).containsExactly(number);
        }
        assertThat(log.last(4))
                .extracting(AuditLog.ChatPost::number)
                .containsExactly(1_000L, 1_000_000_000_000L, 1_000_000_000_001L, 1_000_000_000_050L);
        assertThat(log.last(50)).hasSize(numbers.length);
    }

    @Test
    void asksForNothingAreRefused() {
        assertThatThrownBy(() -> room.log().read(0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> room.log().last(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> room.log().read(-1, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
