package io.maestro.claude;

import io.maestro.error.MaestroException;
import java.util.List;
import java.util.stream.Collectors;

/** There is no usable Claude Code CLI where it is to run, and it could not be brought there. The message says what was tried. */
public final class ClaudeInstallException extends MaestroException {
    private static final long serialVersionUID = 1L;

    /** Not carried to another JVM; the message says the same. */
    private final transient List<ClaudeInstaller.Step> steps;

    /**
     * Creates an exception.
     *
     * @param place what there is where it is to run; one line
     * @param minimum the oldest version that would have done
     * @param steps what was tried
     */
    public ClaudeInstallException(String place, String minimum, List<ClaudeInstaller.Step> steps) {
        super("there is no Claude Code CLI of version " + minimum + " or newer (" + place + "). What was tried:\n"
                + steps.stream().map(step -> "- " + step).collect(Collectors.joining("\n"))
                + "\nWhat to do: put it into the image (ClaudeInstaller.dockerfile() has the lines), or name a binary of the"
                + " host that fits, or the directory of its npm package.");
        this.steps = List.copyOf(steps);
    }

    /**
     * What was tried.
     *
     * @return in order; empty after serialization
     */
    @SuppressWarnings("ConstantValue")
    public List<ClaudeInstaller.Step> steps() {
        return steps == null ? List.of() : steps;
    }
}
