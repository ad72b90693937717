package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.DockerException;
import io.maestro.exec.ExecResult;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Looks objects of an engine up. What is not there is left out; every other failure is one. Safe for use by several threads. */
final class Inspector {
    /** The kinds of objects, as the clients name their commands. */
    enum ObjectKind {
        CONTAINER,
        IMAGE,
        VOLUME,
        NETWORK;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Of a name that no image can have docker says only that, from version 25 on. */
    private static final Pattern MISSING =
            Pattern.compile("(?i)no such (?!file|host)|not found|image not known|does not exist"
                    + "|reference does not exist|invalid reference format");

    /** A container's description has about 10 KB. */
    private static final int AT_ONCE = 50;

    private static final int OUTPUT_LIMIT = 4 << 20;

    private static final String BRIEF = "MaestroBrief";

    private static final int TRIES = 5;

    private static final int LIST_TRIES = 10;

    private final DockerCli cli;

    Inspector(DockerCli cli) {
        this.cli = cli;
    }

    /** Whether a client said that what it was asked for is not there. */
    static boolean isMissing(ExecResult result) {
        return MISSING.matcher(result.stderr().text()).find();
    }

    Optional<JsonNode> find(ObjectKind kind, String name) {
        List<JsonNode> found = all(kind, List.of(name));
        // Podman does not find an image while somebody removes another one, and says so in the same words.
        for (int again = 1;
                again < TRIES
                        && kind == ObjectKind.IMAGE
                        && found.isEmpty()
                        && cli.host().isPodman();
                again++) {
            found = all(kind, List.of(name));
        }
        return found.isEmpty() ? Optional.empty() : Optional.of(found.get(0));
    }

    List<JsonNode> all(ObjectKind kind, List<String> names) {
        List<JsonNode> found = new ArrayList<>();
        for (int from = 0; from < names.size(); from += AT_ONCE) {
            List<String> some = names.subList(from, Math.min(names.size(), from + AT_ONCE));
            Optional<List<JsonNode>> whole = whole(kind, some);
            if (whole.isPresent()) {
                found.addAll(whole.get());
            } else {
                some.forEach(name -> whole(kind, List.of(name))
                        .orElseGet(() -> brief(kind, name))
                        .forEach(found::add));
            }
        }
        return found;
    }

    /** Empty when they are more than is read: whoever makes an image or a compose file can make labels of any size. */
    private Optional<List<JsonNode>> whole(ObjectKind kind, List<String> names) {
        ExecResult result = inspect(kind, List.of(), names);
        if (result.stdout().totalBytes() > OUTPUT_LIMIT) {
            return Optional.empty();
        }
        List<JsonNode> found = new ArrayList<>();
        Json.parse(result.stdout().text()).forEach(found::add);
        // What is not there makes the command fail: less without a failure is output that was lost.
        if (result.succeeded() && found.size() != names.size()) {
            throw new DockerException(
                    "the engine's client described " + found.size() + " objects of " + names + " and reported no error",
                    null);
        }
        return Optional.of(found);
    }

    private ExecResult inspect(ObjectKind kind, List<String> options, List<String> names) {
        List<String> words = new ArrayList<>(List.of(kind.word(), "inspect"));
        words.addAll(options);
        words.add("--");
        words.addAll(names);
        ExecResult result = cli.run(cli.command(words).outputLimit(OUTPUT_LIMIT).build());
        if (!result.succeeded() && !isMissing(result)) {
            throw cli.failure(result, words.toArray(String[]::new));
        }
        return result;
    }

