package io.maestro.docker.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.BuildOptions;
import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ImageBuildException;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.testing.Full;
import org.junit.jupiter.api.Test;

/** The way for engines whose disk this machine does not see; the other one is DiskTest's. */
@RequiresEngine
class BuildDiskTest {
    @Test
    @Full("DiskTest has the other way, and the limits")
    void whatWritesTooMuchIsEnded() {
        try (TestEngine test = TestEngine.EngineKind.DOCKER.open()) {
            Engine engine = test.engine;
            String image = engine.image(TestEngine.EngineKind.DOCKER.busybox())
                    .orElseThrow()
                    .id();
            BuildConfinement confinement = new BuildConfinement(
                    name -> name,
                    ContainerLimits.PLANNING,
                    32L << 20,
                    0,
                    () -> image,
                    BuildOptions.defaults().limitsRequired(false),
                    "builds",
                    "builds");
            String name = engine.instance().uniqueName("builds", "fills");
            try {
                assertThatThrownBy(() -> new BuildDisk(engine, confinement)
                                .watchedFromContainer(() -> engine.cli()
                                        .run(
                                                "run",
                                                "--rm",
                                                "--name",
                                                name,
                                                image,
                                                "sh",
                                                "-c",
                                                "dd if=/dev/zero of=/full bs=1M count=128; sleep 300")))
                        .isInstanceOf(ImageBuildException.class)
                        .hasMessageContaining("it has written more than 32 MB");
            } finally {
                engine.cli().run("rm", "--force", "--volumes", name);
            }
        }
    }
}
