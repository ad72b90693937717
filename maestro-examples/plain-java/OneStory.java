///usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA 17+
//DEPS io.maestro:maestro-core:0.1.0-SNAPSHOT
//DEPS org.xerial:sqlite-jdbc:3.54.1.0
//DEPS org.slf4j:slf4j-simple:2.0.20
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED

import io.maestro.Maestro;
import io.maestro.record.CostScope;
import io.maestro.agent.Limits;
import io.maestro.event.ConsoleProgress;
import io.maestro.llm.AnthropicClient;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import java.math.BigDecimal;
import java.nio.file.Path;

/** Runs a story: OneStory.java REPOSITORY STORY.md [TEST COMMAND]. The key is read from ANTHROPIC_API_KEY. */
class OneStory {
    public static void main(String[] args) {
        var builder = Maestro.builder()
                .projectDirectory(Path.of(".maestro"))
                .repository(args[0])
                .coderModel(AnthropicClient.fromEnvironment("claude-sonnet-5"))
                .limits(Limits.builder()
                        .costCap(CostScope.STORY, new BigDecimal("2"))
                        .build());
        if (args.length > 2) {
            builder.testCommand(args[2]);
        }
        StoryResult result;
        try (var progress = ConsoleProgress.builder(System.out).build();
                var maestro = builder.listener(progress).build()) {
            result = maestro.run(Story.fromMarkdown(Path.of(args[1])).build());
        }
        System.out.println(result.outcome() + " " + result.mergeCommit().or(result::error).orElse(""));
        System.exit(result.succeeded() ? 0 : 1);
    }
}
