package io.maestro.examples.embedding;

import io.maestro.Maestro;
import io.maestro.docker.ContainerLimits;
import io.maestro.docker.DockerEnvironments;
import io.maestro.llm.AnthropicClient;
import io.maestro.story.Story;
import java.nio.file.Path;

/** A host whose agents work in containers. */
public final class InContainers {
    private InContainers() {}

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
                .coderModel(AnthropicClient.fromEnvironment("claude-sonnet-5"))
                .environment(DockerEnvironments.builder()
                        .dockerfile(".maestro/Dockerfile")
                        .limits(new ContainerLimits(4, 4L << 30, 2048))
                        .build())
                .build()) {
            Story story = Story.fromMarkdown(Path.of(args[1])).build();
            System.out.println(maestro.run(story));
        }
    }
}
