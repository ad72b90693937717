package io.maestro.llm.langchain4j;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.model.chat.ChatModel;
import io.maestro.hosts.LangChain4jHost;
import io.maestro.llm.LlmClient;
import java.io.File;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.module.ResolvedModule;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Maestro without LangChain4j, and as a module with it. */
@Timeout(120)
class OptionalLibraryTest {
    private static final Path LIBRARY = locationOf(ChatModel.class);
    private static final Path MAESTRO = locationOf(LlmClient.class);
    private static final Path TESTS = locationOf(OptionalLibraryTest.class);

    private static Path locationOf(Class<?> type) {
        return Path.of(URI.create(
                type.getProtectionDomain().getCodeSource().getLocation().toString()));
    }

    private static List<Path> classPathWithoutTheLibrary() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(entry -> Files.exists(entry) && !entry.equals(LIBRARY) && !entry.equals(TESTS))
                .toList();
    }

    private static URL url(Path path) {
        try {
            return path.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> classesOfMaestro() throws IOException {
        try (Stream<Path> files = Files.walk(MAESTRO)) {
            return files.map(file -> MAESTRO.relativize(file).toString())
                    .filter(name -> name.endsWith(".class") && !name.equals("module-info.class"))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace(File.separatorChar, '.'))
                    .toList();
        }
    }

    @Test
    void allButTheAdapterWorksWithoutTheLibrary() throws Exception {
        URL[] urls = classPathWithoutTheLibrary().stream()
                .map(OptionalLibraryTest::url)
                .toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            List<String> others = classesOfMaestro().stream()
                    .filter(name -> !name.startsWith("io.maestro.llm.langchain4j."))
                    .toList();
            assertThat(others).contains("io.maestro.Maestro", "io.maestro.llm.resilience.LlmClients");
            for (String name : others) {
                Class<?> type = Class.forName(name, true, loader);
                // Resolves every type in a signature.
                type.getDeclaredMethods();
                type.getDeclaredConstructors();
                type.getDeclaredFields();
            }
            Class<?> adapter = loader.loadClass(LangChain4jClient.class.getName());
            assertThatThrownBy(adapter::getDeclaredMethods)
                    .isInstanceOf(NoClassDefFoundError.class)
                    .hasMessageContaining("dev/langchain4j/");
        }
    }

    @Test
    void theModuleUsesTheLibraryOnTheClassPath() throws Exception {
        // The SDK of MCP, another optional library, says a name that no module can have.
        ModuleFinder finder = ModuleFinder.of(classPathWithoutTheLibrary().stream()
                .filter(entry -> !entry.getFileName().toString().startsWith("mcp-"))
                .toArray(Path[]::new));
        Configuration configuration =
                ModuleLayer.boot().configuration().resolve(finder, ModuleFinder.of(), Set.of("io.maestro.core"));
        String modulePath = configuration.modules().stream()
                .map(ResolvedModule::reference)
                .map(reference -> Path.of(reference.location().orElseThrow()).toString())
                .collect(Collectors.joining(File.pathSeparator));

        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--module-path",
                        modulePath,
                        "--add-modules",
                        "io.maestro.core",
                        "-classpath",
                        TESTS + File.pathSeparator + LIBRARY,
                        LangChain4jHost.class.getName())
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(output).contains("io.maestro.core [Text[text=hello]]", "greet of Greeter");
        } finally {
            child.destroyForcibly();
            assertThat(child.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
    }
}
