package io.maestro.claude.internal.gateway;

/** The real key: sent in a header and shown nowhere. */
public final class UpstreamKey {
    private final String secret;

    /**
     * Takes a key.
     *
     * @param secret visible ASCII characters; blanks and line ends around them are dropped
     * @throws IllegalArgumentException when it cannot be sent in a header; the message does not show it
     */
    public UpstreamKey(String secret) {
        this.secret = secret.strip();
        // Checked here, because the JDK's own check prints the value that it refuses.
        if (this.secret.isEmpty() || !this.secret.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new IllegalArgumentException("the API key is empty or has characters that no key has, such as blanks"
                    + " or line ends inside it: copy it again");
        }
    }

    String secret() {
        return secret;
    }

    /** A text without the key, should somebody have sent it back. */
    String removedFrom(String text) {
        return text.replace(secret, "*".repeat(secret.length()));
    }

    /** Not the key. */
    @Override
    public String toString() {
        return "***";
    }
}
