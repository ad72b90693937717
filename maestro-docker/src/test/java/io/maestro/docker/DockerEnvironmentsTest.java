package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.audit.SecretRedactor;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.environment.EnvironmentProject;
import io.maestro.error.MaestroException;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DockerEnvironmentsTest {
    @Test
    void itIsFoundByItsName() {
        assertThat(ServiceLoader.load(EnvironmentFactory.class))
                .filteredOn(factory -> factory.id().equals("docker"))
                .hasOnlyElementsOfType(DockerEnvironments.class)
                .hasSize(1);
    }

    @Test
    void aWrongSettingInCodeIsToldWhenItIsOpened(@TempDir Path directory) {
        EnvironmentProject project = new EnvironmentProject(
                directory,
                "s",
                directory.resolve("m"),
                Map.of(),
                Map.of(),
                SecretRedactor.builder().build());
        assertThatThrownBy(() -> DockerEnvironments.builder()
                        .image("--privileged")
                        .build()
                        .open(project))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("container.image must be");
        assertThat(directory.resolve(".maestro")).doesNotExist();
    }
}
