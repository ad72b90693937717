package io.maestro.claude.internal.proxy;

import io.maestro.docker.DockerExecutor;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.testing.Full;
import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The script in containers that have only what is in the image, on the way to the bridge's address of this machine. */
@RequiresEngine
@Full("McpProxyTest has the same on this machine, with each program")
class McpProxyContainerTest {
    @ParameterizedTest
    @CsvSource({TestContainer.DEBIAN + ",bash", TestContainer.DEBIAN + ",perl", TestContainer.BUSYBOX + ",nc"})
    void itHolds(String image, String tool) throws Exception {
        try (TestContainer container = new TestContainer(
                        "docker",
                        image,
                        "--user",
                        "1000:1000",
                        "--read-only",
                        "--cap-drop",
                        "ALL",
                        "--tmpfs",
                        "/workspace:mode=1777",
                        "--tmpfs",
                        "/state:uid=1000,gid=1000");
                DockerExecutor executor =
                        DockerExecutor.builder(container.name()).build()) {
            String gateway = container
                    .cli("inspect", "--format", "{{.NetworkSettings.Gateway}}", container.name())
                    .strip();
            String script = McpProxy.install(executor, "/state");

            new ProxyContract(executor, script, InetAddress.getByName(gateway)).holds(tool);
        }
    }
}
