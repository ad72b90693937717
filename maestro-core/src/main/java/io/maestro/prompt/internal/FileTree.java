package io.maestro.prompt.internal;

import io.maestro.files.internal.FileWalk;
import io.maestro.files.internal.RawName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files of a workspace, for a prompt: enough to know where to look, bounded so that a big project does not fill it. */
public final class FileTree {
    private static final int MOST = 200;
    private static final int MOST_LOOKED_AT = 20_000;

    private FileTree() {}

    public static String describe(Path root) {
        List<String> files = new ArrayList<>();
        int[] more = {0};
        boolean all;
        try {
            all = FileWalk.walk(root, MOST_LOOKED_AT, (name, attributes) -> {
                if (files.size() < MOST) {
                    files.add(RawName.shown(name));
                } else {
                    more[0]++;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + root, e);
        }
        String list = files.isEmpty() ? "(no files)" : String.join("\n", files);
        return more[0] == 0 && all ? list : list + "\n(and " + more[0] + (all ? "" : " or more") + " other files)";
    }
}
