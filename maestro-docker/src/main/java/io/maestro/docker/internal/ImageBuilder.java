package io.maestro.docker.internal;

import io.maestro.docker.ImageBuild;
import io.maestro.docker.ImageBuildException;
import io.maestro.docker.internal.Inspector.Kind;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.internal.Uninterrupted;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds images: with BuildKit where the client has buildx, else with the classic builder, or with podman's. */
final class ImageBuilder {
    private static final Logger LOG = LoggerFactory.getLogger(ImageBuilder.class);

    /** The beginning and the end of what a build prints; enough for a model, and for a person. */
    private static final int OUTPUT = 64 << 10;

    private final Engine engine;
    private final DockerCli cli;
    private final AtomicReference<@Nullable List<String>> program = new AtomicReference<>();

    ImageBuilder(Engine engine) {
        this.engine = engine;
        this.cli = engine.cli();
    }

    Image build(ImageBuild build) {
        BuildFiles files = BuildFiles.of(build);
        Map<String, String> labels = new LinkedHashMap<>();
        Labels.NOT_OF_IMAGES.forEach(label -> labels.put(label, ""));
        labels.putAll(build.labels());
        labels.put(Labels.BUILT_BY, engine.instance().id());
        labels.put(Labels.DOCKERFILE, files.dockerfileName());
        Optional<Image> before = build.tag().flatMap(engine::image);
        before.ifPresent(image -> requireOwn(build, image));
        Image image = build(build, files, labels);
        before.filter(old -> !old.id().equals(image.id())).ifPresent(this::removeUnnamed);
        return image;
    }

    /** For what belongs to no instance; the caller vouches for the name. */
    Image buildShared(ImageBuild build, String kind) {
        Map<String, String> labels = new LinkedHashMap<>();
        Labels.NOT_OF_IMAGES.forEach(label -> labels.put(label, ""));
        labels.putAll(build.labels());
        labels.put(Labels.SHARED, kind);
        // A base of an instance's would bequeath its own.
        labels.put(Labels.BUILT_BY, "");
        return build(build, BuildFiles.of(build), labels);
    }

    /** A name of ours may be given anew; another's, say that of a base image, may not. */
    private void requireOwn(ImageBuild build, Image image) {
        if (!engine.instance().id().equals(image.labels().get(Labels.BUILT_BY))) {
            throw new ImageBuildException(
                    "the image is not built: the name '" + build.tag().orElse("")
                            + "' belongs to an image that was not built here; choose another name",
                    "",
                    null);
        }
    }

    private Image build(ImageBuild build, BuildFiles files, Map<String, String> labels) {
        return BuildDirectory.use(cli.directory(), own -> {
            Path idFile = own.resolve("id");
            ExecRequest request = cli.building(words(build, files, labels, idFile), own)
                    .timeLimit(build.timeLimit())
                    .outputLimit(OUTPUT)
                    .build();
            ExecResult result = cli.run(request);
            if (!result.succeeded()) {
                Uninterrupted.run(() -> removeIntermediate(result));
                throw failure(build, files, result);
            }
            String id = Files.readString(idFile).strip();
            return engine.image(id)
                    .orElseThrow(() -> new ImageBuildException(
                            "the build of " + files.dockerfileName() + " succeeded, but its image " + id + " is not on "
                                    + cli.host().name() + "; is another builder in use?",
                            output(result),
                            null));
        });
    }

    private List<String> words(ImageBuild build, BuildFiles files, Map<String, String> labels, Path idFile) {
        List<String> words = new ArrayList<>(program());
        words.addAll(List.of("--file", files.dockerfile().toString(), "--iidfile", idFile.toString(), "--pull=false"));
        if (!build.network()) {
            words.addAll(List.of("--network", "none"));
        }
        build.tag().ifPresent(tag -> words.addAll(List.of("--tag", tag)));
        labels.forEach((key, value) -> words.addAll(List.of("--label", key + "=" + value)));
        build.arguments().forEach((key, value) -> words.addAll(List.of("--build-arg", key + "=" + value)));
        words.add(files.context().toString());
        return words;
    }

    private List<String> program() {
        List<String> known = program.get();
        if (known == null) {
            known = findProgram();
            program.set(known);
        }
        return known;
    }

    private List<String> findProgram() {
        if (cli.host().isPodman()) {
            return List.of("build", "--force-rm");
        }
        if (!cli.run("buildx", "version").succeeded()) {
            return List.of("build", "--force-rm");
        }
        // The user may have chosen a builder that keeps its images to itself; the engine's own is called as its
        // context.
        ExecResult context = cli.run("context", "show");
        String builder = context.succeeded() ? context.stdout().text().strip() : "default";
        return List.of("buildx", "build", "--builder", builder, "--load", "--progress", "plain");
    }

    private ImageBuildException failure(ImageBuild build, BuildFiles files, ExecResult result) {
        String how = switch (result.ending()) {
            case EXITED -> "failed";
            case TIMED_OUT ->
                "was ended at its time limit of " + build.timeLimit().toSeconds() + " s";
            case CANCELLED -> "was cancelled";
        };
        String output = output(result);
        return new ImageBuildException(
                "the build of " + files.dockerfileName() + " " + how + (output.isEmpty() ? "" : ":\n" + output),
                output,
                null);
    }

    private static String output(ExecResult result) {
        String out = result.stdout().text().strip();
        String err = result.stderr().text().strip();
        return out.isEmpty() || err.isEmpty() ? out + err : out + "\n" + err;
    }

    /** What has lost its name to a newer one; it stays while a container uses it. */
    private void removeUnnamed(Image old) {
        engine.inspector()
                .find(Kind.IMAGE, old.id())
                .filter(object -> object.path("RepoTags").isEmpty())
                .ifPresent(object -> {
                    ExecResult result = cli.run("image", "rm", old.id());
                    LOG.debug("removed the image {} that lost its name: {}", old.id(), result.succeeded());
                });
    }

    /** BuildKit leaves nothing; the other builders leave the image of the last step that worked. */
    private void removeIntermediate(ExecResult result) {
        if (program().contains("buildx")) {
            return;
        }
        IntermediateImages.lastMade(result.stdout().text())
                .flatMap(engine::image)
                .ifPresent(this::removeUnnamed);
    }
}
