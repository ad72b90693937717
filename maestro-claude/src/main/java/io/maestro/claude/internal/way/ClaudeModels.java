package io.maestro.claude.internal.way;

import io.maestro.error.MaestroException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The models that the CLI can be told to use. */
public final class ClaudeModels {
    private static final String VENDOR = "anthropic:";
    private static final Pattern NAME =
            Pattern.compile("(claude-[A-Za-z0-9][A-Za-z0-9._-]*|sonnet|opus|haiku)(\\[1m])?");

    private static final String SMALL = "haiku";

    /** What the CLI's own names for models stand for. */
    private static final List<String> PINNED = List.of(
            "ANTHROPIC_SMALL_FAST_MODEL",
            "ANTHROPIC_DEFAULT_HAIKU_MODEL",
            "ANTHROPIC_DEFAULT_SONNET_MODEL",
            "ANTHROPIC_DEFAULT_OPUS_MODEL",
            "ANTHROPIC_DEFAULT_FABLE_MODEL",
            "CLAUDE_CODE_SUBAGENT_MODEL");

    private ClaudeModels() {}

    /**
     * Checks a model's name.
     *
     * @param setting what names it, for the message, for example {@code $.agents.coder_model}
     * @param model as a host or a configuration writes it
     * @return as the CLI wants it: without the vendor
     * @throws MaestroException when it is no model of Anthropic's
     */
    public static String require(String setting, String model) {
        String name = model.startsWith(VENDOR) ? model.substring(VENDOR.length()) : model;
        if (!NAME.matcher(name).matches()) {
            throw new MaestroException(setting + ": the coder mode claude-code cannot use the model \"" + model
                    + "\"; write claude-<name>, sonnet, opus or haiku, or set agents.coder_mode to standard");
        }
        return name;
    }

    /**
     * The models that the CLI may ask when it is told to use one.
     *
     * @param model as {@link #require} gives it
     * @return this one; beside a short name also the family that the CLI takes for small things, which cannot be named then
     */
    public static List<String> asked(String model) {
        return isShort(model) ? List.of(model, SMALL) : List.of(model);
    }

    /**
     * What makes the CLI, its sub-agents and what it does by the way use no other model.
     *
     * @param model as {@link #require} gives it
     * @return variables; none for a short name, of which only the CLI knows what it stands for
     */
    public static Map<String, String> environment(String model) {
        Map<String, String> variables = new TreeMap<>();
        if (!isShort(model)) {
            String name = model.replace("[1m]", "");
            PINNED.forEach(variable -> variables.put(variable, name));
        }
        return variables;
    }

    private static boolean isShort(String model) {
        return !model.startsWith("claude-");
    }
}
