package io.maestro.git.hosted.internal.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.hosted.internal.ApiException;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.RepositoryName;
import io.maestro.git.hosted.internal.TokenSource;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a GitHub App. The App proves with its key who it is, by a text that is good for nine minutes, and gets a token
 * for one repository, which is good for an hour. Safe for use by several threads.
 */
public final class AppTokens implements TokenSource {
    /** GitHub takes ten at most, and clocks differ. */
    private static final Duration PROOF = Duration.ofMinutes(9);

    private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(1);

    /** So long before its end a token is replaced. */
    private static final Duration SPARE = Duration.ofMinutes(5);

    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final String id;
    private final PrivateKey key;

    /**
     * Reads the key.
     *
     * @param id the App's id or client id
     * @param privateKey PEM
     * @throws IllegalArgumentException when it is no key
     */
    public AppTokens(String id, String privateKey) {
        this.id = id;
        this.key = PemKey.rsa(privateKey);
    }

    /** There is none but for a repository. */
    @Override
    public Optional<String> token(String host) {
        return Optional.empty();
    }

    @Override
    public TokenSource of(RepositoryName repository, Function<TokenSource, ForgeApi> apis) {
        return new Installed(repository, apis.apply(host -> Optional.of(proof(Instant.now()))));
    }

    /** A JSON Web Token with RS256. */
    String proof(Instant now) {
        ObjectNode claims = ForgeApi.object()
                .put("iat", now.minus(CLOCKS_DIFFER).getEpochSecond())
                .put("exp", now.plus(PROOF).getEpochSecond())
                .put("iss", id);
        String signed = encoded("{\"alg\":\"RS256\",\"typ\":\"JWT\"}") + "." + encoded(claims.toString());
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(key);
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + BASE64.encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM cannot sign with RSA", e);
        }
    }

    private static String encoded(String json) {
        return BASE64.encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }

    /** None of the key. */
    @Override
    public String toString() {
        return "***";
    }

    /** In one repository. */
    private static final class Installed implements TokenSource {
        private final RepositoryName repository;
        private final ForgeApi api;
        private final Lock lock = new ReentrantLock();
        private @Nullable KnownToken known;

        private record KnownToken(String token, Instant until) {}

        Installed(RepositoryName repository, ForgeApi api) {
            this.repository = repository;
            this.api = api;
        }

        @Override
        public Optional<String> token(String host) {
            lock.lock();
            try {
                KnownToken last = known;
                if (last == null || Instant.now().plus(SPARE).isAfter(last.until())) {
                    last = fetch();
                    known = last;
                }
                return Optional.of(last.token());
            } finally {
                lock.unlock();
            }
        }

        private KnownToken fetch() {
            long installation = api.find("/repos/" + repository + "/installation")
                    .orElseThrow(() -> new ApiException(
                            ApiException.ApiFault.DENIED,
                            404,
                            "the GitHub App is not installed in " + repository + ": install it there",
                            null))
                    .path("id")
                    .asLong();
            ObjectNode wanted = ForgeApi.object();
            wanted.putArray("repositories").add(repository.name());
            JsonNode made = api.change("POST", "/app/installations/" + installation + "/access_tokens", wanted);
            try {
                return new KnownToken(
                        ForgeApi.text(made.path("token")), Instant.parse(ForgeApi.text(made.path("expires_at"))));
            } catch (DateTimeParseException e) {
                throw new ApiException(
                        ApiException.ApiFault.LOST,
                        0,
                        "the token of the GitHub App has no time at which it ends",
                        null);
            }
        }

        @Override
        public String toString() {
            return "***";
        }
    }
}
