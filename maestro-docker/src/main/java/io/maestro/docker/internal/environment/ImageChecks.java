package io.maestro.docker.internal.environment;

import io.maestro.docker.ContainerStartException;
import io.maestro.docker.DockerException;
import io.maestro.docker.internal.Image;
import io.maestro.environment.ImageCheck;
import io.maestro.environment.Phase;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks whether a project can use an image: builds it again from the files that the story leaves behind, boots it as a coder
 * would get it, and runs the project's own checks in it.
 */
final class ImageChecks {
    /** The project's own checks, if it has any: an executable script. */
    static final String SCRIPT = ".maestro/container-check.sh";

    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int OUTPUT_LIMIT = 24 * 1024;

    private final StoryEnvironment environment;
    private final Path checkout;
    private final List<String> report = new ArrayList<>();

    /** @param checkout the files that the story leaves behind */
    ImageChecks(StoryEnvironment environment, Path checkout) {
        this.environment = environment;
        this.checkout = checkout;
    }

    ImageCheck check(String asked) {
        Optional<Image> found = environment.engine().image(asked);
        Optional<BuildPlan> recipe = found.flatMap(environment.images()::recipe);
        String id = found.map(Image::id).orElse(asked);
        try {
            if (found.isEmpty()) {
                return failed(
                        asked,
                        "the image " + asked + " is not on the engine; build it with container_build and call"
                                + " container_update again");
            }
            Optional<String> why = environment.images().whyNotOwn(environment.engine(), found.get());
            if (why.isPresent()) {
                return failed(id, "the image " + asked + " " + why.get() + ", and call container_update again");
            }
            if (recipe.isPresent()) {
                id = rebuilt(recipe.get()).id();
            }
            return booted(id);
        } catch (IllegalArgumentException e) {
            return failed(
                    id,
                    "the image cannot be built again from "
                            + recipe.map(BuildPlan::dockerfile).orElse("its Dockerfile")
                            + ", as everybody after this story would have to: " + e.getMessage());
        } catch (DockerException | ExecException e) {
            return failed(id, String.valueOf(e.getMessage()));
        }
    }

    private Image rebuilt(BuildPlan recipe) {
        Image image = environment
                .images()
                .builds()
                .build(
                        environment.engine(),
                        environment.place(),
                        checkout,
                        recipe,
                        environment.images().checkTag(environment.place()));
        report.add("built from " + recipe.dockerfile());
        return image;
    }

    private ImageCheck booted(String id) {
        try {
            return environment.runFresh(checkout, id, executor -> {
                report.add("a container from it starts");
                List<String> faults = environment.faults(executor, Phase.CODING);
                if (!faults.isEmpty()) {
                    return failed(id, "a container from it cannot be worked in: " + String.join("; ", faults));
                }
                report.add("shell, workspace and /tmp can be used");
                return scripted(id, executor);
            });
        } catch (ContainerStartException e) {
            return failed(id, "no container can be started from it: " + e.getMessage());
        }
    }

    private ImageCheck scripted(String id, Executor executor) {
        Path directory = checkout.resolve(".maestro");
        Path script = directory.resolve("container-check.sh");
        boolean there = Files.isRegularFile(script, LinkOption.NOFOLLOW_LINKS)
                && Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                && Files.isExecutable(script);
        if (there) {
            ExecResult result = executor.run(ExecRequest.command("./" + SCRIPT)
                    .timeLimit(LIMIT)
                    .outputLimit(OUTPUT_LIMIT)
                    .build());
            String output = (result.stdout().text() + result.stderr().text()).strip();
            if (!result.succeeded()) {
                return failed(
                        id,
                        SCRIPT
                                + switch (result.ending()) {
                                    case EXITED ->
                                        " failed with exit code "
                                                + result.exitCode().orElse(-1);
                                    case TIMED_OUT -> " did not end within " + LIMIT.toSeconds() + " s";
                                    case CANCELLED -> " was cancelled";
                                }
                                + (output.isEmpty() ? "" : ":\n" + output));
            }
            report.add(SCRIPT + " succeeded");
        }
        return new ImageCheck(true, id, "the container image is good\n" + done());
    }

    private ImageCheck failed(String id, String why) {
        return new ImageCheck(
                false, id, "the container image is not good\n" + done() + (report.isEmpty() ? "" : "\n") + why);
    }

    private String done() {
        return String.join("\n", report.stream().map(line -> "- " + line).toList());
    }
}
