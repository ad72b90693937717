package io.maestro.docker.internal.sandbox.devcontainer;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a repository's {@code devcontainer.json} asks for, as far as a sandbox gives it, and what is refused. The file is not
 * trusted: whatever reaches beyond the container is refused by name and never followed. It follows the Development Containers
 * specification: containers.dev, in devcontainers/spec {@code docs/specs/devcontainerjson-reference.md} and
 * {@code schemas/devContainer.base.schema.json}. Immutable, with maps in the order of the file.
 *
 * <p>What the specification leaves to tools, or what is otherwise here:
 *
 * <ul>
 *   <li>A Dockerfile goes before an image when both are named; the image is refused then.
 *   <li>Commands of one stage that may run in parallel may run one after the other, in the order of the file.
 *   <li>Variables of the host have no value: <code>${localEnv:X:default}</code> is the default, which reaches to the closing
 *       brace; without one, what contains the variable is refused.
 *   <li>Features are taken from the repository only.
 *   <li>Members for editors, and those by which a container is kept in step with them ({@code customizations}, {@code name},
 *       {@code portsAttributes}, {@code waitFor}, {@code userEnvProbe}, {@code updateRemoteUserUID} and such), are ignored.
 *   <li>Members that are refused as such are not mentioned when they ask for nothing: null, false, or empty.
 * </ul>
 *
 * @param image the image's name; empty where a Dockerfile is asked for, or nothing
 * @param build what to build the image from
 * @param features what to install into the image, in order
 * @param containerEnv variables of all processes; values have no line break, and at most 16,000 characters
 * @param remoteEnv variables of what is run in the container, where <code>${containerEnv:X}</code> is not replaced yet; see
 *     {@link #remoteEnvIn}
 * @param containerUser as whom the container runs, a user or {@code user:group}; empty for the image's own
 * @param remoteUser as whom commands run; empty for the container's
 * @param workspaceFolder where the repository is expected in the container: an absolute, normalised path; the given one when the
 *     file names none. <code>${containerWorkspaceFolder}</code> was replaced by it
 * @param forwardPorts ports of the container, 1 to 65,535
 * @param commands what to run in the container, in order, in the workspace folder; one that fails ends the set-up
 * @param refused what is not followed, at most 100 entries
 */
public record DevContainer(
        Optional<String> image,
        Optional<DockerfileBuild> build,
        List<Feature> features,
        Map<String, String> containerEnv,
        Map<String, String> remoteEnv,
        Optional<String> containerUser,
        Optional<String> remoteUser,
        String workspaceFolder,
        List<Integer> forwardPorts,
        List<Command> commands,
        List<Refusal> refused) {
    /** Where the file may be, from the root of the repository; the first one that exists is used. */
    public static final List<String> LOCATIONS = List.of(".devcontainer/devcontainer.json", ".devcontainer.json");

    /** Copies the lists and maps. */
    public DevContainer {
        features = List.copyOf(features);
        containerEnv = copy(containerEnv);
        remoteEnv = copy(remoteEnv);
        forwardPorts = List.copyOf(forwardPorts);
        commands = List.copyOf(commands);
        refused = List.copyOf(refused);
    }

    /**
     * Where the repository is.
     *
     * @param repository the name of the repository's directory on the host, without the path
     * @param folder its path in the container, absolute and normalised
     */
    public record Workspace(String repository, String folder) {
        // No character that a mount or a shell could take for something else.
        private static final Pattern FOLDER = Pattern.compile("(/[A-Za-z0-9_.@+-]+)+");
        private static final int LONGEST = 1_000;

        /**
         * Checks both.
         *
         * @throws IllegalArgumentException when one of them is something else
         */
        public Workspace {
            if (repository.isEmpty()
                    || repository.length() > LONGEST
                    || repository.chars().anyMatch(c -> c == '/' || Character.isISOControl(c))) {
                throw new IllegalArgumentException("not the name of a directory: '"
                        + DevContainerReader.shown(repository) + "'; give its last part only");
            }
            if (!isFolder(folder)) {
                throw new IllegalArgumentException(
                        "not a folder for a repository in a container: '" + DevContainerReader.shown(folder)
                                + "'; give an absolute, normalised path of plain characters");
            }
        }

        /** Whether a repository can be there: not at the root, nor in what the kernel shows. */
        static boolean isFolder(String path) {
            return path.length() <= LONGEST
                    && FOLDER.matcher(path).matches()
                    && !(path + "/").matches(".*/\\.\\.?/.*|/(proc|sys|dev)/.*");
        }
    }

    /**
     * What an image is built from. The paths are from the root of the repository, with {@code /}, and lead nowhere else as long
     * as no symbolic link does.
     *
     * @param dockerfile the Dockerfile
     * @param context the directory of the build; {@code .} for the root
     * @param args build arguments
     * @param target the stage to build; empty for the last one
     */
    public record DockerfileBuild(
            String dockerfile, String context, Map<String, String> args, Optional<String> target) {
        /** Copies the arguments. */
        public DockerfileBuild {
            args = copy(args);
        }
    }

    /**
     * Something to install, from a directory of the repository that holds an {@code install.sh}.
     *
     * @param directory from the root of the repository, with {@code /}
     * @param options values by the option's name; one that is not given has the feature's own default
     */
    public record Feature(String directory, Map<String, String> options) {
        /** Copies the options. */
        public Feature {
            options = copy(options);
        }

        /**
         * The same with what its {@code devcontainer-feature.json} says: the defaults of the options that were not given.
         *
         * @param text of that file
         * @param notes is told what of it is not followed
         * @return this, where the file cannot be read
         */
        public Feature with(String text, List<String> notes) {
            return FeatureFile.over(this, text, notes);
        }

        /**
         * The options as {@code install.sh} gets them.
         *
         * @return an unmodifiable map of environment variables
         */
        public Map<String, String> environment() {
            Map<String, String> variables = new LinkedHashMap<>();
            options.forEach((name, value) -> variables.put(
                    name.replaceAll("[^A-Za-z0-9_]", "_")
                            .replaceAll("^[0-9_]+", "_")
                            .toUpperCase(Locale.ROOT),
                    value));
            return Collections.unmodifiableMap(variables);
        }
    }

    /** When a command runs, in order. */
    public enum Stage {
        /** Once, when the container was made. */
        ON_CREATE("onCreateCommand"),
        /** After that, and whenever the repository's content was brought up to date. */
        UPDATE_CONTENT("updateContentCommand"),
        /** Once, after both. */
        POST_CREATE("postCreateCommand"),
        /** Whenever the container was started. */
        POST_START("postStartCommand");

        private final String member;

        Stage(String member) {
            this.member = member;
        }

        /**
         * What it is called in the file.
         *
         * @return for example {@code onCreateCommand}
         */
        public String member() {
            return member;
        }
    }

    /**
     * A command to run in the container.
     *
     * @param stage when
     * @param name its name where a stage has several, on one line; otherwise empty
     * @param argv the program and its arguments; a shell line is given to {@code /bin/sh -c}
     */
    public record Command(Stage stage, String name, List<String> argv) {
        /** Copies the arguments. */
        public Command {
            argv = List.copyOf(argv);
        }
    }

    /**
     * Something that is not followed.
     *
     * @param member where it is in the file, for example {@code containerEnv.TOKEN}; without control characters
     * @param reason a sentence without its subject, for a person or a model; it repeats no value of the file
     */
    public record Refusal(String member, String reason) {}

    /**
     * Reads a file.
     *
     * @param location one of {@link #LOCATIONS}; paths in the file are relative to its directory
     * @param text JSON, with comments and trailing commas; at most 262,144 characters, nested at most 20 deep
     * @param workspace where the repository is
     * @return what it asks for
     * @throws IllegalArgumentException when it is no such JSON, names a member twice, or has more than 100 members; the message
     *     says where. All else that is wrong is in {@link #refused}
     */
    public static DevContainer read(String location, String text, Workspace workspace) {
        if (!LOCATIONS.contains(location)) {
            throw new IllegalArgumentException("a devcontainer.json is one of " + LOCATIONS + ", and not '"
                    + DevContainerReader.shown(location) + "'");
        }
        String directory =
                location.contains("/") ? location.substring(0, location.lastIndexOf('/')) : RepositoryPath.ROOT;
        return DevContainerReader.read(directory, text, workspace);
    }

    /**
     * The variables of what is run in the container. They are values and not shell text: nothing in them is to be expanded again.
     *
     * @param container the variables of the running container
     * @return an unmodifiable map; a variable that the container does not have is empty, or its default where one is given
     */
    public Map<String, String> remoteEnvIn(Map<String, String> container) {
        Map<String, String> values = new LinkedHashMap<>();
        remoteEnv.forEach((name, value) -> values.put(name, DevContainerVariables.ofContainer(value, container)));
        return Collections.unmodifiableMap(values);
    }

    private static Map<String, String> copy(Map<String, String> map) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }
}
