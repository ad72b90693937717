package io.maestro.claude.internal.way;

import io.maestro.error.MaestroException;
import java.util.regex.Pattern;

/** The models that the CLI can be told to use. */
public final class ClaudeModels {
    private static final String VENDOR = "anthropic:";
    private static final Pattern NAME =
            Pattern.compile("(claude-[A-Za-z0-9][A-Za-z0-9._-]*|sonnet|opus|haiku)(\\[1m])?");

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
}
