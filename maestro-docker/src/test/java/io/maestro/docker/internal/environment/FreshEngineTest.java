package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.SecondEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** An engine that was never started before: it lists less about its own bridge than one that was restarted. */
@RequiresEngine
class FreshEngineTest {
    @RegisterExtension
    static final SecondEngine FRESH = new SecondEngine();

    @TempDir
    Path directory;

    @Test
    @Full("an engine of its own")
    void agentsReachTheirHost() throws Exception {
        TestImages images = TestImages.ofDocker();
        String base = images.base();
        FRESH.load(base);
        ProcessBuilder host = new ProcessBuilder(FRESH.besideIt(ChildJvm.command(
                                FreshEngineHost.class, directory.toRealPath().toString(), base)
                        .toArray(String[]::new)))
                .redirectErrorStream(true);
        host.environment().put("DOCKER_HOST", FRESH.socketUrl());
        Process process = host.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).endsWith("answered\n");
    }
}
