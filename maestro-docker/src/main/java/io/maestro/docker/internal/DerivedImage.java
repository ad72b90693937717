package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.DockerException;
import io.maestro.docker.ImageBuild;
import io.maestro.docker.internal.Inspector.ObjectKind;
import io.maestro.exec.ExecResult;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** An image that a base and some commands make, named by all that it is made of. A set-up that fails leaves none. */
public final class DerivedImage {
    private static final String PURPOSE = "maestro-purpose-";

    private final Engine engine;
    private final String base;
    private final List<String> commands;
    /** What the names of those begin with whose place another has taken. */
    private static final String FORMER = ":former-";

    private final String repository;

    DerivedImage(Engine engine, String base, List<String> commands) {
        this(engine, base, commands, "maestro-derived");
    }

    /**
     * The image of a purpose, which all instances of an engine share; nothing is built yet.
     *
     * @param baseId the full id of its base, which is there
     * @param setUp lines for the shell, run as root
     */
    public static DerivedImage of(Engine engine, String purpose, String baseId, List<String> setUp) {
        return new DerivedImage(engine, baseId, setUp, PURPOSE + purpose);
    }

    private DerivedImage(Engine engine, String base, List<String> commands, String repository) {
        this.repository = repository;
        this.engine = engine;
        this.base = base;
        this.commands = List.copyOf(commands);
        for (String command : commands) {
            // A line of its own would be an instruction of its own.
            if (command.isBlank()
                    || command.chars().anyMatch(c -> c != '\t' && c != '\n' && Character.isISOControl(c))) {
                throw new IllegalArgumentException(
                        "a command for an image is not blank and has no control characters, is '" + command + "'");
            }
        }
    }

    Image ensure() {
        return find().orElseGet(() -> build(List.of()));
    }

    /** The image, where it is there. */
    public Optional<Image> find() {
        return engine.image(tag(Inspector.imageId(base().path("Id").asText())));
    }

    /** The image, where it is there and was built after a time. */
    public Optional<Image> findSince(Instant oldest) {
        return find().filter(image -> engine.inspector()
                .find(ObjectKind.IMAGE, image.id())
                .filter(object ->
                        Inspector.time(object.path("Created").asText()).isAfter(oldest))
                .isPresent());
    }

    /**
     * Builds it, although it may be there.
     *
     * @throws io.maestro.docker.ImageBuildException when a line fails, with what it printed
     */
    public Image again() {
        // A former one stays while a container uses it. By a name it is found later.
        find().ifPresent(image -> engine.cli().output("tag", image.id(), former(image)));
        Image made = build(List.of("--no-cache"));
        engine.inspector().imageNames(repository).stream()
                .filter(name -> name.contains(FORMER) && !name.endsWith(former(made)))
                .forEach(name -> {
                    ExecResult unused = engine.cli().run("image", "rm", name);
                });
        return made;
    }

    private String former(Image image) {
        return repository + FORMER + image.id().substring(image.id().length() - 12);
    }

    private JsonNode base() {
        return engine.inspector()
                .find(ObjectKind.IMAGE, base)
                .orElseThrow(() -> new DockerException(
                        "there is no image '" + base + "' on "
                                + engine.cli().host().name() + " to derive another from; build it first",
                        null));
    }

    private String tag(String baseId) {
        return repository + ":" + ContentHash.of(baseId, String.join("\0", commands));
    }

    private Image build(List<String> options) {
        JsonNode object = base();
        String baseId = Inspector.imageId(object.path("Id").asText());
        String tag = tag(baseId);
        try (BaseNames names = new BaseNames(engine)) {
            String alias = names.of(baseId).name();
            return BuildDirectory.use(engine.cli().directory(), directory -> {
                Files.writeString(directory.resolve("Dockerfile"), dockerfile(alias, object));
                return engine.builder()
                        .buildShared(
                                ImageBuild.builder(directory).tag(tag).build(),
                                "derived",
                                BuilderProgram.Way.UNLIMITED,
                                options);
            });
        }
    }

    private String dockerfile(String alias, JsonNode object) {
        StringBuilder text = new StringBuilder("FROM ").append(alias).append("\nUSER 0:0\n");
        for (String command : commands) {
            text.append("RUN ").append(Json.write(List.of("sh", "-c", command))).append('\n');
        }
        String user = object.path("Config").path("User").asText();
        if (!user.isEmpty() && user.matches("[A-Za-z0-9_.:-]+")) {
            text.append("USER ").append(user).append('\n');
        }
        return text.toString();
    }

    /** The names of all such images of a purpose, or of all. */
    public static List<String> tags(Engine engine, Optional<String> purpose) {
        String wanted = PURPOSE + purpose.map(name -> name + ":").orElse("");
        return engine.inspector().imageNames("--filter", "label=" + Labels.SHARED + "=derived").stream()
                .filter(name -> name.replaceFirst("^localhost/", "").startsWith(wanted))
                .toList();
    }
}
