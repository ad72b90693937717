package io.maestro.git.hosted.internal.gitlab;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.ReviewThread.Author;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Who has written something. Only people with a say in the project count, which is at least the role Developer: on a public one
 * anybody can write, also an instruction for an agent; and Maestro's own account would answer itself. Safe for use by several
 * threads.
 */
final class GitLabPeople {
    private static final int DEVELOPER = 30;

    /** How long a role is believed. */
    private static final Duration KEPT = Duration.ofMinutes(5);

    private final ForgeApi api;
    private final String project;
    private final Map<Long, Role> roles = new ConcurrentHashMap<>();
    private volatile @Nullable Long self;

    private record Role(boolean counts, long at) {}

    GitLabPeople(ForgeApi api, String project) {
        this.api = api;
        this.project = project;
    }

    Author author(JsonNode user) {
        long id = user.path("id").asLong();
        if (id == self()) {
            return Author.SELF;
        }
        return counts(id) ? Author.PERSON : Author.OTHER;
    }

    private long self() {
        Long known = self;
        if (known == null) {
            known = api.get("/user").path("id").asLong();
            self = known;
        }
        return known;
    }

    private boolean counts(long id) {
        Role known = roles.get(id);
        if (known == null || System.nanoTime() - known.at() > KEPT.toNanos()) {
            boolean member = api.find(project + "/members/all/" + id)
                    .filter(json -> json.path("access_level").asInt() >= DEVELOPER
                            && text(json.path("state")).equals("active"))
                    .isPresent();
            boolean person = member && !api.get("/users/" + id).path("bot").asBoolean();
            known = new Role(person, System.nanoTime());
            roles.put(id, known);
        }
        return known.counts();
    }
}
