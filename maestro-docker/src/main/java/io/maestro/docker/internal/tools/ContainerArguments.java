package io.maestro.docker.internal.tools;

import io.maestro.docker.internal.BootstrapImage;
import io.maestro.docker.internal.environment.AgentEnvironments;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolException;
import java.util.Locale;
import java.util.regex.Pattern;

/** What the tools for containers make of their arguments. What they refuse they refuse before anything is started. */
final class ContainerArguments {
    /** Of an image that an agent builds: no registry, no directories. */
    private static final Pattern TAG =
            Pattern.compile("[a-z0-9]+([._-]+[a-z0-9]+){0,40}(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?");

    private static final int LONGEST_TAG = 128;

    private ContainerArguments() {}

    /** An argument that is not taken; the message is for the model. */
    static final class RefusedArgumentException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        RefusedArgumentException(String message) {
            super(message);
        }
    }

    /** The environment of the agent that a tool works for. */
    static StoryEnvironment environment(ToolContext context) {
        return context.service(AgentEnvironments.class)
                .orElseThrow(() -> new ToolException("the tools for containers need the environments of docker", null))
                .of(context.agentId());
    }

    /**
     * The id of the image that an agent means.
     *
     * @throws RefusedArgumentException when it is none, or one that the agent may not use
     */
    static String image(StoryEnvironment environment, String text) {
        try {
            return environment
                    .images()
                    .find(environment.engine(), environment.place(), text)
                    .id();
        } catch (IllegalArgumentException e) {
            throw new RefusedArgumentException(String.valueOf(e.getMessage()));
        }
    }

    /**
     * A name for an image of the agent's.
     *
     * @throws RefusedArgumentException when it is none
     */
    static String tag(String text) {
        if (text.length() > LONGEST_TAG || !TAG.matcher(text).matches()) {
            throw new RefusedArgumentException("'" + shown(text)
                    + "' is no name for an image: lower-case letters and digits with . _ - between them and an optional"
                    + " :tag make one; no registry and no '/'");
        }
        if (text.startsWith(BootstrapImage.NAME)) {
            throw new RefusedArgumentException(
                    "'" + shown(text) + "' is the name of the safe image, which is never changed; choose another one");
        }
        return text;
    }

    /** The name of an image when the agent gives none. */
    static String defaultTag(String project, String story) {
        String text =
                ("maestro-" + project + "-" + story).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        text = text.substring(0, Math.min(LONGEST_TAG, text.length())).replaceAll("^-+|-+$", "");
        // A project may be called like the safe image.
        return text.startsWith(BootstrapImage.NAME) ? "image-" + text : text;
    }

    /** Quoted in a message, whatever it holds. */
    static String shown(String text) {
        String line = text.replaceAll("\\p{Cntrl}", "?");
        return line.length() <= 200 ? line : line.substring(0, 200) + "…";
    }
}
