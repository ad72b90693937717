package io.maestro.team.internal.story;

import io.maestro.story.CoderState;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The sessions of the program that works in the place of a model, by its own names for them. */
public final class ProgramSessions {
    private Map<CoderState, String> sessions = new EnumMap<>(CoderState.class);
    private @Nullable String actedOn;

    ProgramSessions() {}

    /** The session of the program that works in a state. */
    public Optional<String> in(CoderState state) {
        return Optional.ofNullable(sessions.get(state));
    }

    /** It has this one. */
    public void opened(CoderState state, String id) {
        sessions.put(state, id);
    }

    /** The program's call that ended its last turn, when the coder has stayed in its state after all. */
    public @Nullable String actedOn() {
        return actedOn;
    }

    /** The coder stays in its state although this call has ended its program's turn. */
    public void stay(@Nullable String endedBy) {
        actedOn = endedBy;
    }
}
