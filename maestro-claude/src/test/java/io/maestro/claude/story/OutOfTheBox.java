package io.maestro.claude.story;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.docker.DockerEnvironments;
import io.maestro.story.StoryResult;
import java.nio.file.Path;

/** A host with nothing configured of Claude Code but that it is to be used; the key is in its environment. */
final class OutOfTheBox {
    private OutOfTheBox() {}

    /** Arguments: the directory, and the base image or nothing. */
    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(TestRepository.existing(directory).url())
                .config("{\"agents\": {\"coder_mode\": \"claude-code\", \"coder_model\": \"claude-sonnet-4-5\"}}")
                // Else Maestro itself tells what the repository says: nothing is to come by another way.
                .prompts(prompts -> prompts.repositoryInstructions(false))
                .architect(new Asked())
                .testCommand("test -f feature.txt");
        if (arguments.length > 1) {
            // Tests can pull no image.
            builder.environment(DockerEnvironments.builder()
                    .images(all -> all.base(arguments[1]).allowed("maestro-test/*"))
                    .build());
        }
        try (Maestro maestro = builder.build()) {
            StoryResult result = maestro.run(ClaudeHost.STORY);
            System.out.println(
                    "outcome " + result.outcome() + " " + result.error().orElse(""));
        }
    }
}
