package io.maestro.examples.maven;

import io.maestro.Maestro;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import java.io.File;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;

/**
 * Has a story done by a team of agents, and its work merged into the project's repository. The key of the model is read from
 * ANTHROPIC_API_KEY.
 */
@Mojo(name = "story", aggregator = true, threadSafe = true)
public final class StoryMojo extends MaestroMojo {
    /** The story, in Markdown: its name is the story's id, its first heading or line the title. */
    @Parameter(property = "maestro.storyFile", required = true)
    private File storyFile;

    @Override
    void work() throws MojoFailureException {
        Story story = Story.fromMarkdown(storyFile.toPath()).build();
        StoryResult result;
        try (Maestro maestro = maestro()) {
            result = maestro.run(story);
        }
        if (!result.succeeded()) {
            throw new MojoFailureException("story " + result.storyId() + " is " + result.outcome() + ": "
                    + result.error().orElse("no reason is known"));
        }
        getLog().info("story " + result.storyId() + " is " + result.outcome()
                + result.mergeCommit().map(commit -> " as " + commit).orElse("")
                + (result.untested() ? ", UNTESTED" : "")
                + spent(result.usage(), result.cost()));
    }
}
