package io.maestro.docker.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.ContainerSpec;
import io.maestro.docker.ContainerStartException;
import io.maestro.docker.ContainerStartException.Reason;
import io.maestro.docker.DockerException;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EngineTest {
    @ParameterizedTest
    @EnumSource
    void aContainerIsMadeFoundAndRemoved(TestEngine.Kind kind) {
        try (TestEngine test = kind.open()) {
            Engine engine = test.engine;
            Container container = engine.start(
                    "coder-001", ContainerSpec.builder(kind.busybox(), "coding").build());
            assertThat(container.agentId()).isEqualTo("coder-001");
            assertThat(container.role()).isEqualTo("coding");
            assertThat(container.name())
                    .startsWith("maestro-" + engine.instance().id().substring(0, 8) + "-coder-001-coding-");
            assertThat(container.imageId())
                    .isEqualTo(engine.image(kind.busybox()).orElseThrow().id());
            assertThat(engine.isRunning(container)).isTrue();
            assertThat(engine.containers()).containsExactly(container);
            engine.remove(container);
            engine.remove(container);
            assertThat(engine.isRunning(container)).isFalse();
            assertThat(engine.containers()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatCannotRunSaysWhyAndLeavesNothing(TestEngine.Kind kind) {
        try (TestEngine test = kind.open()) {
            Engine engine = test.engine;
            ContainerSpec good = ContainerSpec.builder(kind.busybox(), "coding").build();
            assertFails(
                    engine,
                    good.toBuilder().image("maestro-test/none:1").build(),
                    Reason.IMAGE_MISSING,
                    "there is no image 'maestro-test/none:1'",
                    "none is pulled; build it, or choose one that is there");
            assertFails(
                    engine,
                    good.toBuilder()
                            .command(List.of("sh", "-c", "echo out; echo bad >&2; exit 3"))
                            .build(),
                    Reason.ENDED,
                    "ended at once with exit code 3",
                    "out",
                    "bad");
            assertFails(
                    engine,
                    good.toBuilder().command(List.of("nosuchprogram")).build(),
                    Reason.ENDED,
                    "its image has no program 'nosuchprogram'");
            assertFails(
                    engine,
                    good.toBuilder().network("no-such-net").build(),
                    Reason.REFUSED,
                    "there is no network 'no-such-net'");
        }
    }

    private static void assertFails(Engine engine, ContainerSpec spec, Reason reason, String... texts) {
        assertThatThrownBy(() -> engine.start("a1", spec))
                .asInstanceOf(InstanceOfAssertFactories.throwable(ContainerStartException.class))
                .hasMessageContainingAll(texts)
                .extracting(ContainerStartException::reason)
                .isEqualTo(reason);
        assertThat(engine.containers()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void othersContainersAreNotTouched(TestEngine.Kind kind) {
        try (TestEngine mine = kind.open();
                TestEngine other = kind.open()) {
            Container theirs = other.engine.start(
                    "a1", ContainerSpec.builder(kind.busybox(), "coding").build());
            assertThat(mine.engine.containers()).isEmpty();
            assertThatThrownBy(() -> mine.engine.remove(theirs))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("was not made by this instance");
            assertThatThrownBy(() -> mine.engine.stop(theirs)).isInstanceOf(DockerException.class);
            assertThat(other.engine.isRunning(theirs)).isTrue();
        }
    }
}
