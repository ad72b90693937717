package io.maestro.examples.embedding;

import io.maestro.Maestro;
import io.maestro.llm.AnthropicClient;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import java.nio.file.Files;
import java.nio.file.Path;

/** The smallest host: README.md shows its main method. */
public final class Embedding {
    private Embedding() {}

    /**
     * Runs one story.
     *
     * @param args the repository, and the file of the story
     * @throws Exception when the file cannot be read
     */
    public static void main(String[] args) throws Exception {
        Story story = Story.builder("042", "Add a health endpoint")
                .content(Files.readString(Path.of(args[1])))
                .build();
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(Path.of("work"))
                .repository(args[0])
                .coderModel(AnthropicClient.fromEnvironment("claude-sonnet-5"))
                .build()) {
            StoryResult result = maestro.run(story);
            System.out.println(result.outcome() + " "
                    + result.mergeCommit().or(result::error).orElse("-"));
        }
    }
}
