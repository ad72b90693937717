package io.maestro.git.hosted.internal.gitea;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.hosted.internal.ApiException;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.ReviewThread.Author;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who has written something. Only people who have a say in the repository count, who are those that an issue can be given to: on a
 * public one anybody can write comments, also an instruction for an agent; and Maestro's own account would answer itself. In an
 * organisation some of these may not write to the code, so that whoever decides is asked about one by one. Safe for use by several
 * threads.
 */
final class GiteaPeople {
    /** How long the list is believed. */
    private static final long KEPT = Duration.ofMinutes(5).toNanos();

    private static final Set<String> WRITES = Set.of("write", "admin", "owner");

    private static final Logger LOG = LoggerFactory.getLogger(GiteaPeople.class);

    private final ForgeApi api;
    private final String path;
    private volatile @Nullable String self;
    private volatile @Nullable Writers writers;
    private final AtomicBoolean warned = new AtomicBoolean();

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

    /** Whether somebody may write to the code at this moment; false as well where the server tells Maestro's account nothing. */
    boolean mayWriteNow(String login) {
        try {
            JsonNode right = api.get(path + "/collaborators/" + ForgeApi.encodedWhole(login) + "/permission");
            return WRITES.contains(text(right.path("permission")));
        } catch (ApiException e) {
            if (e.kind() != ApiException.Kind.DENIED || e.status() != 403 && e.status() != 404) {
                throw e;
            }
            if (warned.compareAndSet(false, true)) {
                LOG.warn(
                        "nobody decides by a comment whose rights are not told: give the token's account the right to"
                                + " administer the repository, which Gitea wants of whoever asks for them: {}",
                        e.getMessage());
            }
            return false;
        }
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
            known = new Writers(ForgeApi.names(api.get(path + "/assignees"), "login"), System.nanoTime());
            writers = known;
        }
        return known.logins();
    }
}
