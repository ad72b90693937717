package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.AuditLog.Message;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class SharedPromptsTest {
    @TempDir
    Path directory;

    private static Message system(String storyId, String state, String content) {
        return new Message(
                "s1", storyId, 1, "coder-001", state, 0, "system", content, null, null, 0, 0, 0, 0, Samples.AT);
    }

    private static long number(String url, String sql) throws SQLException {
        try (Connection connection = Backend.connect(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void areKeptOnceAndReadWhole(Backend backend) throws SQLException {
        String url = backend.newRecord(directory);
        String same = "You are a coder. ".repeat(400);
        List<String> prompts = new ArrayList<>();
        try (Store store = Backend.open(url)) {
            Samples.begin(store);
            for (int i = 0; i < 20; i++) {
                prompts.add("[\"on branch s" + i + " " + same + "\"]");
                store.recordMessage(system("042", "CODING", prompts.get(i)));
            }
            store.recordMessage(system("043", "PLANNING", "[\"" + "Plan. ".repeat(1_000) + "\"]"));

            assertThat(store.messages("042")).extracting(Message::content).isEqualTo(prompts);
            assertThat(store.messages("042", 0, 7).rows())
                    .extracting(Message::content)
                    .isEqualTo(prompts.subList(0, 7));
            assertThat(store.messages("043"))
                    .extracting(Message::content)
                    .containsExactly("[\"" + "Plan. ".repeat(1_000) + "\"]");
        }

        assertThat(number(url, "SELECT count(*) FROM prompts")).isEqualTo(2);
        assertThat(number(url, "SELECT sum(length(content)) FROM messages WHERE story_id = '042'"))
                .isLessThan(1_500);
    }

    @Test
    void areCutBetweenCharacters() {
        String around = "x".repeat(600);
        // The first two differ in the second half of a character, the last two in the first half.
        List<String> prompts = new ArrayList<>();
        for (String face : List.of("\uD83D\uDE00", "\uD83D\uDE01", "\uD83E\uDE01")) {
            prompts.add("[" + around + face + around);
        }
        try (Store store = Backend.open(Backend.SQLITE.newRecord(directory))) {
            Samples.begin(store);
            prompts.forEach(prompt -> store.recordMessage(system("042", "CODING", prompt)));

            assertThat(store.messages("042")).extracting(Message::content).isEqualTo(prompts);
        }
    }

    /** Whatever they share and wherever they differ; also in halves of characters. */
    @Test
    void areReadAsTheyWereWritten() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String[] parts = {
            "a", "\uD83D\uDE00", "\uD83D\uDE01", "\uD83E\uDE00", "\uD83D", "\uDE00", "\0", "\"", "\\", "\n"
        };
        try (Store store = Backend.open(Backend.SQLITE.newRecord(directory))) {
            Samples.begin(store);
            List<String> written = new ArrayList<>();
            List<String> pieces = new ArrayList<>();
            for (int i = 0; i < 1_200; i++) {
                pieces.add(parts[random.nextInt(parts.length)]);
            }
            for (int i = 0; i < 200; i++) {
                for (int change = random.nextInt(3); change > 0; change--) {
                    pieces.set(random.nextInt(pieces.size()), parts[random.nextInt(parts.length)]);
                }
                if (random.nextInt(4) == 0) {
                    pieces.remove(random.nextInt(pieces.size()));
                }
                String content = "[" + String.join("", pieces);
                written.add(StorableText.of(content));
                store.recordMessage(system("042", "CODING", content));
            }

            assertThat(store.messages("042"))
                    .as("seed %d", seed)
                    .extracting(Message::content)
                    .isEqualTo(written);
        }
    }
}
