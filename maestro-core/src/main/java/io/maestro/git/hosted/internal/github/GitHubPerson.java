package io.maestro.git.hosted.internal.github;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.hosted.internal.ReviewThread;
import java.util.Set;

/**
 * Who has written something. Only people with a say in the repository count: on a public one anybody can write, also an
 * instruction for an agent; and Maestro's own account would answer itself.
 */
final class GitHubPerson {
    private static final Set<String> SAY = Set.of("OWNER", "MEMBER", "COLLABORATOR");

    private GitHubPerson() {}

    /** Whose word a comment of GraphQL is. */
    static ReviewThread.Author author(JsonNode comment) {
        if (comment.path("viewerDidAuthor").asBoolean()) {
            return ReviewThread.Author.SELF;
        }
        return comment.path("author").path("__typename").asText().equals("User")
                        && SAY.contains(comment.path("authorAssociation").asText())
                ? ReviewThread.Author.PERSON
                : ReviewThread.Author.OTHER;
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
