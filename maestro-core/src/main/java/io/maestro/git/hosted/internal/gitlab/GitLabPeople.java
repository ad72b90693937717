package io.maestro.git.hosted.internal.gitlab;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.ReviewThread.Author;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
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
                        .filter(json -> isWriter(json, id))
                        .isPresent()
                && !api.get("/users/" + id).path("bot").asBoolean();
    }

    private static boolean isWriter(JsonNode member, String id) {
        String membership = text(member.path("membership_state"));
        return text(member.path("id")).equals(id)
                && member.path("access_level").asInt() >= DEVELOPER
                && text(member.path("state")).equals("active")
                && (membership.isEmpty() || membership.equals("active"))
                && !isPast(text(member.path("expires_at")));
    }

    /** A membership ends when the day begins; a day that cannot be read is past. */
    private static boolean isPast(String day) {
        try {
            return !day.isEmpty() && !LocalDate.parse(day).isAfter(LocalDate.now(ZoneOffset.UTC));
        } catch (DateTimeParseException e) {
            return true;
        }
    }
}
