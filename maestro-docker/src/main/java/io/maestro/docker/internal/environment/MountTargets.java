package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.workspace.BoundWorkspace;
import io.maestro.environment.Workplace;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where the containers of an agent have the directories of this machine. Immutable. */
final class MountTargets {
    private static final String READABLE = "/mnt/";

    private final String agentId;
    private final Map<Path, String> targets = new LinkedHashMap<>();

    MountTargets(Workplace place) {
        this.agentId = place.agentId();
        targets.put(place.directory(), BoundWorkspace.TARGET);
        for (Path directory : place.readable()) {
            String name = String.valueOf(directory.getFileName()).replaceAll("[^A-Za-z0-9_.-]", "_");
            String target = READABLE + name;
            for (int number = 2; targets.containsValue(target); number++) {
                target = READABLE + name + "-" + number;
            }
            targets.putIfAbsent(directory, target);
        }
    }

    /** All, beginning with the workspace. */
    Map<Path, String> targets() {
        return Collections.unmodifiableMap(targets);
    }

    String of(Path directory) {
        String target = targets.get(directory);
        if (target == null) {
            throw new IllegalArgumentException(
                    directory + " is not in the containers of " + agentId + "; they have " + targets.keySet());
        }
        return target;
    }
}
