package io.maestro.runtime.internal;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the reading tools may see of the coders' workspaces. Safe for use by several threads. */
public interface WorkspaceView {
    /** How many characters of a diff a tool shows at most. */
    int MOST_OF_A_DIFF = 1_000_000;

    /** The coders that are at work, by id. */
    Set<String> coders();

    /** The workspace of a coder; empty when no such coder is at work. */
    Optional<Path> directory(String coderId);

    /**
     * The difference between a coder's workspace and its base from a line on, in so many characters; empty when no such coder is
     * at work.
     */
    Optional<String> diff(String coderId, @Nullable String path, long firstLine, int maxCharacters);
}
