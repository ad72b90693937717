package io.maestro.docker;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import org.junit.jupiter.api.Nested;

/** What commands may do to a channel, with two shells and two sets of tools. */
@RequiresEngine
class FastPathTest {
    @Nested
    class Debian extends Hostile {
        Debian() {
            super(TestContainer.DEBIAN);
        }
    }

    @Nested
    class Busybox extends Hostile {
        Busybox() {
            super(TestContainer.BUSYBOX);
        }
    }
}
