package io.maestro.docker.internal.sandbox.devcontainer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Command;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.DockerfileBuild;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Feature;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Stage;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Workspace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads one {@code devcontainer.json}; see {@link DevContainer} for what is made of it. For one use. */
final class DevContainerReader {
    private static final int MOST_CHARACTERS = 256 * 1024;
    private static final int DEEPEST = 20;
    private static final int LONGEST_OPTION = 128;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
                    .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
                    // Which of two counts is each reader's own choice: what a person reads must be what is done.
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .maxNumberLength(100)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final Pattern USER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?");
    private static final Pattern STAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    private final JsonNode root;
    private final String directory;
    private final DevContainerMembers members;

    private DevContainerReader(JsonNode root, String directory, DevContainerMembers members) {
        this.root = root;
        this.directory = directory;
        this.members = members;
    }

    /** See {@link DevContainer#read}; the directory is that of the file, from the root of the repository. */
    static DevContainer read(String directory, String text, Workspace workspace) {
        JsonNode root = parse(text);
        DevContainerMembers given = new DevContainerMembers(workspace);
        String folder = given.text("workspaceFolder", root.path("workspaceFolder"))
                .map(path -> path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path)
                .filter(given.check(
                        "workspaceFolder",
                        Workspace::isFolder,
                        "is no absolute, normalised path of plain characters in the container"))
                .orElse(workspace.folder());
        DevContainerMembers members = given.in(new Workspace(workspace.repository(), folder));
        return new DevContainerReader(root, directory, members).read(folder);
    }

    static JsonNode parse(String text) {
        if (text.length() > MOST_CHARACTERS) {
            throw new IllegalArgumentException("the file has " + text.length() + " characters, more than the "
                    + MOST_CHARACTERS + " that are allowed");
        }
        JsonNode root;
        try {
            root = MAPPER.readTree(text.startsWith("\ufeff") ? text.substring(1) : text);
        } catch (JsonProcessingException e) {
            JsonLocation at = e.getLocation();
            throw new IllegalArgumentException(
                    "the file cannot be read" + (at == null ? "" : " (line " + at.getLineNr() + ")") + ": "
                            + shown(String.valueOf(e.getOriginalMessage())),
                    e);
        }
        if (!root.isObject()) {
            throw new IllegalArgumentException("the file must be an object, and "
                    + (root.isMissingNode() ? "is empty" : DevContainerMembers.type(root)));
        }
        if (root.size() > DevContainerMembers.MOST_ENTRIES) {
            throw new IllegalArgumentException("the file has " + root.size() + " members, more than the "
                    + DevContainerMembers.MOST_ENTRIES + " that are allowed");
        }
        return root;
    }

    private DevContainer read(String folder) {
        root.properties().forEach(member -> refuse(member.getKey(), member.getValue()));
        boolean hasDockerfile = root.path("build").hasNonNull("dockerfile") || root.hasNonNull("dockerFile");
        Optional<DockerfileBuild> build = build(hasDockerfile);
        Optional<String> image = members.text("image", root.path("image"))
                .filter(members.check("image", name -> !hasDockerfile, "is not used: a Dockerfile goes before it"))
                .filter(members.check("image", ContainerSpec::isImageName, "is not the name of an image"));
        return new DevContainer(
                image,
                build,
                features(),
                members.variables("containerEnv", root.path("containerEnv")),
                members.variables("remoteEnv", root.path("remoteEnv")),
                user("containerUser"),
                user("remoteUser"),
                folder,
                ports(),
                commands(),
                members.refused());
    }

    private void refuse(String name, JsonNode value) {
        if (name.equals("overrideCommand")) {
            if (!value.isNull() && !value.asBoolean()) {
                members.refuse(name, "is not followed; the sandbox runs a command of its own that keeps it alive");
            }
        } else {
            boolean asksForNothing = value.isNull()
                    || value.isBoolean() && !value.booleanValue()
                    || value.isTextual() && value.textValue().isBlank()
                    || value.isContainerNode() && value.isEmpty();
            DevContainerRefusals.reason(name)
                    .filter(reason -> !asksForNothing)
                    .ifPresent(reason -> members.refuse(name, reason));
        }
    }

