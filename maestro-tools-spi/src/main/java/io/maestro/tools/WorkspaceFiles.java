package io.maestro.tools;

import java.util.List;
import java.util.OptionalLong;

/**
 * The files of an agent's workspace. Paths are relative to it, with {@code /}. One that is absolute, leads out of the workspace
 * or into {@code .git}, or has a symbolic link in it, is refused; so is what is no regular file. A path has one spelling: {@code ./a},
 * {@code b/../a}, {@code a/} and another case than the file's are refused, since a policy that allowed them has not seen {@code a}.
 * {@link ToolDefinition.Builder#pathArguments} makes arguments of a tool canonical. An agent may change its workspace at any time,
 * also between two calls. Safe for use by several threads.
 *
 * <p>Every method throws a {@link ToolException} when it cannot do what it is asked for; the message is fit for a model. Texts are
 * as they stand in the files, secrets included: Maestro takes those out of what the tool answers.
 */
public interface WorkspaceFiles {
    /** How large a file may be that is read or written, in bytes. */
    int MOST_BYTES = 10 * 1024 * 1024;

    /** How many paths a list may have. */
    int MOST_PATHS = 10_000;

    /**
     * Reads a text file. The tool {@code read_file} reads larger ones page by page.
     *
     * @param path the file
     * @param mostBytes how large it may be; from 1 to {@value #MOST_BYTES}
     * @return its text, never a part of it
     * @throws ToolException when there is no such file, it is larger, or it is no UTF-8
     */
    String read(String path, int mostBytes);

    /**
     * Writes a text file with the directories that it needs, in place of what was there. Others see all of it or nothing.
     *
     * @param path the file
     * @param text its text, at most {@value #MOST_BYTES} bytes in UTF-8
     * @throws ToolException when the workspace is {@linkplain ToolContext#readOnly() read-only}, or the file cannot be written
     */
    void write(String path, String text);

    /**
     * Lists files, those that git ignores included.
     *
     * @param glob which, for example {@code src/**}{@code /*.java}; {@code **} for all
     * @param most how many; from 1 to {@value #MOST_PATHS}. Ask for one more than you need to learn whether there are more
     * @return paths in their order, the first ones where there are more
     * @throws ToolException when the pattern is none, or there are too many files to look at
     */
    List<String> list(String glob, int most);

    /**
     * Says how large a file is.
     *
     * @param path the file
     * @return bytes; empty when there is no regular file of that path
     */
    OptionalLong size(String path);
}
