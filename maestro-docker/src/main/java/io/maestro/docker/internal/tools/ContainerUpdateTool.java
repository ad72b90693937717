package io.maestro.docker.internal.tools;

import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.docker.internal.environment.StoryEnvironment.SwitchResult;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.util.Optional;

/**
 * {@code container_update}: lets an agent work in an image that the project is to use from now on. Whether it does is kept by
 * whoever runs the tool, by its answer.
 */
final class ContainerUpdateTool implements ToolFactory {
    private static final String ROLLED_BACK = "rolled_back";

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("container_update")
                .description(
                        "Makes an image of this project its container image: your commands run in it at once, it is"
                                + " checked together with the tests, and all later stories use it once this one is merged. Commit"
                                + " the Dockerfile that it was built from. If it does not work, everything stays as it was")
                .input(schema -> schema.requiredString(
                        "image", "Name or id of an image that container_build has made, or of the configured one"))
                .agentOnly()
                .offeredTo(ToolAudience.CODER_CODING)
                .timeLimit(ContainerSwitchTool.LIMIT)
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> run(context, call);
    }

    private static ToolResult run(ToolContext context, ToolCall call) {
        StoryEnvironment environment = ContainerArguments.environment(context);
        String asked = call.arguments().string("image");
        SwitchResult change;
        try {
            String name = ContainerArguments.image(environment, asked);
            Optional<Image> image = environment.engine().image(name);
            if (image.isEmpty()) {
                return refused(environment, "there is no image '" + asked + "'; container_build makes one");
            }
            Optional<String> why = environment.images().whyNotOwn(environment.engine(), image.get());
            if (why.isPresent()) {
                return refused(environment, "'" + ContainerArguments.shown(asked) + "' " + why.get());
            }
            change = environment.update(image.get().id());
        } catch (ContainerArguments.RefusedArgumentException e) {
            return refused(environment, String.valueOf(e.getMessage()));
        }
        StoryEnvironment.Now now = change.now();
        if (change.error().isPresent()) {
            return ToolResult.builder(
                            "the update to " + ContainerArguments.shown(asked) + " failed and was rolled back: "
                                    + change.error().get() + "\nas before, " + ContainerListTool.described(now))
                    .error()
                    .data("success", false)
                    .data(ROLLED_BACK, true)
                    .data("requested", asked)
                    .data("actual", now.image().id())
                    .build();
        }
        return ToolResult.builder("updated; now " + ContainerListTool.described(now)
                        + "\nThe project uses it for good once this story is merged.")
                .data("success", true)
                .data(ROLLED_BACK, false)
                .data("requested", asked)
                .data("image", now.image().id())
                .data("container", now.container().name())
                .build();
    }

    private static ToolResult refused(StoryEnvironment environment, String why) {
        return ToolResult.builder(why + "\n" + ContainerSwitchTool.unchanged(environment))
                .error()
                .data("success", false)
                .data(ROLLED_BACK, true)
                .build();
    }
}
