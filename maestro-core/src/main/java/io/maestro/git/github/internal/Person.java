package io.maestro.git.github.internal;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;

/**
 * Who has written something. Only people with a say in the repository count: on a public one anybody can write, also an
 * instruction for an agent; and Maestro's own account would answer itself.
 */
final class Person {
    private static final Set<String> SAY = Set.of("OWNER", "MEMBER", "COLLABORATOR");

    private Person() {}

    /** Whether an author of GraphQL counts. */
    static boolean counts(JsonNode comment) {
        return !comment.path("viewerDidAuthor").asBoolean()
                && comment.path("author").path("__typename").asText().equals("User")
                && SAY.contains(comment.path("authorAssociation").asText());
    }

    /**
     * Whether an author of the other API counts.
     *
     * @param self Maestro's own login
     */
    static boolean counts(JsonNode item, String self) {
        JsonNode user = item.path("user");
        return user.path("type").asText().equals("User")
                && !user.path("login").asText().equalsIgnoreCase(self)
                && SAY.contains(item.path("author_association").asText());
    }
}
