package io.maestro.docker;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.testing.Full;
import java.util.Map;

@RequiresEngine("podman")
@Full("ProvisioningTest; what podman does otherwise is in the parts that it is made of")
class PodmanProvisioningTest extends ProvisioningContract {
    private static final TestImages IMAGES = TestImages.ofPodman();

    PodmanProvisioningTest() {
        super(IMAGES.cli().host(), IMAGES.busybox(), git());
    }

    private static String git() {
        return "localhost/"
                + IMAGES.build(
                                "podman-git",
                                "FROM localhost/maestro-test/debian:latest\nRUN apt-get update -qq && apt-get install -y -qq"
                                        + " --no-install-recommends git && rm -rf /var/lib/apt/lists/*\n",
                                Map.of())
                        .replaceFirst("^localhost/", "");
    }
}
