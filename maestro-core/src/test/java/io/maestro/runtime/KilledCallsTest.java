package io.maestro.runtime;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.AuditLog;
import io.maestro.record.internal.Samples;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.testing.Campaign;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process is killed in the middle of its calls, time and again, on one record: every call that returned is in it. */
class KilledCallsTest {
    private static final int THREADS = 8;

    @TempDir
    Path directory;

    /** Calls for ever with some threads, and prints each call's id and answer once it has returned. */
    public static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            Store store = Store.sqlite(Path.of(arguments[0]), text -> text);
            String life = arguments[1];
            store.beginSession(Samples.session(life));
            store.saveStory(Samples.story("042", 1, CoderState.WAITING));
            ToolRuntime runtime = ToolRuntime.builder()
                    .record(store::recordToolExecution)
                    .redactor(text -> text)
                    .build();
            AgentTools provider = ToolRegistry.builder()
                    .build()
                    .register(TestTools.tool(
                            "answer",
                            definition -> definition.input(schema -> schema.requiredString("of", "What")),
                            call -> ToolResult.ok(
                                    "answer of " + call.arguments().string("of"))))
                    .agentTools(TestTools.CODING);
            for (int i = 0; i < THREADS; i++) {
                String thread = life + "-" + i;
                new Thread(() -> call(runtime, provider, life, thread)).start();
            }
        }

        private static void call(ToolRuntime runtime, AgentTools provider, String life, String thread) {
            ToolInvocation.Caller caller = new ToolInvocation.Caller(life, "coder-001", "042", 1, "CODING");
            for (int i = 0; ; i++) {
                String id = thread + "-" + i;
                ToolResult result =
                        runtime.call(provider, new ToolInvocation(id, "answer", "{\"of\":\"" + id + "\"}", caller));
                System.out.print(id + "=" + result.text() + "\n");
                System.out.flush();
            }
        }
    }

    @Test
    @Tag("campaign")
    @Timeout(1_800)
    void everyCallThatReturnedIsInTheRecord() throws Exception {
        int kills = Campaign.number(2);
        kill(kills, kills * 150);
    }

    @Test
    @Full("everyCallThatReturnedIsInTheRecord has 300 calls")
    void everyCallOfManyIsInTheRecord() throws Exception {
        kill(2, 1_000);
    }

    private void kill(int kills, int calls) throws Exception {
        Random random = new Random(Campaign.seed("killed calls"));
        Path file = directory.resolve("maestro.db");
        Map<String, String> returned = new HashMap<>();
        int rows = 0;
        for (int life = 1; life <= kills; life++) {
            // More may have returned before a kill than was waited for.
            int left = Math.max(1, calls * life / kills - returned.size());
            int wanted = life == kills ? left : 1 + random.nextInt(2 * left);
            List<String> printed = killedAfter(file, "s" + life, wanted);
            printed.forEach(line -> returned.put(line.substring(0, line.indexOf('=')), line));
            rows = requireRecorded(file, returned, life);
        }
        System.out.println(kills + " kills, " + returned.size() + " calls returned, " + rows + " rows");
        assertThat(returned).hasSizeGreaterThanOrEqualTo(calls);
    }

    /** What a process has printed that is killed when so many lines are there. */
    private List<String> killedAfter(Path file, String life, int lines) throws Exception {
        Path out = directory.resolve(life);
        Process child = ChildJvm.of(directory.resolve("tmp"), Child.class, file.toString(), life)
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            while (wholeLines(out).size() < lines) {
                assertThat(child.isAlive())
                        .as("the process lives until it is killed")
                        .isTrue();
                LockSupport.parkNanos(500_000);
            }
        } finally {
            child.destroyForcibly();
            assertThat(child.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
        return wholeLines(out);
    }

    /** The kill may cut the last one. */
    private static List<String> wholeLines(Path file) throws IOException {
        String text = Files.readString(file);
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    }

    private static int requireRecorded(Path file, Map<String, String> returned, int lives) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                ResultSet answer = connection.createStatement().executeQuery("PRAGMA integrity_check")) {
            assertThat(answer.getString(1)).isEqualTo("ok");
        }
        List<String> ids = new ArrayList<>();
        Map<String, String> recorded = new HashMap<>();
        try (Store store = Store.sqlite(file, text -> text)) {
            for (AuditLog.ToolExecution row : store.toolExecutions("042")) {
                ids.add(row.callId());
                assertThat(row.result()).isEqualTo("{\"text\":\"answer of " + row.callId() + "\"}");
                assertThat(row.parameters()).isEqualTo("{\"of\":\"" + row.callId() + "\"}");
                recorded.put(row.callId(), row.callId() + "=answer of " + row.callId());
            }
        }
        assertThat(ids).doesNotHaveDuplicates();
        assertThat(recorded).containsAllEntriesOf(returned);
        // In each life each thread may have had one that was written and had not returned yet.
        assertThat(recorded).hasSizeLessThanOrEqualTo(returned.size() + lives * THREADS);
        return recorded.size();
    }
}
