package io.maestro.examples.plain;

import io.maestro.Maestro;
import io.maestro.llm.AnthropicClient;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import java.nio.file.Path;

/** A host in a module of its own. */
public final class Host {
    private Host() {}

    /**
     * Runs a story.
     *
     * @param args the repository, and the file of the story
     */
    public static void main(String[] args) {
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(Path.of("work"))
                .repository(args[0])
                .coderModel(AnthropicClient.fromEnvironment("claude-sonnet-5"))
                .testCommand("grep Hola greeting.txt")
                .build()) {
            StoryResult result =
                    maestro.run(Story.fromMarkdown(Path.of(args[1])).build());
            System.out.println(result.outcome() + " from " + Host.class.getModule());
        }
    }
}
