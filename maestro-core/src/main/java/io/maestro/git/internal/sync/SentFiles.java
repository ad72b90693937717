package io.maestro.git.internal.sync;

import io.maestro.git.internal.TreeEntry;
import java.util.Map;
import java.util.NavigableMap;

/** The files that were sent. They count once they are {@linkplain WorkspaceSync#confirm known to have arrived}. */
public final class SentFiles {
    final NavigableMap<String, TreeEntry> files;
    final Map<String, FileState> states;
    private final String tree;

    SentFiles(String tree, NavigableMap<String, TreeEntry> files, Map<String, FileState> states) {
        this.tree = tree;
        this.files = files;
        this.states = states;
    }

    /**
     * What the remote copy has when nobody has changed it meanwhile.
     *
     * @return the id of a tree
     */
    public String tree() {
        return tree;
    }
}
