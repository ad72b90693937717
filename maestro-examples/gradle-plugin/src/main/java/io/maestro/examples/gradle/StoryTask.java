package io.maestro.examples.gradle;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.record.CostScope;
import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.event.ConsoleProgress;
import io.maestro.llm.AnthropicClient;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import javax.inject.Inject;
import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.InvalidUserDataException;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.file.ProjectLayout;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.provider.ProviderFactory;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;
import org.gradle.api.tasks.UntrackedTask;
import org.gradle.api.tasks.options.Option;

/** Has a story done. The key of the model is read from ANTHROPIC_API_KEY. */
@UntrackedTask(because = "what it changes is in a repository")
public abstract class StoryTask extends DefaultTask {
    private final ProviderFactory providers;
    private final ProjectLayout layout;

    /**
     * Called by Gradle.
     *
     * @param providers Gradle's
     * @param layout Gradle's
     */
    @Inject
    @SuppressWarnings("InjectOnConstructorOfAbstractClass") // Gradle makes the subclass.
    public StoryTask(ProviderFactory providers, ProjectLayout layout) {
        this.providers = providers;
        this.layout = layout;
    }

    /** Has the story done, and fails when it is not merged. */
    @TaskAction
    public void run() {
        try {
            StoryResult result =
                    run(Story.fromMarkdown(getStoryFile().get().getAsFile().toPath())
                            .build());
            if (!result.succeeded()) {
                throw new GradleException("story " + result.storyId() + " is " + result.outcome() + ": "
                        + result.error().orElse("no reason is known"));
            }
            getLogger()
                    .quiet(
                            "story {} is {}{}{}",
                            result.storyId(),
                            result.outcome(),
                            result.mergeCommit().map(commit -> " as " + commit).orElse(""),
                            result.untested() ? ", UNTESTED" : "");
        } catch (MaestroException e) {
            throw new GradleException(e.getMessage(), e);
        }
    }

    private StoryResult run(Story story) {
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(getDirectory().get().getAsFile().toPath())
                .repository(getRepository().get())
                .coderModel(client(getModel().get()))
                .architectModel(client(getArchitectModel().get()))
                // The jars beside the plugin, also where Maestro itself comes from a class loader above it.
                .tools(tools -> tools.classLoader(StoryTask.class.getClassLoader()));
        if (getTargetBranch().isPresent()) {
            builder.git(git -> git.targetBranch(getTargetBranch().get()));
        }
        if (getTestCommand().isPresent()) {
            builder.testCommand(getTestCommand().get());
        }
        if (getCostPerStory().isPresent()) {
            builder.limits(Limits.builder()
                    .costCap(CostScope.STORY, dollars(getCostPerStory().get()))
                    .build());
        }
        // Gradle shows what is printed.
        try (ConsoleProgress progress =
                        ConsoleProgress.builder(System.out).terminal(false).build();
                Maestro maestro = builder.listener(progress).build()) {
            maestro.toolProblems().forEach(problem -> getLogger().warn("{}: {}", problem.where(), problem.message()));
            return maestro.run(story);
        }
    }

    /** The variables of the process that called Gradle; its daemon may have others. */
    private AnthropicClient client(String model) {
        Map<String, String> variables = new HashMap<>();
        for (String name : new String[] {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"}) {
            String value = providers.environmentVariable(name).getOrNull();
            if (value != null) {
                variables.put(name, value);
            }
        }
        return AnthropicClient.builder(model).fromEnvironment(variables).build();
    }

    private static BigDecimal dollars(String text) {
        try {
            return new BigDecimal(text.strip());
        } catch (NumberFormatException e) {
            throw new InvalidUserDataException("costPerStory: US dollars, for example 2.50, not '" + text + "'", e);
        }
    }

    /**
     * Sets the story.
     *
     * @param path a Markdown file, from the project's directory
     */
    @Option(option = "file", description = "The story, in Markdown: its name is the story's id.")
    public void setFile(String path) {
        getStoryFile().set(layout.getProjectDirectory().file(path));
    }

    /**
     * The story.
     *
     * @return a Markdown file: its name is the story's id, its first heading or line the title
     */
    @InputFile
    @PathSensitive(PathSensitivity.NAME_ONLY)
    public abstract RegularFileProperty getStoryFile();

    /** {@return see {@link MaestroExtension#getRepository}} */
    @Input
    public abstract Property<String> getRepository();

    /** {@return see {@link MaestroExtension#getTargetBranch}} */
    @Input
    @Optional
    public abstract Property<String> getTargetBranch();

    /** {@return see {@link MaestroExtension#getDirectory}} */
    @Internal
    public abstract DirectoryProperty getDirectory();

    /** {@return see {@link MaestroExtension#getModel}} */
    @Input
    public abstract Property<String> getModel();

    /** {@return see {@link MaestroExtension#getArchitectModel}} */
    @Input
    public abstract Property<String> getArchitectModel();

    /** {@return see {@link MaestroExtension#getTestCommand}} */
    @Input
    @Optional
    public abstract Property<String> getTestCommand();

    /** {@return see {@link MaestroExtension#getCostPerStory}} */
    @Input
    @Optional
    public abstract Property<String> getCostPerStory();
}
