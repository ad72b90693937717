package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.TestRepository;
import io.maestro.git.Forge.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work as a GitHub App, whose key proves who it is and whose tokens end. */
class GitHubAppTest extends HostedCase {
    private static final String ID = "Iv1.0123456789abcdef";

    /** Before the key of PKCS #1 in one of PKCS #8, for 1,024 bits and more. */
    private static final int PKCS8_HEADER = 26;

    private static KeyPair pair;

    @BeforeAll
    static void generate() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        // GitHub's have 2,048, which take seconds to find.
        generator.initialize(1024);
        pair = generator.generateKeyPair();
    }

    @Override
    ScriptedGitHub server(TestRepository repository) {
        ScriptedGitHub made = new ScriptedGitHub(repository);
        made.app(GitHubAppTest::proves, Duration.ofHours(1));
        return made;
    }

    private ScriptedGitHub gitHub() {
        return (ScriptedGitHub) server;
    }

    private static boolean proves(String proof) {
        try {
            int dot = proof.lastIndexOf('.');
            if (dot < 0) {
                return false;
            }
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initVerify(pair.getPublic());
            signature.update(proof.substring(0, dot).getBytes(StandardCharsets.US_ASCII));
            JsonNode claims = new ObjectMapper().readTree(Base64.getUrlDecoder().decode(proof.split("\\.", -1)[1]));
            long now = Instant.now().getEpochSecond();
            return signature.verify(Base64.getUrlDecoder().decode(proof.substring(dot + 1)))
                    && claims.path("iss").asText().equals(ID)
                    && claims.path("iat").asLong() < now
                    && claims.path("exp").asLong() > now
                    && claims.path("exp").asLong() - now < 600;
        } catch (GeneralSecurityException | IOException e) {
            return false;
        }
    }

    private static String pem(boolean old) {
        byte[] key = pair.getPrivate().getEncoded();
        String kind = old ? "RSA PRIVATE KEY" : "PRIVATE KEY";
        byte[] der = old ? Arrays.copyOfRange(key, PKCS8_HEADER, key.length) : key;
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + kind + "-----\n";
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneTokenIsEnoughForAStory(boolean old) {
        forge = server.forge().app(ID, pem(old)).build();
        proposed();
        assertThat(decided()).isInstanceOf(Outcome.Merged.class);
        assertThat(server.count("access 201")).isEqualTo(1);
        assertThat(forge.toString()).doesNotContain(pem(old).substring(40, 80));
    }

    @Test
    void aTokenThatIsNearItsEndIsReplaced() {
        gitHub().app(GitHubAppTest::proves, Duration.ofMinutes(4));
        forge = server.forge().app(ID, pem(true)).build();
        proposed();
        assertThat(server.count("access 201")).isGreaterThan(1);
    }

    @Test
    void anAppThatIsNotInstalledIsWaitedFor() {
        gitHub().uninstalls();
        forge = server.forge().app(ID, pem(true)).build();
        assertThat(forge.propose(proposal)).isEmpty();
        assertThat(pending(forge)).contains("the GitHub App is not installed in acme/shop");
    }

    @Test
    void anotherKeyProvesNothing() {
        gitHub().app(proof -> false, Duration.ofHours(1));
        forge = server.forge().app(ID, pem(true)).build();
        assertThat(pending(forge)).contains("/installation: HTTP 401");
    }

    @Test
    void aTokenWhoseAnswerIsLostIsAskedForAgain() {
        server.faults.add("access", ScriptedFaults.Kind.DROPPED_AFTER, 1);
        forge = server.forge().app(ID, pem(true)).build();
        proposed();
        assertThat(decided()).isInstanceOf(Outcome.Merged.class);
        assertThat(server.pulls()).hasSize(1);
    }

    @Test
    void whatIsNoKeyIsRefusedAndNotShown() {
        String broken = pem(false).replace("MII", "QQQ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HostedForge.gitHub().app(ID, broken))
                .withMessageContaining("damaged")
                .withNoCause();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HostedForge.gitHub().app(ID, "ghp_x"))
                .withMessageContaining("not in PEM");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HostedForge.gitLab().app(ID, pem(true)))
                .withMessageContaining("GitLab has no GitHub Apps");
    }
}
