package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a host inherits when it depends on this module. */
class ClosureTest {
    @Test
    void staysSmallAndHasOneJackson() throws IOException {
        Path list = Path.of("target", "closure.txt");
        assumeTrue(Files.exists(list), "only the build by Maven knows the dependencies");
        List<Path> jars = Arrays.stream(Files.readString(list).strip().split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(path -> path.toString().endsWith(".jar"))
                .toList();
        long bytes = 0;
        for (Path jar : jars) {
            bytes += Files.size(jar);
        }
        System.out.println(jars.size() + " jars beside this one, " + bytes / 1000 + " kB");
        assertThat(jars).hasSizeBetween(5, 12);
        // With this module and the SPI, 13 jars and 8.5 MB at most.
        assertThat(bytes).isLessThan(6_900_000);
        assertThat(jars.stream()
                        .map(jar -> jar.getFileName().toString())
                        .filter(name -> name.startsWith("jackson-"))
                        .map(name -> name.replaceAll("[^0-9]*(\\d+\\.\\d+).*", "$1"))
                        .distinct())
                .hasSize(1);
    }
}
