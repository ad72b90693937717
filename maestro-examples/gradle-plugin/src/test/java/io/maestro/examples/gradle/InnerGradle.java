package io.maestro.examples.gradle;

import io.maestro.examples.testing.Run;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.gradle.api.Project;

/**
 * Gradle's own main class in a JVM of its own, without a distribution. All classes of Gradle are in the jar of its API; what
 * it misses there are the names of its modules' jars, so they are put beside it: with the description of the module alone, and
 * empty where they are a library's.
 */
final class InnerGradle {
    private static final String DESCRIPTION = "-classpath.properties";
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    private final Path home;
    private final Path modules;

    InnerGradle(Path directory) throws IOException {
        home = directory.resolve("home");
        modules = Files.createDirectory(directory.resolve("modules"));
        Set<String> libraries = new LinkedHashSet<>();
        Path api = Path.of(Project.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        String version = api.getFileName().toString().replaceAll("gradle-api-(.*)\\.jar", "$1");
        try (JarFile jar = new JarFile(api.toFile())) {
            for (ZipEntry entry : jar.stream()
                    .filter(entry -> entry.getName().matches("[^/]+" + DESCRIPTION))
                    .toList()) {
                byte[] description = jar.getInputStream(entry).readAllBytes();
                String module = entry.getName().replace(DESCRIPTION, "");
                write(modules.resolve(module + "-" + version + ".jar"), entry.getName(), description);
                Properties properties = new Properties();
                properties.load(jar.getInputStream(entry));
                libraries.addAll(Stream.of(properties.getProperty("runtime", "").split(","))
                        .filter(name -> !name.isEmpty())
                        .toList());
            }
        }
        for (String library : libraries) {
            write(
                    modules.resolve(library),
                    "META-INF/MANIFEST.MF",
                    "Manifest-Version: 1.0\n".getBytes(StandardCharsets.UTF_8));
        }
    }

    private static void write(Path jar, String entry, byte[] content) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(file)) {
            zip.putNextEntry(new ZipEntry(entry));
            zip.write(content);
        }
    }

    /** Runs tasks; the property {@code lib} is the class path of the plugin. */
    Run run(Path project, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        for (String opened : List.of("java.lang", "java.lang.invoke", "java.util", "java.net", "java.nio.charset")) {
            command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
        }
        try (Stream<Path> jars = Files.list(modules)) {
            // Behind the classes: nothing is ever loaded of these.
            command.addAll(List.of(
                    "-Xmx512m",
                    "-cp",
                    classPath(true)
                            + File.pathSeparator
                            + jars.map(Path::toString).collect(Collectors.joining(File.pathSeparator))));
        }
        command.addAll(List.of(
                "org.gradle.launcher.Main",
                "--offline",
                "--no-daemon",
                "--console=plain",
                "-Dorg.gradle.internal.instrumentation.agent=false",
                "-Dorg.gradle.welcome=never",
                "--gradle-user-home=" + home,
                "-Plib=" + classPath(false)));
        command.addAll(List.of(arguments));
        return Run.java(project, environment, command.toArray(String[]::new));
    }

    /** Gradle's jar with Groovy and Kotlin, or all the others. */
    private static String classPath(boolean ofGradle) {
        return Arrays.stream(CLASS_PATH.split(File.pathSeparator))
                .filter(entry ->
                        entry.matches(".*/(gradle-api|groovy|kotlin-stdlib|annotations)-[^/]*\\.jar") == ofGradle)
                .filter(entry -> !entry.endsWith("test-classes"))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
