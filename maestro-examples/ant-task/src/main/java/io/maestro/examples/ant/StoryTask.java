package io.maestro.examples.ant;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.event.ConsoleProgress;
import io.maestro.llm.AnthropicClient;
import io.maestro.record.CostScope;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import java.io.File;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import org.apache.tools.ant.BuildException;
import org.apache.tools.ant.Project;
import org.apache.tools.ant.Task;
import org.apache.tools.ant.taskdefs.LogOutputStream;

/**
 * Has a story done by a team of agents, and its work merged into a repository. The key of the model is read from
 * ANTHROPIC_API_KEY.
 */
public final class StoryTask extends Task {
    private File file;
    private String repository;
    private String targetBranch;
    private File directory;
    private String model = "claude-sonnet-5";
    private String architectModel;
    private String testCommand;
    private BigDecimal costPerStory;
    private String commitProperty;
    private boolean failOnError = true;

    @Override
    public void execute() {
        required(file, "file");
        required(repository, "repository");
        try {
            StoryResult result = run(Story.fromMarkdown(file.toPath()).build());
            if (!result.succeeded()) {
                fail("story " + result.storyId() + " is " + result.outcome() + ": "
                        + result.error().orElse("no reason is known"));
                return;
            }
            result.mergeCommit()
                    .filter(commit -> commitProperty != null)
                    .ifPresent(commit -> getProject().setNewProperty(commitProperty, commit));
            log("story " + result.storyId() + " is " + result.outcome()
                    + result.mergeCommit().map(commit -> " as " + commit).orElse("")
                    + (result.untested() ? ", UNTESTED" : ""));
        } catch (MaestroException e) {
            throw new BuildException(e.getMessage(), e, getLocation());
        }
    }

    private StoryResult run(Story story) {
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory((directory == null ? getProject().resolveFile(".maestro") : directory).toPath())
                .repository(repository)
                .coderModel(AnthropicClient.fromEnvironment(model))
                // The jars that were given to <taskdef>, also where Maestro itself is in Ant's own lib directory.
                .tools(tools -> tools.classLoader(StoryTask.class.getClassLoader()));
        if (architectModel != null) {
            builder.architectModel(AnthropicClient.fromEnvironment(architectModel));
        }
        if (targetBranch != null) {
            builder.git(git -> git.targetBranch(targetBranch));
        }
        if (testCommand != null) {
            builder.testCommand(testCommand);
        }
        if (costPerStory != null) {
            builder.limits(
                    Limits.builder().costCap(CostScope.STORY, costPerStory).build());
        }
        PrintStream log = new PrintStream(new LogOutputStream(this, Project.MSG_INFO), true, Charset.defaultCharset());
        try (log;
                ConsoleProgress progress =
                        ConsoleProgress.builder(log).terminal(false).build();
                Maestro maestro = builder.listener(progress).build()) {
            maestro.toolProblems()
                    .forEach(problem -> log(problem.where() + ": " + problem.message(), Project.MSG_WARN));
            return maestro.run(story);
        }
    }

    private void fail(String message) {
        if (failOnError) {
            throw new BuildException(message, getLocation());
        }
        log(message, Project.MSG_ERR);
    }

    private void required(Object value, String name) {
        if (value == null) {
            throw new BuildException("<" + getTaskName() + "> needs the attribute " + name, getLocation());
        }
    }

    /**
     * Sets the story.
     *
     * @param story a Markdown file: its name is the story's id, its first heading or line the title
     */
    public void setFile(File story) {
        file = story;
    }

    /**
     * Sets where git clones from and pushes to.
     *
     * @param url a URL or a path
     */
    public void setRepository(String url) {
        repository = url;
    }

    /**
     * Sets the branch to start from and to merge into.
     *
     * @param branch default: the repository's own
     */
    public void setTargetBranch(String branch) {
        targetBranch = branch;
    }

    /**
     * Sets where Maestro keeps the record and the coders' workspaces.
     *
     * @param path default: {@code .maestro} in the project's base directory
     */
    public void setDirectory(File path) {
        directory = path;
    }

    /**
     * Sets the model that plans and codes.
     *
     * @param name default: claude-sonnet-5
     */
    public void setModel(String name) {
        model = name;
    }

    /**
     * Sets the model that reviews.
     *
     * @param name default: the one that codes
     */
    public void setArchitectModel(String name) {
        architectModel = name;
    }

    /**
     * Sets what runs the project's tests in the root of a workspace.
     *
     * @param command default: by the project's build file
     */
    public void setTestCommand(String command) {
        testCommand = command;
    }

    /**
     * Sets the most that the story may cost in all its attempts.
     *
     * @param dollars US dollars; default: no limit
     */
    public void setCostPerStory(String dollars) {
        try {
            costPerStory = new BigDecimal(dollars.strip());
        } catch (NumberFormatException e) {
            throw new BuildException("costPerStory: US dollars, for example 2.50, not '" + dollars + "'", e);
        }
    }

    /**
     * Sets the property that gets the commit of the merge.
     *
     * @param name a property; default: none
     */
    public void setCommitProperty(String name) {
        commitProperty = name;
    }

    /**
     * Sets whether the build fails when the story is not merged.
     *
     * @param fail default: true
     */
    public void setFailOnError(boolean fail) {
        failOnError = fail;
    }
}
