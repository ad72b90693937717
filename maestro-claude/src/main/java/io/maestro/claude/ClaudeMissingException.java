package io.maestro.claude;

import io.maestro.error.MaestroException;
import java.util.List;
import java.util.stream.Collectors;

/** There is no usable Claude Code CLI where it is to run. The message says what was tried. */
public final class ClaudeMissingException extends MaestroException {
    private static final long serialVersionUID = 1L;

    /** Not carried to another JVM; the message says the same. */
    private final transient List<ClaudeFinder.Step> steps;

    /**
     * Creates an exception.
     *
     * @param place what there is where it is to run; one line
     * @param minimum the oldest version that would have done
     * @param steps what was tried
     */
    public ClaudeMissingException(String place, String minimum, List<ClaudeFinder.Step> steps) {
        super("there is no Claude Code CLI of version " + minimum + " or newer (" + place + "). What was tried:\n"
                + steps.stream().map(step -> "- " + step).collect(Collectors.joining("\n"))
                + "\nWhat to do: install it on this machine (npm install --global @anthropic-ai/claude-code), or name a"
                + " binary of the host that fits or the directory of its npm package, or put it into the image"
                + " (ClaudeFinder.dockerfile() has the lines).");
        this.steps = List.copyOf(steps);
    }

    /**
     * What was tried.
     *
     * @return in order; empty after serialization
     */
    @SuppressWarnings("ConstantValue")
    public List<ClaudeFinder.Step> steps() {
        return steps == null ? List.of() : steps;
    }
}
