package io.maestro.docker.internal;

import io.maestro.docker.ImageBuild;
import io.maestro.docker.ImageBuildException;
import io.maestro.docker.internal.BuilderProgram.Way;
import io.maestro.docker.internal.DockerfileReader.Instruction;
import io.maestro.docker.internal.Inspector.ObjectKind;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.internal.Uninterrupted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds images: with BuildKit where the client has buildx, else with the classic builder, or with podman's. The only place
 * where anything is built. The builder gets a copy of the Dockerfile that is called so whatever its name was: a name can be an
 * order too.
 */
final class ImageBuilder {
    private static final Logger LOG = LoggerFactory.getLogger(ImageBuilder.class);

    /** The beginning and the end of what a build prints; enough for a model, and for a person. */
    private static final int OUTPUT = 64 << 10;

    private static final Set<String> PROXIES =
            Set.of("http_proxy", "https_proxy", "ftp_proxy", "no_proxy", "all_proxy");

    private final Engine engine;
    private final DockerCli cli;
    private final BuilderProgram program;
    private final BuildLimits limits;
    private final EndedBuilds ended;

    ImageBuilder(Engine engine) {
        this.engine = engine;
        this.cli = engine.cli();
        this.program = new BuilderProgram(cli);
        this.limits = new BuildLimits(engine);
        this.ended = new EndedBuilds(engine);
    }

    BuilderProgram program() {
        return program;
    }

    /** Of the host program's own files. */
    Image build(ImageBuild build) {
        BuildFiles files = BuildFiles.of(build);
        ConfinedDockerfile.rightsOfTheMachine(files.text()).ifPresent(flag -> {
            throw new ImageBuildException(
                    "the image is not built: the Dockerfile " + build.dockerfile() + " asks for " + flag
                            + ", which would give a command of the build the machine's own; leave it away",
                    "",
                    null);
        });
        return named(
                build,
                () -> run(new Order(
                        build,
                        files,
                        files.text(),
                        build.target(),
                        own(build, files),
                        Way.UNLIMITED,
                        true,
                        List.of())));
    }

    /** Of files that are not trusted. */
    Image build(ImageBuild build, BuildConfinement confinement) {
        BuildFiles files = BuildFiles.of(build);
        return named(
                build,
                () -> ended.counted(() -> new BuildDisk(engine, confinement).watch(() -> {
                    Way way = limits.way(confinement);
                    requireOwnResults(build, way, confinement);
                    try (BaseNames names = new BaseNames(engine)) {
                        ConfinedDockerfile dockerfile = new ConfinedDockerfile(
                                build.arguments(),
                                name -> names.of(confinement.images().apply(name)),
                                cache(confinement),
                                BuilderProgram.abilities(way, engine.facts()));
                        String text = dockerfile.of(files.text(), beginning(confinement));
                        Optional<String> target = build.target().map(dockerfile::stage);
                        return limits.within(
                                way,
                                confinement,
                                words -> run(new Order(
                                        build,
                                        files,
                                        text,
                                        target,
                                        own(build, files),
                                        way,
                                        false,
                                        confinedTo(confinement, words))));
                    }
                })));
    }

    /**
     * A proxy decides on what commands fetch, but most builders use their results for builds without it as well, the user's
     * among them. The classic one tells them apart, and BuildKit does by the group of the one build.
     */
    private static void requireOwnResults(ImageBuild build, Way way, BuildConfinement confinement) {
        if (build.arguments().containsKey(ConfinedDockerfile.LAYERS)) {
            throw DockerfileReader.refused(
                    "is given the build argument " + ConfinedDockerfile.LAYERS + ", which is Maestro's own");
        }
        if (way == Way.CLASSIC
                || way == Way.BUILDKIT && confinement.options().controlGroup().isEmpty()) {
            return;
        }
        build.arguments().keySet().stream()
                .filter(name -> PROXIES.contains(name.toLowerCase(Locale.ROOT)))
                .findFirst()
                .ifPresent(name -> {
                    throw DockerfileReader.refused("is given the build argument " + name
                            + ", with which the results of its commands would be used by others' builds without it; give"
                            + " the argument another name, and let the commands set the variable from it");
                });
    }

    /**
     * The label says what a build has left that was ended. A variable is part of what a command's result is known by, so that only
     * results of the same layers are used.
     */
    private List<Instruction> beginning(BuildConfinement confinement) {
        return List.of(
                instruction("LABEL", Labels.UNFINISHED, engine.instance().id()),
                instruction("ARG", ConfinedDockerfile.LAYERS, confinement.layers()));
    }

    private static Instruction instruction(String keyword, String name, String value) {
        return new Instruction(keyword, List.of(), name + "=\"" + value + "\"", List.of());
    }

    private List<String> confinedTo(BuildConfinement confinement, List<String> limits) {
        List<String> words = new ArrayList<>(limits);
        // A file without content costs no disk where it was made, but all of its length in the image.
        words.addAll(List.of("--ulimit", "fsize=" + confinement.disk()));
        // The names of caches say so already; of an ONBUILD they would not.
        words.addAll(List.of("--build-arg", "BUILDKIT_CACHE_MOUNT_NS=" + cache(confinement)));
        return words;
    }

    /** For what belongs to no instance; the caller vouches for the name. */
    Image buildShared(ImageBuild build, String kind) {
        return buildShared(build, kind, Way.UNLIMITED, List.of());
    }

