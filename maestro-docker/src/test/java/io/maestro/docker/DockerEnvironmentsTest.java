package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.environment.EnvironmentFactory;
import io.maestro.environment.EnvironmentProject;
import io.maestro.error.MaestroException;
import io.maestro.secrets.SecretRedactor;
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
    void aWrongSettingIsToldWhereItIsSetAndThoseOfTheFileWhenItIsOpened(@TempDir Path directory) {
        assertThatThrownBy(() -> DockerEnvironments.builder().image("--privileged"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be the name, id or digest of an image");
        EnvironmentProject project = new EnvironmentProject(
                directory,
                "s",
                directory.resolve("m"),
                Map.of("image", "--privileged"),
                Map.of(),
                SecretRedactor.builder().build());
        DockerEnvironments environments = DockerEnvironments.builder().build();
        assertThatThrownBy(() -> environments.open(project))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("$.container.image: must be the name, id or digest of an image");
        assertThat(directory.resolve(".maestro")).doesNotExist();
    }
}
