package io.maestro.docker.internal.tools;

import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.docker.internal.environment.StoryEnvironment.SwitchResult;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.time.Duration;

/** {@code container_switch}: lets an agent work in another image for now. */
final class ContainerSwitchTool implements ToolFactory {
    /** A start, a stop, a second start, and the same for the safe image. */
    static final Duration LIMIT = Duration.ofMinutes(10);

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("container_switch")
                .description(
                        "Makes your commands run in a container from another image, in this story only. The image is"
                                + " tried first; if it cannot be worked in, you get the safe container, and the answer says so."
                                + " What was installed or runs in the old container is gone, the workspace stays")
                .input(schema -> schema.requiredString(
                        "image", "Name or id of an image on this machine, as container_list shows it"))
                .agentOnly()
                .offeredTo(ToolAudience.CODER_CODING)
                .timeLimit(LIMIT)
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
            change = environment.switchTo(ContainerArguments.image(environment, asked));
        } catch (ContainerArguments.RefusedArgumentException e) {
            return ToolResult.error(e.getMessage() + "\n" + unchanged(environment));
        }
        StoryEnvironment.Now now = change.now();
        boolean fellBack = !change.done();
        ToolResult.Builder answer = ToolResult.builder(change.error()
                        .map(error -> "the switch to " + ContainerArguments.shown(asked) + " failed: " + error
                                + "\nnow " + ContainerListTool.described(now))
                        .orElse("switched; now " + ContainerListTool.described(now)))
                .data("success", change.done())
                .data("fell_back", fellBack)
                .data("requested", asked)
                .data("actual", now.image().name())
                .data("image", now.image().id())
                .data("container", now.container().name());
        change.error().ifPresent(error -> answer.data("error", error));
        return fellBack ? answer.error().build() : answer.build();
    }

    /** What runs after an argument was refused. */
    static String unchanged(StoryEnvironment environment) {
        return "nothing was changed: "
                + environment.now().map(ContainerListTool::described).orElse("no container runs yet");
    }
}
