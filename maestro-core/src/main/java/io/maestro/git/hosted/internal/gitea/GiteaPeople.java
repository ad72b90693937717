package io.maestro.git.hosted.internal.gitea;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.ReviewThread.Author;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who has written something. Only people who may write to the repository count, who are those that an issue can be given to: on a
 * public one anybody can write comments, also an instruction for an agent; and Maestro's own account would answer itself. Safe
 * for use by several threads.
 */
final class GiteaPeople {
    /** How long the list is believed. */
    private static final long KEPT = Duration.ofMinutes(5).toNanos();

    private final ForgeApi api;
    private final String path;
    private volatile @Nullable String self;
    private volatile @Nullable Writers writers;

    private record Writers(Set<String> logins, long at) {}

    /** @param path of the repository */
    GiteaPeople(ForgeApi api, String path) {
        this.api = api;
        this.path = path;
    }

    Author author(JsonNode user) {
        String login = text(user.path("login"));
        if (login.equalsIgnoreCase(self())) {
            return Author.SELF;
        }
        return writers().contains(login) ? Author.PERSON : Author.OTHER;
    }

    /** Whether somebody may write at this moment. */
    boolean mayWriteNow(String login) {
        return read().contains(login);
    }

    private String self() {
        String known = self;
        if (known == null) {
            known = text(api.get("/user").path("login"));
            self = known;
        }
        return known;
    }

    private Set<String> writers() {
        Writers known = writers;
        if (known == null || System.nanoTime() - known.at() > KEPT) {
            known = new Writers(read(), System.nanoTime());
            writers = known;
        }
        return known.logins();
    }

    private Set<String> read() {
        return ForgeApi.names(api.get(path + "/assignees"), "login");
    }
}
