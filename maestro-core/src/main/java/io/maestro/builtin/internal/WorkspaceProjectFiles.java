package io.maestro.builtin.internal;

import io.maestro.files.internal.SafeFiles;
import io.maestro.project.internal.ProjectFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The build files of one directory of a workspace. */
final class WorkspaceProjectFiles implements ProjectFiles {
    /** Of a longer file only so much is looked at. */
    private static final int MOST_BYTES = 256 * 1024;

    private final SafeFiles files;
    private final String prefix;

    private WorkspaceProjectFiles(SafeFiles files, String prefix) {
        this.files = files;
        this.prefix = prefix;
    }

    /**
     * Those of a directory.
     *
     * @param directory relative to the workspace; empty for its root
     * @throws SafeFiles.RefusedPathException when it is not there, is a link, or lies outside
     */
    static WorkspaceProjectFiles of(Path workspace, String directory) throws IOException {
        SafeFiles files = new SafeFiles(workspace);
        String prefix = directory.isEmpty() ? "" : directory + "/";
        if (!directory.isEmpty()) {
            files.requireDirectory(directory);
        }
        return new WorkspaceProjectFiles(files, prefix);
    }

    @Override
    public boolean has(String name) {
        try {
            return files.hasFile(prefix + name);
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public String text(String name) {
        try {
            byte[] bytes = files.read(prefix + name, in -> in.readNBytes(MOST_BYTES));
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
