package io.maestro.settings;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.Maestro;
import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.Test;

/** Where jars are looked for. */
class ToolClassLoaderTest {
    private static ClassLoader lookedIn(ClassLoader context) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(context);
        try {
            return ToolOptions.defaults().classLoader();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void theContextClassLoaderCountsWhereItSeesMaestro() throws Exception {
        ClassLoader own = Maestro.class.getClassLoader();
        try (URLClassLoader below = new URLClassLoader(new URL[0], own);
                URLClassLoader beside = new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader());
                URLClassLoader another = new URLClassLoader(
                        new URL[] {
                            Maestro.class.getProtectionDomain().getCodeSource().getLocation()
                        },
                        ClassLoader.getPlatformClassLoader())) {
            assertThat(lookedIn(below)).isSameAs(below);
            assertThat(lookedIn(beside))
                    .as("of a build tool or a plugin container")
                    .isSameAs(own);
            assertThat(lookedIn(another))
                    .as("one that has another copy of Maestro")
                    .isSameAs(own);
            assertThat(lookedIn(null)).isSameAs(own);
        }
    }

    @Test
    void whatAHostSaysCounts() throws Exception {
        try (URLClassLoader given = new URLClassLoader(new URL[0], null)) {
            assertThat(ToolOptions.defaults().classLoader(given).classLoader()).isSameAs(given);
        }
    }
}