    /** What tells whose a thing is and how to remove it, each label cut: this has a size that nobody else decides on. */
    private List<JsonNode> brief(ObjectKind kind, String name) {
        boolean configured = kind == ObjectKind.CONTAINER || kind == ObjectKind.IMAGE;
        String labels = configured ? ".Config.Labels" : ".Labels";
        String fields = switch (kind) {
            case CONTAINER ->
                "\"Id\":{{json .Id}},\"Name\":{{json .Name}},\"Image\":{{json .Image}}," + "\"State\":{{json .State}},";
            case IMAGE -> "\"Id\":{{json .Id}},\"RepoTags\":{{json .RepoTags}},";
            case VOLUME -> "\"Name\":{{json .Name}},";
            case NETWORK -> "\"Id\":{{json .ID}},\"Name\":{{json .Name}},\"Driver\":{{json .Driver}},";
        };
        String directory = kind == ObjectKind.CONTAINER ? "\"WorkingDir\":{{json .Config.WorkingDir}}," : "";
        String kept = Labels.ALL.stream()
                .map(label ->
                        "\"" + label + "\":{{json (printf \"%.4096s\" (index " + labels + " \"" + label + "\"))}}")
                .collect(Collectors.joining(","));
        String object = "{\"" + BRIEF + "\":true," + fields + (configured ? "\"Config\":{" + directory : "")
                + "\"Labels\":{" + kept + "}" + (configured ? "}" : "") + "}";
        ExecResult result = inspect(kind, List.of("--format", object), List.of(name));
        String text = result.stdout().text().strip();
        if (text.isEmpty()) {
            return List.of();
        }
        JsonNode found = Json.parse(text);
        // A label that is not there has become an empty one.
        labels(kind, found)
                .properties()
                .removeIf(label -> label.getValue().asText().isEmpty());
        return List.of(found);
    }

    /** Whether a description lacks most of what there is, for it would be more than is read. */
    static boolean isBrief(JsonNode object) {
        return object.path(BRIEF).asBoolean();
    }

    /** The ids, or of volumes the names, of what has all of some labels. */
    List<String> labelled(ObjectKind kind, String... labels) {
        List<String> words = new ArrayList<>(
                switch (kind) {
                    case CONTAINER -> List.of("container", "ls", "--all", "--no-trunc");
                    case IMAGE -> List.of("image", "ls", "--no-trunc");
                    case VOLUME -> List.of("volume", "ls");
                    case NETWORK -> List.of("network", "ls", "--no-trunc");
                });
        words.add("--quiet");
        for (String label : labels) {
            words.addAll(List.of("--filter", "label=" + label));
        }
        return list(words);
    }

    /**
     * The names of images, each with its tag.
     *
     * @param which further words for the client, such as a repository
     */
    List<String> imageNames(String... which) {
        List<String> words = new ArrayList<>(List.of("image", "ls", "--format", "{{.Repository}}:{{.Tag}}"));
        words.addAll(List.of(which));
        return list(words);
    }

    private List<String> list(List<String> words) {
        ExecResult result = cli.run(cli.command(words).outputLimit(OUTPUT_LIMIT).build());
        // Podman's list of images fails when somebody removes one of them meanwhile, who may have several to remove.
        for (int again = 1; again < LIST_TRIES && !result.succeeded() && isMissing(result) && paused(again); again++) {
            result = cli.run(cli.command(words).outputLimit(OUTPUT_LIMIT).build());
        }
        if (!result.succeeded()) {
            throw cli.failure(result, words.toArray(String[]::new));
        }
        return result.stdout()
                .text()
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .distinct()
                .toList();
    }

    /** Waits 20 ms, then twice as long each time, 10 s in all tries together; does not when the thread is interrupted. */
    private static boolean paused(int time) {
        try {
            Thread.sleep(10L << time);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Labels, wherever a kind of objects keeps them. */
    static JsonNode labels(ObjectKind kind, JsonNode object) {
        JsonNode config = object.path("Config").path("Labels");
        if (kind == ObjectKind.CONTAINER || (kind == ObjectKind.IMAGE && config.isObject())) {
            return config;
        }
        JsonNode upper = object.path("Labels");
        // Podman's networks have lower-case names.
        return upper.isMissingNode() ? object.path("labels") : upper;
    }

    /** When something was made, as an engine says it. */
    static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            throw new DockerException("the engine said '" + text + "' where a time was expected", e);
        }
    }

    /** An id with its algorithm, which podman leaves away. */
    static String imageId(String id) {
        return id.startsWith("sha256:") ? id : "sha256:" + id;
    }
}
