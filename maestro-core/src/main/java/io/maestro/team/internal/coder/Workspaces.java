package io.maestro.team.internal.coder;

import io.maestro.git.internal.Workspace;
import io.maestro.runtime.internal.WorkspaceView;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The workspaces of the coders that are at work, for the tools that read them. Safe for use by several threads. */
public final class Workspaces implements WorkspaceView {
    private final Map<String, Workspace> open = new ConcurrentHashMap<>();

    void open(String agentId, Workspace workspace) {
        open.put(agentId, workspace);
    }

    /** Another story's workspace of the same name stays open. */
    public void close(String agentId, Workspace workspace) {
        open.remove(agentId, workspace);
    }

    @Override
    public Set<String> coders() {
        return new TreeSet<>(open.keySet());
    }

    @Override
    public Optional<Path> directory(String coderId) {
        return Optional.ofNullable(open.get(coderId)).map(Workspace::directory);
    }

    @Override
    public Optional<String> diff(String coderId, @Nullable String path, long firstLine, int maxCharacters) {
        return Optional.ofNullable(open.get(coderId))
                .map(workspace -> workspace.diff(workspace.snapshot(), path, firstLine, maxCharacters));
    }
}