    /** The same with a certain builder. */
    Image buildShared(ImageBuild build, String kind, Way way, List<String> words) {
        Map<String, String> labels = labels(build);
        labels.put(Labels.SHARED, kind);
        // A base of an instance's would bequeath its own.
        labels.put(Labels.BUILT_BY, "");
        BuildFiles files = BuildFiles.of(build);
        List<String> options = new ArrayList<>(words);
        if (cli.host().isPodman()) {
            // It is kept as a whole. Of each label podman would keep an image of its own, and look at all of them each
            // time.
            options.add("--layers=false");
        }
        return run(new Order(build, files, files.text(), build.target(), labels, way, true, options));
    }

    private static Map<String, String> labels(ImageBuild build) {
        Map<String, String> labels = new LinkedHashMap<>();
        Labels.NOT_OF_IMAGES.forEach(label -> labels.put(label, ""));
        labels.putAll(build.labels());
        return labels;
    }

    private Map<String, String> own(ImageBuild build, BuildFiles files) {
        Map<String, String> labels = labels(build);
        labels.put(Labels.BUILT_BY, engine.instance().id());
        labels.put(Labels.DOCKERFILE, files.dockerfileName());
        return labels;
    }

    /** What the names of a build's caches begin with, so that nobody else's builds use them. */
    private String cache(BuildConfinement confinement) {
        return "maestro" + ContentHash.of(engine.instance().id(), confinement.cache());
    }

    private interface Building {
        Image run();
    }

    private Image named(ImageBuild build, Building building) {
        Optional<Image> before = build.tag().flatMap(engine::image);
        before.ifPresent(image -> requireOwn(build, image));
        Image image = building.run();
        before.map(Image::id).filter(old -> !old.equals(image.id())).ifPresent(this::removeUnnamed);
        return image;
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

    /**
     * All that a builder is told.
     *
     * @param text of the Dockerfile
     * @param target the stage of it that is built; empty for the last one
     * @param trusted whether the files are the host program's own
     * @param options further ones
     */
    private record Order(
            ImageBuild build,
            BuildFiles files,
            String text,
            Optional<String> target,
            Map<String, String> labels,
            Way way,
            boolean trusted,
            List<String> options) {}

    private Image run(Order order) {
        return BuildDirectory.use(cli.directory(), own -> {
            Path idFile = own.resolve("id");
            List<String> words = words(order, own, idFile);
            ExecRequest.Builder command = (order.trusted ? cli.building(words, own) : cli.confined(words, own))
                    .timeLimit(order.build.timeLimit())
                    .outputLimit(OUTPUT);
            BuilderProgram.environment(order.way).forEach(command::environment);
            ExecResult result = cli.run(command.build());
            if (!result.succeeded()) {
                Uninterrupted.run(() -> leave(order, result));
                throw failure(order, result);
            }
            String id = Files.readString(idFile).strip();
            return engine.image(id)
                    .orElseThrow(() -> new ImageBuildException(
                            "the build of " + order.files.dockerfileName() + " succeeded, but its image " + id
                                    + " is not on " + cli.host().name() + "; is another builder in use?",
                            output(result),
                            null));
        });
    }

    private List<String> words(Order order, Path own, Path idFile) throws IOException {
        Path dockerfile = Files.writeString(own.resolve("Dockerfile"), order.text);
        if (order.files.ignored().isPresent()) {
            Files.writeString(
                    own.resolve("Dockerfile.dockerignore"),
                    order.files.ignored().get());
        }
        List<String> words = new ArrayList<>(program.words(order.way));
        words.addAll(List.of("--file", dockerfile.toString(), "--iidfile", idFile.toString(), "--pull=false"));
        words.addAll(order.options);
        if (!order.build.network()) {
            words.addAll(List.of("--network", "none"));
        }
        order.build.tag().ifPresent(tag -> words.addAll(List.of("--tag", tag)));
        order.target.ifPresent(stage -> words.addAll(List.of("--target", stage)));
        order.labels.forEach((key, value) -> words.addAll(List.of("--label", key + "=" + value)));
        order.build.arguments().forEach((key, value) -> words.addAll(List.of("--build-arg", key + "=" + value)));
        words.add(order.files.context().toString());
        return words;
    }

    private static ImageBuildException failure(Order order, ExecResult result) {
        String how = switch (result.ending()) {
            case EXITED -> "failed";
            case TIMED_OUT ->
                "was ended at its time limit of " + order.build.timeLimit().toSeconds() + " s";
            case CANCELLED -> "was cancelled";
        };
        String output = output(result);
        return new ImageBuildException(
                "the build of " + order.files.dockerfileName() + " " + how + (output.isEmpty() ? "" : ":\n" + output),
                output,
                null);
    }

    private static String output(ExecResult result) {
        String out = result.stdout().text().strip();
        String err = result.stderr().text().strip();
        return out.isEmpty() || err.isEmpty() ? out + err : out + "\n" + err;
    }

    /** What has lost its name to a newer one, or never had one; it stays while a container uses it. */
    void removeUnnamed(String old) {
        engine.inspector()
                .find(ObjectKind.IMAGE, old)
                .filter(object -> object.path("RepoTags").isEmpty())
                .ifPresent(object -> {
                    ExecResult result = cli.run("image", "rm", old);
                    LOG.debug("removed the image {} that has no name: {}", old, result.succeeded());
                });
    }

    /**
     * Builders go on for a while with the step at which they were ended. BuildKit leaves nothing; the others leave the image of the
     * last step that worked.
     */
    private void leave(Order order, ExecResult result) {
        if (!order.trusted && result.ending() != ExecResult.Ending.EXITED) {
            ended.await();
            return;
        }
        if (program.words(order.way).contains("buildx")) {
            return;
        }
        EndedBuilds.lastMade(result.stdout().text())
                .flatMap(engine::image)
                .map(Image::id)
                .ifPresent(this::removeUnnamed);
    }
}
