package io.maestro.examples.gradle;

import org.gradle.api.Plugin;
import org.gradle.api.Project;

/** Adds the task {@code story} and the block {@code maestro} that configures it. */
public final class MaestroPlugin implements Plugin<Project> {
    @Override
    public void apply(Project project) {
        MaestroExtension settings = project.getExtensions().create("maestro", MaestroExtension.class);
        settings.getDirectory()
                .convention(project.getLayout().getProjectDirectory().dir(".maestro"));
        settings.getModel().convention("claude-sonnet-5");
        settings.getArchitectModel().convention(settings.getModel());
        project.getTasks().register("story", StoryTask.class, task -> {
            task.setGroup("maestro");
            task.setDescription("Has a story done by agents and merged into the repository.");
            task.getRepository().convention(settings.getRepository());
            task.getTargetBranch().convention(settings.getTargetBranch());
            task.getDirectory().convention(settings.getDirectory());
            task.getModel().convention(settings.getModel());
            task.getArchitectModel().convention(settings.getArchitectModel());
            task.getTestCommand().convention(settings.getTestCommand());
            task.getCostPerStory().convention(settings.getCostPerStory());
        });
    }
}
