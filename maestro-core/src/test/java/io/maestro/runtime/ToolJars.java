package io.maestro.runtime;

import java.io.IOException;
import java.io.OutputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** Builds real tool jars: compiles sources and packs them with a service file. */
final class ToolJars {
    private final Path directory;
    private final List<URL> urls = new ArrayList<>();

    ToolJars(Path directory) {
        this.directory = directory;
    }

    /** The source of a factory class {@code tools.<type>} whose methods can be told to misbehave. */
    static String factory(String type, String definition, String members) {
        return """
                package tools;
                import io.maestro.tools.*;
                public class %s implements ToolFactory {
                    %s
                    public ToolDefinition definition() { %s }
                    public Tool create(ToolContext context) { return call -> ToolResult.ok("from %s"); }
                }
                """.formatted(type, members, definition, type);
    }

    static String named(String tool) {
        return "return ToolDefinition.builder(\"" + tool + "\").description(\"Does " + tool + "\").build();";
    }

    /** Adds a jar with one source of several tools. */
    Path addSource(String jar, String type, String members) throws IOException {
        String source = """
                package tools;
                import io.maestro.tools.*;
                import io.maestro.tools.typed.*;
                import java.util.*;
                public class %s implements ToolProvider {
                    %s
                }
                """.formatted(type, members);
        return add(jar, List.of(type), List.of(source), "ToolProvider", "tools." + type + "\n", "");
    }

    /** Adds a jar with one class and a service file. */
    Path add(String jar, String type, String source, String services) throws IOException {
        return add(jar, List.of(type), List.of(source), services, "");
    }

    /** Adds a jar; classes whose name starts with {@code without} are compiled but left out, when it is not empty. */
    Path add(String jar, List<String> types, List<String> sources, String services, String without) throws IOException {
        return add(jar, types, sources, "ToolFactory", services, without);
    }

    private Path add(
            String jar, List<String> types, List<String> sources, String service, String services, String without)
            throws IOException {
        Path work = Files.createDirectory(directory.resolve(jar + ".classes"));
        List<String> arguments = new ArrayList<>(List.of(
                "-nowarn",
                "-parameters",
                "-proc:none",
                "-d",
                work.toString(),
                "-cp",
                System.getProperty("java.class.path")));
        for (int i = 0; i < types.size(); i++) {
            Path file = work.resolve(types.get(i) + ".java");
            Files.writeString(file, sources.get(i));
            arguments.add(file.toString());
        }
        ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
        if (!types.isEmpty() && javac.run(System.out, System.err, arguments.toArray(String[]::new)) != 0) {
            throw new IllegalStateException("the test's source does not compile");
        }
        Path file = directory.resolve(jar);
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream packed = new JarOutputStream(out);
                Stream<Path> classes = Files.walk(work)) {
            for (Path path :
                    classes.filter(p -> p.toString().endsWith(".class")).toList()) {
                if (without.isEmpty() || !path.getFileName().toString().startsWith(without)) {
                    put(packed, work.relativize(path).toString().replace('\\', '/'), Files.readAllBytes(path));
                }
            }
            put(packed, "META-INF/services/io.maestro.tools." + service, services.getBytes(StandardCharsets.UTF_8));
        }
        urls.add(url(file));
        return file;
    }

    private static void put(JarOutputStream jar, String name, byte[] content) throws IOException {
        jar.putNextEntry(new JarEntry(name));
        jar.write(content);
        jar.closeEntry();
    }

    private static URL url(Path file) throws MalformedURLException {
        return file.toUri().toURL();
    }

    URLClassLoader loader() {
        return new URLClassLoader(urls.toArray(URL[]::new), ToolJars.class.getClassLoader());
    }
}