    private Optional<DockerfileBuild> build(boolean hasDockerfile) {
        JsonNode build = root.path("build");
        boolean isObject = members.isObject("build", build);
        if (!hasDockerfile) {
            if (isObject && !build.isEmpty() || members.isThere(root.path("context"))) {
                members.refuse(build.isEmpty() ? "context" : "build", "names no dockerfile");
            }
            return Optional.empty();
        }
        // Older files have the two beside build.
        boolean isOld = !build.hasNonNull("dockerfile");
        String prefix = isOld ? "" : "build.";
        JsonNode place = isOld ? root : build;
        String file = isOld ? "dockerFile" : "dockerfile";
        List<String> followed = isOld ? List.of("args", "target") : List.of("dockerfile", "context", "args", "target");
        build.properties().stream()
                .map(Map.Entry::getKey)
                .filter(name -> !followed.contains(name))
                .forEach(name -> members.refuse("build." + name, "is not followed; these are: " + followed));
        if (!isOld) {
            Stream.of("dockerFile", "context")
                    .filter(root::hasNonNull)
                    .forEach(name -> members.refuse(name, "is not used: build.dockerfile goes before it"));
        }
        Optional<String> dockerfile = path(prefix + file, place.path(file))
                .filter(members.check(
                        prefix + file, path -> !path.equals(RepositoryPath.ROOT), "names the root of the repository"));
        Optional<String> context = members.isThere(place.path("context"))
                ? path(prefix + "context", place.path("context"))
                // As the reference implementation does it.
                : dockerfile.map(
                        path -> path.contains("/") ? path.substring(0, path.lastIndexOf('/')) : RepositoryPath.ROOT);
        Optional<String> target = members.text("build.target", build.path("target"))
                .filter(members.check(
                        "build.target", name -> STAGE.matcher(name).matches(), "is not the name of a stage"));
        Map<String, String> args = members.variables("build.args", build.path("args"));
        // Another stage or another context would be something else than what was asked for.
        return dockerfile.isEmpty() || context.isEmpty() || target.isEmpty() && members.isThere(build.path("target"))
                ? Optional.empty()
                : Optional.of(new DockerfileBuild(dockerfile.get(), context.get(), args, target));
    }

    private Optional<String> path(String member, JsonNode node) {
        return members.text(member, node).flatMap(text -> {
            try {
                return Optional.of(RepositoryPath.resolve(directory, text));
            } catch (IllegalArgumentException e) {
                members.refuse(member, String.valueOf(e.getMessage()));
                return Optional.empty();
            }
        });
    }

    private List<Feature> features() {
        List<Feature> features = new ArrayList<>();
        members.entries("features", root.path("features")).forEach((id, value) -> {
            String member = "features." + id;
            if (!id.startsWith("./")) {
                members.refuse(
                        member,
                        "is not in the repository, and features are not fetched; copy it beside the devcontainer.json and"
                                + " name it './<directory>'");
                return;
            }
            path(member, members.literal(id))
                    .filter(members.check(
                            member,
                            path -> !path.equals(directory) && !path.equals(RepositoryPath.ROOT),
                            "names no directory of its own"))
                    .flatMap(path -> options(member, value).map(options -> new Feature(path, options)))
                    .ifPresent(features::add);
        });
        return features;
    }

    private Optional<Map<String, String>> options(String member, JsonNode value) {
        if (value.isTextual()) {
            // The specification's short form.
            return members.text(member, value).map(version -> Map.of("version", version));
        }
        if (!value.isObject()) {
            members.refuse(member, "must be an object or a string, and " + DevContainerMembers.type(value));
            return Optional.empty();
        }
        Map<String, String> options = new LinkedHashMap<>();
        members.entries(member, value).forEach((name, option) -> {
            if (!isOption(name)) {
                members.refuse(member + "." + name, "is not the name of an option");
            } else if (option.isBoolean()) {
                options.put(name, option.asText());
            } else if (option.isTextual()) {
                members.text(member + "." + name, option).ifPresent(text -> options.put(name, text));
            } else {
                members.refuse(
                        member + "." + name, "must be a string or a boolean, and " + DevContainerMembers.type(option));
            }
        });
        return Optional.of(options);
    }

    /** Whether a feature may have an option of this name. */
    static boolean isOption(String name) {
        return !name.isBlank() && name.length() <= LONGEST_OPTION;
    }

    private Optional<String> user(String member) {
        return members.text(member, root.path(member))
                .filter(members.check(member, name -> USER.matcher(name).matches(), "is no user or user:group"));
    }

    private List<Integer> ports() {
        Set<Integer> ports = new LinkedHashSet<>();
        int index = 0;
        for (JsonNode port : members.list("forwardPorts", root.path("forwardPorts"))) {
            String member = "forwardPorts[" + index++ + "]";
            if (!port.isIntegralNumber()) {
                members.refuse(
                        member,
                        "must be a number, and " + DevContainerMembers.type(port)
                                + "; only ports of the container itself are forwarded");
            } else if (!port.canConvertToInt() || port.intValue() < 1 || port.intValue() > 65_535) {
                members.refuse(member, "is no port; these are 1 to 65535");
            } else {
                ports.add(port.intValue());
            }
        }
        return List.copyOf(ports);
    }

    private List<Command> commands() {
        List<Command> commands = new ArrayList<>();
        for (Stage stage : Stage.values()) {
            JsonNode value = root.path(stage.member());
            if (value.isObject()) {
                members.entries(stage.member(), value)
                        .forEach((name, one) -> members.argv(stage.member() + "." + name, one)
                                .ifPresent(argv -> commands.add(new Command(stage, shown(name), argv))));
            } else if (members.isThere(value)) {
                members.argv(stage.member(), value).ifPresent(argv -> commands.add(new Command(stage, "", argv)));
            }
        }
        return commands;
    }

    /** On one line of at most 200 characters that are seen, whatever it holds. */
    static String shown(String text) {
        String line = text.replaceAll("[\\p{C}\\u2028\\u2029]", "?");
        return line.length() <= 200 ? line : line.substring(0, 200) + "…";
    }
}
