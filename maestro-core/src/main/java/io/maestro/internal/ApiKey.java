package io.maestro.internal;

/** A secret that is sent in a header and shown nowhere. */
public final class ApiKey {
    private final String secret;

    /**
     * Takes a key.
     *
     * @param secret visible ASCII characters; blanks and line ends around them are dropped
     * @throws IllegalArgumentException when it cannot be sent in a header; the message does not show it
     */
    public ApiKey(String secret) {
        this.secret = secret.strip();
        // Checked here, because the JDK's own check prints the value that it refuses.
        if (this.secret.isEmpty() || !this.secret.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new IllegalArgumentException("the API key is empty or has characters that no key has, such as blanks"
                    + " or line ends inside it: copy it again");
        }
    }

    /** The key, for the header and for nothing else. */
    public String secret() {
        return secret;
    }

    /** The text without the key, should a server or a proxy have sent it back. */
    public String removedFrom(String text) {
        return text.replace(secret, "***");
    }

    /** Not the key. */
    @Override
    public String toString() {
        return "***";
    }
}
