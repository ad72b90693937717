package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.internal.Inspector.ObjectKind;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * An image on the engine.
 *
 * @param id its full id, {@code sha256:…}
 * @param labels its labels
 */
public record Image(String id, Map<String, String> labels) {
    /** The shell of each image, by its full path: the search path of an image may lead into the workspace. */
    public static final String SHELL = "/bin/sh";

    /**
     * What a container must not have of its image, by name: labels, on which programs of the machine act, as compose does, and
     * variables that change what Maestro's own scripts do. No engine can leave them out, so each is set to nothing. Immutable.
     *
     * @param labels all of the image's, Maestro's among them, sorted
     * @param variables sorted
     */
    public record Inherited(List<String> labels, List<String> variables) {
        private static final Path WORKSPACE = Path.of("/workspace");

        static final Inherited NOTHING = new Inherited(List.of(), List.of());

        /** Of the scripts themselves, and those that shells and grep take functions, options or time limits from. */
        private static final Pattern VARIABLES = Pattern.compile(
                "(MAESTRO_|mx_)[A-Za-z0-9_]*|BASH_FUNC_[^\\s=]+|SHELLOPTS|BASHOPTS|FUNCNEST|TMOUT|GREP_OPTIONS");

        /** Each is a word for the engine's client, and all of them together must fit into its arguments. */
        private static final int MOST_CHARACTERS = 50_000;

        /**
         * Asks the engine.
         *
         * @param image a name or an id
         * @return empty when there is no such image
         * @throws IllegalArgumentException when something of it cannot be set to nothing; the message is for a model
         */
        public static Optional<Inherited> find(DockerCli cli, String image) {
            return new Inspector(cli).find(ObjectKind.IMAGE, image).map(Inherited::of);
        }

        static Inherited of(JsonNode image) {
            if (Inspector.isBrief(image)) {
                throw refused(image, "describes itself at too great a length");
            }
            TreeSet<String> labels = new TreeSet<>();
            Inspector.labels(ObjectKind.IMAGE, image).fieldNames().forEachRemaining(labels::add);
            if (labels.stream().anyMatch(name -> name.isEmpty() || name.matches("(?s).*[=\\s\\p{Cntrl}].*"))) {
                throw refused(image, "has a label with '=', a blank or a control character in its name");
            }
            for (String volume : (Iterable<String>) image.path("Config").path("Volumes")::fieldNames) {
                Path directory = Path.of("/").resolve(volume).normalize();
                if (directory.startsWith(WORKSPACE) && !directory.equals(WORKSPACE)) {
                    throw new IllegalArgumentException(
                            "the image " + image.path("Id").asText() + " has VOLUME " + volume
                                    + ", which would hide files of the workspace; use an image without it");
                }
            }
            TreeSet<String> variables = new TreeSet<>();
            for (JsonNode variable : image.path("Config").path("Env")) {
                String name = variable.asText().replaceFirst("(?s)=.*", "");
                if (VARIABLES.matcher(name).matches()) {
                    variables.add(name);
                }
            }
            if (characters(labels) + characters(variables) > MOST_CHARACTERS) {
                throw refused(image, "has labels with names of more than " + MOST_CHARACTERS + " characters");
            }
            return new Inherited(List.copyOf(labels), List.copyOf(variables));
        }

        private static int characters(TreeSet<String> names) {
            return names.stream().mapToInt(String::length).sum();
        }

        private static IllegalArgumentException refused(JsonNode image, String what) {
            return new IllegalArgumentException(
                    "the image " + image.path("Id").asText() + " " + what
                            + ", so that its labels cannot be kept from a container; use an image that has fewer, with shorter and plain names");
        }
    }
}
