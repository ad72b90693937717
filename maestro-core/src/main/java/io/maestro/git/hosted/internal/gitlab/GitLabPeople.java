package io.maestro.git.hosted.internal.gitlab;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.ReviewThread.Author;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Whose account something is of. Maestro's own would answer itself. Safe for use by several threads. */
final class GitLabPeople {
    private static final int DEVELOPER = 30;

    private final ForgeApi api;
    private final String project;
    private volatile @Nullable Long self;

    GitLabPeople(ForgeApi api, String project) {
        this.api = api;
        this.project = project;
    }

    Author author(JsonNode user, Predicate<String> writers) {
        long id = user.path("id").asLong();
        if (id == self()) {
            return Author.SELF;
        }
        return writers.test(Long.toString(id)) ? Author.PERSON : Author.OTHER;
    }

    private long self() {
        Long known = self;
        if (known == null) {
            known = api.get("/user").path("id").asLong();
            self = known;
        }
        return known;
    }

    boolean mayWriteNow(String id) {
        return api.find(project + "/members/all/" + id)
                        .filter(json -> json.path("access_level").asInt() >= DEVELOPER
                                && text(json.path("state")).equals("active"))
                        .isPresent()
                && !api.get("/users/" + id).path("bot").asBoolean();
    }
}
