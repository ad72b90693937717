package io.maestro.docker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.docker.internal.Inspector.Kind;
import io.maestro.testing.TierSource;
import org.junit.jupiter.params.ParameterizedTest;

/** Several builds on one image at the same time: podman loses names that two commands change together, so it gets none. */
class BaseNamesTest {
    @ParameterizedTest
    @TierSource(value = "DOCKER", full = "PODMAN")
    void aNameIsForOneBuildOnlyAndPodmanNeedsNone(TestEngine.Kind kind) throws Exception {
        try (TestEngine test = kind.open()) {
            String id = test.engine.image(kind.busybox()).orElseThrow().id();
            String name;
            String other;
            try (BaseNames names = new BaseNames(test.engine);
                    BaseNames others = new BaseNames(test.engine)) {
                name = names.of(id);
                other = others.of(id);
                assertThat(names.of(id)).isEqualTo(name);
                assertThat(test.engine.image(name).orElseThrow().id()).isEqualTo(id);
                assertThat(name.equals(other)).isEqualTo(kind == TestEngine.Kind.PODMAN);
                assertThat(tags(test, id).contains("maestro-base:")).isEqualTo(kind == TestEngine.Kind.DOCKER);
            }
            assertThat(tags(test, id))
                    .contains("busybox")
                    .doesNotContain(test.engine.instance().id());
        }
    }

    private static String tags(TestEngine test, String id) {
        return test.engine
                .inspector()
                .find(Kind.IMAGE, id)
                .orElseThrow()
                .path("RepoTags")
                .toString();
    }
}
