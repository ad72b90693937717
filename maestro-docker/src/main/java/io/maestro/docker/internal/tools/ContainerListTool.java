package io.maestro.docker.internal.tools;

import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.environment.BuildPlan;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code container_list}: what runs for an agent, and which images there are for it. */
final class ContainerListTool implements ToolFactory {
    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("container_list")
                .description(
                        "Shows the containers that run for you, which one your commands run in and from which image,"
                                + " and the images that this project has built. Use it before you change the container")
                .readOnly()
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> list(ContainerArguments.environment(context));
    }

    private static ToolResult list(StoryEnvironment environment) {
        StringBuilder text = new StringBuilder();
        Optional<StoryEnvironment.Now> now = environment.now();
        text.append(now.map(ContainerListTool::described).orElse("no container runs yet"));
        List<Map<String, Object>> containers = new ArrayList<>();
        text.append("\n\ncontainers:");
        for (Container container : environment.engine().containers()) {
            if (container.agentId().equals(environment.place().agentId())) {
                boolean current = now.isPresent() && now.get().container().id().equals(container.id());
                boolean running = environment.engine().isRunning(container);
                text.append(current ? "\n* " : "\n  ")
                        .append(container.name())
                        .append("  ")
                        .append(container.role())
                        .append("  ")
                        .append(running ? "runs" : "has ended")
                        .append("  image ")
                        .append(container.imageId());
                containers.add(Map.of(
                        "name", container.name(),
                        "role", container.role(),
                        "image", container.imageId(),
                        "running", running,
                        "current", current));
            }
        }
        List<Map<String, Object>> images = new ArrayList<>();
        text.append("\n\nimages of this project:");
        for (Image image : environment.images().built(environment.engine())) {
            String dockerfile = environment
                    .images()
                    .recipe(image)
                    .map(BuildPlan::dockerfile)
                    .orElse("");
            String story = image.labels().getOrDefault(Labels.STORY, "");
            text.append("\n  ").append(image.id());
            if (!dockerfile.isEmpty()) {
                text.append("  from ").append(dockerfile);
            }
            if (!story.isEmpty()) {
                text.append("  by story ").append(story);
            }
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("id", image.id());
            row.put("dockerfile", dockerfile);
            row.put("story", story);
            images.add(row);
        }
        environment
                .images()
                .settings()
                .images()
                .image()
                .ifPresent(name -> text.append("\n  ").append(name).append("  configured"));
        List<String> allowed = environment.images().settings().images().allowed();
        if (!allowed.isEmpty()) {
            text.append("\nimages that may be used, too: ").append(String.join(", ", allowed));
        }
        return ToolResult.builder(text.toString())
                .data("containers", containers)
                .data("images", images)
                .build();
    }

    /** One or two lines on what runs. */
    static String described(StoryEnvironment.Now now) {
        return "your commands run in " + now.container().name() + " from " + now.image() + ", "
                + now.image().origin().words()
                + now.problem()
                        .map(problem -> "\nit is not the image that was wanted: " + problem)
                        .orElse("");
    }
}
