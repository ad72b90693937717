package io.maestro.examples.embedding;

import io.maestro.Maestro;
import io.maestro.claude.ClaudeCodeMode;
import io.maestro.docker.DockerEnvironments;
import io.maestro.llm.AnthropicClient;
import io.maestro.story.Story;
import java.nio.file.Path;

/** A host whose coders are Claude Code. */
public final class WithClaudeCode {
    private WithClaudeCode() {}

    /**
     * Runs one story.
     *
     * @param args the repository, and the file of the story
     * @throws Exception when the file cannot be read
     */
    public static void main(String[] args) throws Exception {
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(Path.of("work"))
                .repository(args[0])
                .coderMode(ClaudeCodeMode.builder()
                        .model("sonnet")
                        .hostProgram(Path.of("node_modules/@anthropic-ai/claude-code"))
                        .build())
                .architectModel(AnthropicClient.fromEnvironment("claude-sonnet-5"))
                .environment(DockerEnvironments.builder().build())
                .build()) {
            Story story = Story.fromMarkdown(Path.of(args[1])).build();
            System.out.println(maestro.run(story));
        }
    }
}
