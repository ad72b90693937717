package io.maestro.files.internal;

import io.maestro.internal.Effort;
import io.maestro.internal.RawName;
import io.maestro.tools.ToolException;
import io.maestro.tools.WorkspaceFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Supplier;

/** The files of a workspace for tools of others, by the same way as the built-in tools. */
public final class AgentFiles implements WorkspaceFiles {
    private static final int MOST_LOOKED_AT = 200_000;
    private static final long MOST_STEPS = 500_000_000;

    private final Supplier<Path> directory;
    private final boolean readOnly;

    /**
     * Files below a directory.
     *
     * @param directory asked for each use; throws a {@link ToolException} when it is gone
     * @param readOnly whether nothing may be written
     */
    public AgentFiles(Supplier<Path> directory, boolean readOnly) {
        this.directory = directory;
        this.readOnly = readOnly;
    }

    private interface AgentFileWork<T> {
        T on(SafeFiles files) throws IOException;
    }

    private <T> T work(AgentFileWork<T> work) {
        try {
            return work.on(new SafeFiles(directory.get()));
        } catch (SafeFiles.RefusedPathException e) {
            throw new ToolException(e.getMessage());
        } catch (IOException e) {
            throw new ToolException(
                    "the workspace could not be used: " + e.getClass().getSimpleName(), e);
        }
    }

    @Override
    public String read(String path, int mostBytes) {
        if (mostBytes < 1 || mostBytes > MOST_BYTES) {
            throw new IllegalArgumentException("at most 1 to " + MOST_BYTES + " bytes are read, not " + mostBytes);
        }
        byte[] content = work(files -> files.read(path, mostBytes));
        if (content.length > mostBytes) {
            throw new ToolException(path + " is larger than " + mostBytes + " bytes; call read_file for a part of it");
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new ToolException(path + " is no UTF-8 text");
        }
    }

    @Override
    public void write(String path, String text) {
        if (readOnly) {
            throw new ToolException("the workspace is read-only now; " + path + " was not written");
        }
        byte[] content = text.getBytes(StandardCharsets.UTF_8);
        if (content.length > MOST_BYTES) {
            throw new ToolException(
                    path + " was not written: " + content.length + " bytes, at most " + MOST_BYTES + " are allowed");
        }
        boolean unused = work(files -> files.write(path, content));
    }

    @Override
    public List<String> list(String glob, int most) {
        if (most < 1 || most > MOST_PATHS) {
            throw new IllegalArgumentException("at most 1 to " + MOST_PATHS + " paths are listed, not " + most);
        }
        // The first ones, of however many there are.
        TreeSet<String> found = new TreeSet<>();
        boolean all;
        try {
            Globs globs = Globs.of(glob);
            Effort effort = new Effort("matching files with the pattern", MOST_STEPS);
            all = FileWalk.walk(directory.get(), MOST_LOOKED_AT, (name, attributes) -> {
                String shown = RawName.shown(name);
                if (attributes.isRegularFile()
                        && globs.matches(shown, effort)
                        && found.add(shown)
                        && found.size() > most) {
                    found.pollLast();
                }
            });
        } catch (IllegalArgumentException e) {
            throw new ToolException("not a glob pattern: " + e.getMessage());
        } catch (Effort.Exhausted e) {
            throw new ToolException(e.getMessage() + "; use a simpler pattern");
        } catch (IOException e) {
            throw new ToolException(
                    "the workspace could not be listed: " + e.getClass().getSimpleName(), e);
        }
        if (!all) {
            throw new ToolException("the workspace has more than " + MOST_LOOKED_AT + " files, not all were looked at");
        }
        return List.copyOf(found);
    }

    @Override
    public OptionalLong size(String path) {
        return work(files -> files.size(path));
    }
}
