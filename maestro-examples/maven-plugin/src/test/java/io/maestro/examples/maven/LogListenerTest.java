package io.maestro.examples.maven;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.event.MaestroEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.maven.plugin.logging.Log;
import org.apache.maven.plugin.logging.SystemStreamLog;
import org.junit.jupiter.api.Test;

/** What agents say, in the log of a build. */
class LogListenerTest {
    private final List<String> lines = new ArrayList<>();

    private final Log log = new SystemStreamLog() {
        @Override
        public void info(CharSequence content) {
            lines.add(content.toString());
        }

        @Override
        public void warn(CharSequence content) {
            lines.add(content.toString());
        }
    };

    @Test
    void anAgentForgesNoLineAndCommandsNoTerminal() {
        String evil = "a\n[INFO] BUILD SUCCESS\r\u001b[2J\u202e\u2028\u200b";
        LogListener listener = new LogListener(log);
        listener.onEvent(new MaestroEvent.ChatPosted("7", "coder-001", 1, evil, Instant.EPOCH));
        listener.onEvent(new MaestroEvent.StoryGivenUp("spec", "7", "architect", evil, Instant.EPOCH));
        assertThat(lines)
                .hasSize(2)
                .allSatisfy(line -> assertThat(line)
                        .contains("a [INFO] BUILD SUCCESS\\u000d\\u001b[2J\\u202e\\u2028\\u200b")
                        .doesNotContainPattern("[\\p{Cc}\\p{Cf}\\x{2028}]"));
    }
}
