package io.maestro.tools.typed;

import io.maestro.tools.InputSchema;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The components of a record or the parameters of a method: an object in the schema, and the values of a call of it. */
final class Members {
    private final List<Member> members;

    /**
     * Takes members over.
     *
     * @param members in their order
     * @param where for errors
     */
    Members(List<Member> members, String where) {
        this.members = List.copyOf(members);
        Set<String> names = new HashSet<>();
        for (Member member : members) {
            if (!names.add(member.name())) {
                throw new IllegalArgumentException(where + " has the name '" + member.name() + "' twice");
            }
        }
    }

    /** Adds them to an object. */
    void addTo(InputSchema.Builder object) {
        for (Member member : members) {
            if (member.presence() == Member.Presence.REQUIRED) {
                object.required(member.name(), member.type().property(member.description()));
            } else {
                object.optional(member.name(), member.type().property(member.description()));
            }
        }
    }

    /** The values in their order. */
    @Nullable
    Object[] read(String path, Map<?, ?> json) {
        @Nullable Object[] values = new @Nullable Object[members.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = members.get(i).read(path, json.get(members.get(i).name()));
        }
        return values;
    }
}
