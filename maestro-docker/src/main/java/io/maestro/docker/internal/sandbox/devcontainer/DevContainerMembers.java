package io.maestro.docker.internal.sandbox.devcontainer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Refusal;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Workspace;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Takes values of members, checked and with their variables replaced, and collects what is refused. Whatever is wrong with a
 * value, it is refused and left away; what a method returns then is empty. Not safe for use by several threads.
 */
final class DevContainerMembers {
    /** In a list, an object and the list of what is refused. */
    static final int MOST_ENTRIES = 100;

    /** What a container can be given as a variable, too. */
    private static final int LONGEST_TEXT = 16_000;

    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

    private final DevContainerVariables variables;
    private final List<Refusal> refused;
    private int more;

    DevContainerMembers(Workspace workspace) {
        this(workspace, new ArrayList<>());
    }

    private DevContainerMembers(Workspace workspace, List<Refusal> refused) {
        this.variables = new DevContainerVariables(workspace);
        this.refused = refused;
    }

    /** With another workspace, and what was refused until now. */
    DevContainerMembers in(Workspace workspace) {
        return new DevContainerMembers(workspace, refused);
    }

    void refuse(String member, String reason) {
        if (refused.size() < MOST_ENTRIES) {
            refused.add(new Refusal(DevContainerReader.shown(member), reason));
        } else {
            more++;
        }
    }

    /** All that was refused; the last entry says how many are not listed. */
    List<Refusal> refused() {
        List<Refusal> all = new ArrayList<>(refused);
        if (more > 0) {
            all.set(MOST_ENTRIES - 1, new Refusal("…", (more + 1) + " more are refused and not listed"));
        }
        return all;
    }

    /** A test for {@link Optional#filter} that refuses what does not pass. */
    Predicate<String> check(String member, Predicate<String> rule, String reason) {
        return text -> {
            boolean passes = rule.test(text);
            if (!passes) {
                refuse(member, reason);
            }
            return passes;
        };
    }

    boolean isThere(JsonNode node) {
        return !node.isMissingNode() && !node.isNull();
    }

    /** Whether it is there and an object; something else is refused. */
    boolean isObject(String member, JsonNode node) {
        if (isThere(node) && !node.isObject()) {
            refuse(member, "must be an object, and " + type(node));
        }
        return node.isObject();
    }

    /** A text that is no part of the tree. */
    JsonNode literal(String text) {
        return TextNode.valueOf(text);
    }

    /** A text that may be absent or null. */
    Optional<String> text(String member, JsonNode node) {
        return isThere(node) ? entry(member, node, false) : Optional.empty();
    }

    private Optional<String> entry(String member, JsonNode node, boolean keepsContainerEnv) {
        if (!node.isTextual()) {
            refuse(member, "must be a string, and " + type(node));
            return Optional.empty();
        }
        try {
            return Optional.of(variables.replace(node.textValue(), keepsContainerEnv))
                    .filter(check(
                            member,
                            text -> text.length() <= LONGEST_TEXT
                                    && text.indexOf('\0') < 0
                                    && StandardCharsets.UTF_8.newEncoder().canEncode(text),
                            "has more than " + LONGEST_TEXT + " characters, a NUL, or half of a character"));
        } catch (DevContainerVariables.RefusedVariableException e) {
            refuse(member, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** The elements of a list that may be absent. */
    List<JsonNode> list(String member, JsonNode node) {
        List<JsonNode> elements = new ArrayList<>();
        if (isThere(node) && !node.isArray()) {
            refuse(member, "must be an array, and " + type(node));
        } else if (isSmall(member, node)) {
            node.forEach(elements::add);
        }
        return elements;
    }

    /** The members of an object that may be absent, in order. */
    Map<String, JsonNode> entries(String member, JsonNode node) {
        Map<String, JsonNode> entries = new LinkedHashMap<>();
        if (isObject(member, node) && isSmall(member, node)) {
            node.properties().forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
        }
        return entries;
    }

    private boolean isSmall(String member, JsonNode node) {
        if (node.size() > MOST_ENTRIES) {
            refuse(member, "has " + node.size() + " entries; at most " + MOST_ENTRIES + " are taken");
            return false;
        }
        return true;
    }

    /** Environment variables or build arguments, as far as a container or a build can be given them. */
    Map<String, String> variables(String member, JsonNode node) {
        boolean isRemote = member.equals("remoteEnv");
        boolean isBuild = member.equals("build.args");
        Map<String, String> values = new LinkedHashMap<>();
        entries(member, node).forEach((name, value) -> {
            String one = member + "." + name;
            boolean steersBuilder = isBuild && (name.startsWith("BUILDKIT_") || name.startsWith("DOCKER_"));
            if (!VARIABLE.matcher(name).matches() || steersBuilder) {
                refuse(one, steersBuilder ? "would steer the builder" : "is not the name of a variable");
                return;
            }
            entry(one, value, isRemote)
                    .filter(check(
                            one,
                            text -> isRemote
                                    || text.chars()
                                            .noneMatch(
                                                    c -> isBuild ? Character.isISOControl(c) : c == '\n' || c == '\r'),
                            "holds a line break or another control character, which cannot be handed over here"))
                    .ifPresent(text -> values.put(name, text));
        });
        return values;
    }

    /** A program with its arguments, of a shell line or a list; what is empty is no command. */
    Optional<List<String>> argv(String member, JsonNode node) {
        if (node.isTextual()) {
            return entry(member, node, false)
                    .filter(line -> !line.isBlank())
                    .map(line -> List.of("/bin/sh", "-c", line));
        }
        if (!node.isArray()) {
            refuse(member, "must be a string or an array of strings, and " + type(node));
            return Optional.empty();
        }
        List<JsonNode> elements = list(member, node);
        List<String> words = new ArrayList<>();
        for (JsonNode element : elements) {
            Optional<String> word = entry(member + "[" + words.size() + "]", element, false);
            if (word.isEmpty()) {
                // Without one of its words it would be another command.
                return Optional.empty();
            }
            words.add(word.get());
        }
        if (!words.isEmpty() && words.get(0).isBlank()) {
            refuse(member, "names no program");
            return Optional.empty();
        }
        return Optional.of(words).filter(all -> !all.isEmpty());
    }

    /** What a value is, for a message. */
    static String type(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> "is an object";
            case ARRAY -> "is an array";
            case STRING -> "is a string";
            case NUMBER -> "is a number";
            case BOOLEAN -> "is a boolean";
            default -> "is null";
        };
    }
}
