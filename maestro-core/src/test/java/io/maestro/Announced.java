package io.maestro;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

/** Providers of tests as if they stood in a jar. */
final class Announced {
    private Announced() {}

    /** A loader whose service file names a class that is not there and these. */
    static URLClassLoader in(Path directory, Class<?> service, Class<?>... providers) throws IOException {
        StringBuilder lines = new StringBuilder("io.maestro.Missing\n");
        for (Class<?> provider : providers) {
            lines.append(provider.getName()).append('\n');
        }
        Path file = directory.resolve("jar/META-INF/services/" + service.getName());
        Files.createDirectories(file.getParent());
        Files.writeString(file, lines);
        URL url = directory.resolve("jar").toUri().toURL();
        return new URLClassLoader(new URL[] {url}, Announced.class.getClassLoader());
    }
}
