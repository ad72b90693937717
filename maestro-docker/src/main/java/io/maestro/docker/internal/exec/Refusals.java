package io.maestro.docker.internal.exec;

import io.maestro.exec.ExecException;

/** What a script says when it could not become its command. */
final class Refusals {
    private Refusals() {}

    /**
     * The exception for a letter.
     *
     * @param word the letter
     * @param program the command's program
     * @param directory where it should have run
     * @param where the container and how it is, for the message
     */
    static ExecException of(String word, String program, String directory, String where) {
        String what = switch (word) {
            case "D" -> "the working directory does not exist; create it first";
            case "F" -> "the working directory is not a directory; name one";
            case "A" -> "the working directory may not be entered by this user; choose another user or directory";
            case "P" -> "there is no such program; install it, correct its name, or give its path";
            case "X" -> "the program is there, but is not an executable file; make it so with chmod +x";
            default -> "the shell in the container refused it; check the names of the variables";
        };
        return new ExecException("cannot run '" + program + "' in " + directory + " of " + where + ": " + what, null);
    }
}
