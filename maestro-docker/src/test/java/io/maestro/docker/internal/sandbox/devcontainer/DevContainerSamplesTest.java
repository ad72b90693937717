package io.maestro.docker.internal.sandbox.devcontainer;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Refusal;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Workspace;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is made of files as strangers write them. */
class DevContainerSamplesTest {
    static List<DevContainerSample> all() {
        return DevContainerSample.all();
    }

    @Test
    void thereAreAsManyAsWereAskedFor() {
        assertThat(DevContainerSample.of("public")).hasSize(30);
        assertThat(DevContainerSample.of("hostile")).hasSize(20);
    }

    @ParameterizedTest
    @MethodSource("all")
    void isFollowedAndRefusedAsItShouldBe(DevContainerSample sample) {
        Workspace workspace = new Workspace("shop", "/workspace/shop");
        if (!sample.readable()) {
            assertThatThrownBy(() -> DevContainer.read(".devcontainer/devcontainer.json", sample.text(), workspace))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("the file ");
            return;
        }
        DevContainer read = DevContainer.read(".devcontainer/devcontainer.json", sample.text(), workspace);
        assertThat(read.image().orElse("")).as("image").isEqualTo(sample.image());
        assertThat(read.build().map(DevContainer.DockerfileBuild::dockerfile).orElse(""))
                .as("Dockerfile")
                .isEqualTo(sample.dockerfile());
        assertThat(read.features()).as("features").hasSize(sample.features());
        assertThat(read.commands()).as("commands").hasSize(sample.commands());
        assertThat(read.refused().stream().map(Refusal::member).sorted().toList())
                .as("refused")
                .isEqualTo(sample.refused().stream().sorted().toList());
    }
}
