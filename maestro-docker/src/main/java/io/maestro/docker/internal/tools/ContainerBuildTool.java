package io.maestro.docker.internal.tools;

import io.maestro.docker.ImageBuildException;
import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.environment.BuildPlan;
import io.maestro.docker.internal.environment.Builds;
import io.maestro.docker.internal.environment.ProjectImages;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code container_build}: builds an image from a Dockerfile in the workspace. */
final class ContainerBuildTool implements ToolFactory {
    private final Duration limit;
    private final String project;

    /**
     * Makes the factory.
     *
     * @param limit how long a build may take
     * @param project the project's name, for names of images
     */
    ContainerBuildTool(Duration limit, String project) {
        this.limit = limit;
        this.project = project;
    }

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("container_build")
                .description(
                        "Builds a container image from a Dockerfile in the workspace. Use it when the container lacks"
                                + " something that the project needs. Builds only: container_test tries the image,"
                                + " container_switch works in it, container_update makes it the project's. With `ARG "
                                + Builds.SAFE_ARGUMENT + "` and `FROM ${" + Builds.SAFE_ARGUMENT
                                + "}` as its first lines it starts from the safe image")
                .input(schema -> schema.optionalString(
                                "dockerfile",
                                "Path of the Dockerfile, relative to the workspace; default: Dockerfile, else"
                                        + " .maestro/Dockerfile")
                        .optionalString(
                                "context",
                                "Directory whose files COPY can use, relative to the workspace; default: the workspace")
                        .optionalString(
                                "tag", "Name for the image, for example app-dev:2; default: maestro-<project>-<story>")
                        .optional(
                                "build_args",
                                Property.array(
                                        "Values for the ARGs of the Dockerfile; no secrets",
                                        Property.object(
                                                "One value",
                                                argument -> argument.requiredString("name", "Name of the ARG")
                                                        .required("value", Property.string("Its value"))))))
                .pathArguments("dockerfile", "context")
                .offeredTo(ToolAudience.CODER_CODING)
                // The build's own limit comes first, so that its output is kept.
                .timeLimit(limit.plusSeconds(60))
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> run(context, call);
    }

    private ToolResult run(ToolContext context, ToolCall call) {
        StoryEnvironment environment = ContainerArguments.environment(context);
        ToolArguments arguments = call.arguments();
        Path workspace = environment.place().directory();
        ProjectImages images = environment.images();
        try {
            String tag = ContainerArguments.tag(
                    text(arguments, "tag")
                            ? arguments.string("tag")
                            : ContainerArguments.defaultTag(
                                    project, context.storyId().orElse(context.agentId())));
            String dockerfile = text(arguments, "dockerfile")
                    ? arguments.string("dockerfile")
                    : Builds.defaultDockerfile(workspace);
            Map<String, String> values = new LinkedHashMap<>();
            for (ToolArguments argument : arguments.objects("build_args")) {
                values.put(argument.string("name"), argument.string("value"));
            }
            BuildPlan recipe =
                    new BuildPlan(dockerfile, text(arguments, "context") ? arguments.string("context") : ".", values);
            Image image = images.builds()
                    .build(
                            environment.engine(),
                            environment.place(),
                            recipe,
                            images.scoped(environment.place(), tag),
                            call.commandLimit(limit));
            return ToolResult.builder("built the image " + tag + " from " + dockerfile + "\nid: " + image.id()
                            + "\nIt is not in use yet: container_test tries it, container_switch works in it.")
                    .data("image", image.id())
                    .data("tag", tag)
                    .build();
        } catch (ImageBuildException | IllegalArgumentException e) {
            return ToolResult.error(String.valueOf(e.getMessage()));
        }
    }

    private static boolean text(ToolArguments arguments, String name) {
        return arguments.optionalString(name).filter(text -> !text.isBlank()).isPresent();
    }
}
