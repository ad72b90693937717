package io.maestro.docker.internal.sandbox;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.ContainerRequest;
import io.maestro.docker.EnvironmentPassthrough;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PassedVariablesTest {
    private static final HostUser HOST =
            new HostUser(Map.of("X_API_KEY", "key", "GH_TOKEN", "token", "EDITOR", "vi", "LD_PRELOAD", "x.so"), null);

    private static PassedVariables of(ContainerRequest.Builder request, boolean trusted) {
        return PassedVariables.of(request.build(), HOST, trusted, EnvironmentPassthrough.PATTERNS);
    }

    private static ContainerRequest.Builder asking(EnvironmentPassthrough wish) {
        return ContainerRequest.builder().passthrough(wish);
    }

    @Test
    void whoIsNotTrustedGetsOnlyWhatTheRequestNames() {
        assertThat(of(ContainerRequest.builder(), false).variables()).isEmpty();
        assertThat(of(asking(EnvironmentPassthrough.all()), false).variables()).isEmpty();
        assertThat(of(asking(EnvironmentPassthrough.auto()), false).variables()).isEmpty();
        assertThat(of(asking(EnvironmentPassthrough.of(List.of("EDITOR", "NONE"))), false))
                .isEqualTo(new PassedVariables(Map.of("EDITOR", "vi"), List.of("NONE"), false, Optional.empty()));
    }

    @Test
    void whoIsTrustedGetsWhatIsAskedForAndNothingThatDecidesWhatRuns() {
        assertThat(of(ContainerRequest.builder(), true).variables())
                .containsOnlyKeys("X_API_KEY", "GH_TOKEN", "GITHUB_TOKEN");
        assertThat(of(asking(EnvironmentPassthrough.all()), true).variables())
                .containsOnlyKeys("X_API_KEY", "GH_TOKEN", "GITHUB_TOKEN", "EDITOR");
        assertThat(of(asking(EnvironmentPassthrough.none()).forwardGitHub(false), true)
                        .variables())
                .isEmpty();
    }

    /** It becomes a variable in the container, wherever the host has it from. */
    @ParameterizedTest
    @CsvSource({"'', false", "X_API_KEY, false", "GH_*, true", "*_TOKEN, true"})
    void theTokenFollowsTheRulesOfVariables(String pattern, boolean handedOver) {
        List<String> patterns = pattern.isEmpty() ? List.of() : List.of(pattern);
        for (ContainerRequest.Builder request :
                List.of(ContainerRequest.builder(), asking(EnvironmentPassthrough.all()))) {
            PassedVariables given = PassedVariables.of(request.build(), HOST, true, patterns);
            assertThat(given.token().isPresent()).isEqualTo(handedOver);
            assertThat(given.variables().containsKey("GH_TOKEN")).isEqualTo(handedOver);
        }
    }

    @Test
    void aTokenIsHandedOverAsOneOrByItsNameOnly() {
        assertThat(of(ContainerRequest.builder().forwardGitHub(false), true).variables())
                .containsOnlyKeys("X_API_KEY");
        assertThat(of(asking(EnvironmentPassthrough.of(List.of("GH_TOKEN"))).forwardGitHub(false), true)
                        .variables())
                .containsOnlyKeys("GH_TOKEN");
    }
}
