package io.maestro.claude.story;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.claude.ClaudeCodeMode;
import io.maestro.docker.DockerEnvironments;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import java.net.URI;
import java.nio.file.Path;

/** One life of a host that runs a story with Claude Code; says how it ended. */
final class ClaudeHost {
    static final Story STORY =
            Story.builder("1", "A feature").content("write feature.txt").build();

    private ClaudeHost() {}

    /** Arguments: the directory, the API, the CLI's program, and the base image or nothing. */
    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        Path program = Path.of(arguments[2]);
        ClaudeCodeMode.Builder mode = ClaudeCodeMode.builder()
                .model("claude-sonnet-4-5")
                .apiKey("sk-ant-real-planted-91ab")
                .baseUrl(URI.create(arguments[1]));
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(TestRepository.existing(directory).url())
                .architect(new Asked())
                .testCommand("test -f feature.txt");
        if (arguments.length > 3) {
            builder.environment(DockerEnvironments.builder()
                    .images(all -> all.base(arguments[3]).allowed("maestro-test/*"))
                    .build());
            mode.hostProgram(program);
        } else {
            mode.program(program.toString());
        }
        try (Maestro maestro = builder.coderMode(mode.build()).build()) {
            StoryResult result = maestro.run(STORY);
            System.out.println("outcome " + result.outcome() + " attempt " + result.attempt() + " "
                    + result.error().orElse(""));
        }
    }
}
