package io.maestro.git.internal.sync;

import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was changed in a workspace on this machine since it and its remote copy were last the same. Immutable. */
public final class LocalChanges {
    final List<LocalChange> written;
    final List<String> deleted;
    final Map<String, FileState> states;

    LocalChanges(List<LocalChange> written, List<String> deleted, Map<String, FileState> states) {
        this.written = List.copyOf(written);
        this.deleted = List.copyOf(deleted);
        this.states = states;
    }

    /**
     * Whether nothing has to be sent.
     *
     * @return false when a file was written or deleted
     */
    public boolean isEmpty() {
        return written.isEmpty() && deleted.isEmpty();
    }

    /**
     * Which files and links are gone, and which directories have become a file or a link.
     *
     * @return their raw paths, relative to the workspace; a directory's ends with a slash
     */
    public List<String> deleted() {
        Set<String> files = new HashSet<>();
        for (LocalChange change : written) {
            if (!change.attributes().isDirectory()) {
                files.add(change.path());
            }
        }
        Set<String> replaced = new LinkedHashSet<>();
        for (String path : deleted) {
            for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
                if (files.contains(path.substring(0, slash))) {
                    replaced.add(path.substring(0, slash + 1));
                }
            }
        }
        List<String> all = new ArrayList<>(deleted);
        all.addAll(replaced);
        return all;
    }

    /**
     * Which of the files that have to be sent git could have in a tree.
     *
     * @return their raw paths
     */
    public List<String> tracked() {
        return written.stream()
                .filter(LocalChange::tracked)
                .map(LocalChange::path)
                .toList();
    }

    /**
     * A file, link or directory that has to be sent.
     *
     * @param path its raw path
     * @param attributes its own
     * @param tracked whether it is one that git could have in a tree
     */
    record LocalChange(String path, BasicFileAttributes attributes, boolean tracked) {}
}
