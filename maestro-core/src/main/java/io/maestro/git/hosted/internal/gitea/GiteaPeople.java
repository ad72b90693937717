package io.maestro.git.hosted.internal.gitea;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.hosted.internal.ApiException;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.ReviewThread.Author;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whose account something is of, and who may write to the code. Maestro's own would answer itself. Safe for use by several threads. */
final class GiteaPeople {
    private static final Set<String> WRITES = Set.of("write", "admin", "owner");

    private static final Logger LOG = LoggerFactory.getLogger(GiteaPeople.class);

    private final ForgeApi api;
    private final String path;
    private volatile @Nullable String self;
    private final AtomicBoolean silent = new AtomicBoolean();

    /** @param path of the repository */
    GiteaPeople(ForgeApi api, String path) {
        this.api = api;
        this.path = path;
    }

    Author author(JsonNode user, Predicate<String> writers) {
        if (isSelf(user)) {
            return Author.SELF;
        }
        return writers.test(text(user.path("login"))) ? Author.PERSON : Author.OTHER;
    }

    /** Whether the server tells Maestro's account nothing about the rights of others. */
    boolean areUnknown() {
        return silent.get();
    }

    /** False as well where the server tells Maestro's account nothing. */
    boolean mayWriteNow(String login) {
        try {
            JsonNode right = api.get(path + "/collaborators/" + ForgeApi.encodedWhole(login) + "/permission");
            silent.set(false);
            return text(right.path("user").path("login")).equalsIgnoreCase(login)
                    && WRITES.contains(text(right.path("permission")));
        } catch (ApiException e) {
            if (e.kind() != ApiException.ApiFault.DENIED || e.status() != 403 && e.status() != 404) {
                throw e;
            }
            if (e.status() == 403 && silent.compareAndSet(false, true)) {
                LOG.warn(
                        "only official reviews count, and no comments, as rights of people are not told: give the token's"
                                + " account the right to administer the repository, which Gitea wants of whoever asks for"
                                + " them: {}",
                        e.getMessage());
            }
            return false;
        }
    }

    boolean isSelf(JsonNode user) {
        return text(user.path("login")).equalsIgnoreCase(self());
    }

    private String self() {
        String known = self;
        if (known == null) {
            known = text(api.get("/user").path("login"));
            self = known;
        }
        return known;
    }
}
