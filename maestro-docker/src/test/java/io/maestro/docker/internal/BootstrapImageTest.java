package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.ContainerSpec;
import io.maestro.docker.ImageBuildException;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.workspace.MappedUser;
import io.maestro.exec.ExecResult;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BootstrapImageTest {
    /** The image stays, as it does for users: the second run finds it. */
    @Test
    void itIsBuiltOnceAndGitWorksInItForTheOwnerOfTheWorkspace() throws Exception {
        try (TestEngine test = TestEngine.EngineKind.DOCKER.open()) {
            Image image = BootstrapImage.ensure(test.engine, test.kind.debian());
            assertThat(BootstrapImage.ensure(test.engine, test.kind.debian())).isEqualTo(image);
            assertThat(BootstrapImage.tag(test.engine, test.kind.debian())).matches("maestro-bootstrap:[0-9a-f]{12}");
            assertThat(image.labels()).containsEntry(Labels.SHARED, "bootstrap");
            assertThat(test.engine.images()).isEmpty();

            Path workspace = test.directory("workspace");
            TestEngine.chown(workspace, 4321, 8765);
            String user = MappedUser.of(workspace, test.engine.facts());
            assertThat(user).isEqualTo("4321:8765");
            Container container = test.engine.start(
                    "a1",
                    ContainerSpec.builder(image.id(), "coding")
                            .mount(Mount.bind(workspace, "/workspace"))
                            .workingDirectory("/workspace")
                            .user(user)
                            .build());
            String script = "set -e; cd ~; touch here; cd /workspace; git init -q; git config --global user.name A;"
                    + " git config --global user.email a@example.org; echo 'int main(void) { return 0; }' > a.c;"
                    + " cc a.c; ./a.out; git add a.c; git commit -qm one; git log --format=%an; curl --version >&2;"
                    + " make --version >&2; ls /etc/ssl/certs >&2";
            ExecResult result = test.engine.cli().run("exec", container.id(), "sh", "-c", script);
            assertThat(result.stdout().text()).as(result.stderr().text()).isEqualTo("A\n");
            assertThat(Files.getAttribute(workspace.resolve("a.c"), "unix:uid")).isEqualTo(4321);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Full("two images; ImagesTest has a set-up that fails")
    void anotherBaseIsAnotherNameAndOneThatCannotBeSetUpSaysWhy(TestEngine.EngineKind kind) {
        try (TestEngine test = kind.open()) {
            String tag = BootstrapImage.tag(test.engine, kind.busybox());
            assertThat(tag).isNotEqualTo(BootstrapImage.tag(test.engine, kind.debian()));
            assertThatThrownBy(() -> BootstrapImage.ensure(test.engine, kind.busybox()))
                    .isInstanceOf(ImageBuildException.class)
                    .hasMessageContaining("has neither apt-get nor apk, dnf or microdnf, and lacks: git curl make cc");
            assertThat(test.engine.image(tag)).isEmpty();
            for (String base : List.of("--privileged", "a b", "", "x\nRUN id")) {
                assertThatThrownBy(() -> BootstrapImage.ensure(test.engine, base))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("not the name of an image");
            }
        }
    }
}
