package io.maestro.docker;

import org.jspecify.annotations.Nullable;

/** An image was not built; nothing has taken its name. */
public class ImageBuildException extends DockerException {
    private static final long serialVersionUID = 1L;

    /** The beginning and the end of what the build printed. */
    private final String output;

    /**
     * Creates an exception.
     *
     * @param message what was to be built, why it was not, and what the build printed
     * @param output the beginning and the end of what the build printed; may be empty
     * @param cause the failure underneath, or null
     */
    public ImageBuildException(String message, String output, @Nullable Throwable cause) {
        super(message, cause);
        this.output = output;
    }

    /**
     * What the build printed.
     *
     * @return its beginning and its end; empty when it did not begin
     */
    public String output() {
        return output;
    }
}
