package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.event.MaestroEvent;
import io.maestro.llm.LlmContent;
import io.maestro.secrets.OrdinaryTexts;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** From a tool to the rows, the events and the model: what it says is scanned for secrets once, and again when there are new ones. */
@Timeout(120)
class ScannedOnceTest {
    private static final int CALLS = 40;
    private static final int CHARACTERS = 25_000;
    private static final String SECRET = "correct-horse-battery";

    @TempDir
    Path directory;

    private final SecretRedactor rules = SecretRedactor.withDefaults();
    private final AtomicLong scanned = new AtomicLong();
    private final Redactor counting = new Redactor() {
        @Override
        public String redact(String text) {
            scanned.addAndGet(text.length());
            return rules.redact(text);
        }

        @Override
        public Object version() {
            return rules.version();
        }
    };

    /** A tool without arguments. */
    private static ToolFactory tool(String name, Tool tool) {
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder(name)
                        .description("Prints")
                        .input(schema -> schema.allowAdditionalProperties())
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return tool;
            }
        };
    }

    private TeamBench bench(Tool print, int calls) {
        TeamBench bench = new TeamBench(directory);
        bench.redactor = counting;
        bench.limits.turnsPerState(CALLS + 10).contextTokens(10_000_000);
        bench.tools.add(tool("print", print));
        PlaceLlm coder = new PlaceLlm();
        for (int i = 0; i < calls; i++) {
            coder.calls("CODING", "print", "n", i);
        }
        bench.coder = coder.calls("CODING", "write_file", "path", "a.txt", "content", "good")
                .calls("CODING", "done", "summary", "wrote it");
        bench.architectModel = new PlaceLlm()
                .calls("ANSWERING", "review_complete", "decision", "APPROVED")
                .calls("ANSWERING", "review_complete", "decision", "APPROVED");
        return bench;
    }

    @Test
    void aMegabyteOfOutputIsScannedOnce() {
        String text = OrdinaryTexts.of("log", CHARACTERS, new Random(1)).substring(0, CHARACTERS);
        TeamBench bench = bench(call -> ToolResult.ok(text), CALLS);
        try (TeamBench.Life life = bench.life()) {
            scanned.set(0);
            assertThat(life.run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.MERGED);
        }
        assertThat(scanned.doubleValue() / CALLS / CHARACTERS)
                .as("characters scanned for each of the output")
                .isBetween(1.0, 1.2);
    }

    @Test
    void aSecretThatBecomesKnownOnTheWayIsInNothingThatComesLater() {
        List<String> told = new ArrayList<>();
        TeamBench bench = bench(call -> ToolResult.ok("the word is " + SECRET), 2);
        bench.listeners.add(event -> {
            if (event instanceof MaestroEvent.ToolFinished ended && ended.tool().equals("print")) {
                told.add(ended.answer());
                rules.addSecret(SECRET);
            }
        });
        try (TeamBench.Life life = bench.life()) {
            assertThat(life.run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(told).hasSize(2).element(1).isEqualTo("the word is [REDACTED:known-secret]");
            assertThat(life.store.messages("042").toString())
                    .contains("the word is [")
                    .doesNotContain(SECRET);
            assertThat(life.store.toolExecutions("042"))
                    .filteredOn(row -> row.tool().equals("print"))
                    .element(1)
                    .matches(row -> !row.result().contains(SECRET));
        }
        assertThat(((PlaceLlm) bench.coder).requests)
                .flatExtracting(request -> request.messages())
                .flatExtracting(message -> message.content())
                .filteredOn(LlmContent.ToolReply.class::isInstance)
                .noneMatch(reply -> reply.toString().contains(SECRET));
    }
}
