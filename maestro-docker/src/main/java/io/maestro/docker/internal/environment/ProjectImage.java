package io.maestro.docker.internal.environment;

/**
 * An image that an agent can work in, and why it does.
 *
 * @param name what it was asked for by, for messages
 * @param id its full id
 * @param origin why it is used
 */
public record ProjectImage(String name, String id, Origin origin) {
    /** Why an image is used. */
    public enum Origin {
        /** A merged story has chosen it for the project. */
        PINNED("the project's image, chosen by a merged story"),
        /** The configuration names it. */
        CONFIGURED("the project's configured image"),
        /** It was built from the Dockerfile that the configuration names. */
        BUILT("built from the project's Dockerfile"),
        /** The one that is never modified. */
        SAFE("the safe image"),
        /** The agent has switched to it. */
        SWITCHED("chosen with container_switch"),
        /** The agent has pinned it for its story. */
        UPDATED("chosen with container_update");

        private final String words;

        Origin(String words) {
            this.words = words;
        }

        /** For a model. */
        public String words() {
            return words;
        }
    }

    /** The first digits of the id, as engines show them. */
    public String shortId() {
        String digits = id.substring(id.indexOf(':') + 1);
        return digits.substring(0, Math.min(12, digits.length()));
    }

    /** The name and the id, for messages. */
    @Override
    public String toString() {
        return name.contains(shortId()) ? shortId() : name + " (" + shortId() + ")";
    }
}
