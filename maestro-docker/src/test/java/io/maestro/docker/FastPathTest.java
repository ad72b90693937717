package io.maestro.docker;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.testing.Full;
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
    @Full("most containers of the other tests have the shell of busybox, and run all their commands this way")
    class Busybox extends Hostile {
        Busybox() {
            super(TestContainer.BUSYBOX);
        }
    }
}
