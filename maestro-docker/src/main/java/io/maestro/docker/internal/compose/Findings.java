package io.maestro.docker.internal.compose;

import io.maestro.docker.internal.compose.ComposeRefusedException.Violation;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects what is refused, so that a model reads all of it at once, and what was changed without asking. */
final class Findings {
    private final List<Violation> violations = new ArrayList<>();
    private final Set<String> notes = new LinkedHashSet<>();

    void refuse(String where, String reason) {
        violations.add(new Violation(where, reason));
    }

    void note(String text) {
        notes.add(text);
    }

    List<String> notes() {
        return List.copyOf(notes);
    }

    void throwIfAny() {
        if (!violations.isEmpty()) {
            throw new ComposeRefusedException(violations);
        }
    }
}
