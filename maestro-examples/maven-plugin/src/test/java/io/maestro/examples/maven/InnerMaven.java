package io.maestro.examples.maven;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The Maven of this build, as a process of its own with a local repository of its own. What this build has made is put there;
 * all else it takes from this build's local repository as if that were a remote one, so it needs no network, and nothing gets
 * into the user's repository.
 */
final class InnerMaven {
    static final String VERSION = System.getProperty("it.version");
    static final String PLUGIN = "maestro-example-maven-plugin";

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

    private final Path localRepository;
    private final Path settings;

    InnerMaven(Path directory) throws IOException {
        localRepository = directory.resolve("repository");
        settings = Files.writeString(directory.resolve("settings.xml"), """
                <settings>
                  <profiles>
                    <profile>
                      <id>it</id>
                      <repositories>
                        <repository>%1$s</repository>
                      </repositories>
                      <pluginRepositories>
                        <pluginRepository>%1$s</pluginRepository>
                      </pluginRepositories>
                    </profile>
                  </profiles>
                  <activeProfiles>
                    <activeProfile>it</activeProfile>
                  </activeProfiles>
                </settings>
                """.formatted("<id>libraries</id><url>"
                + Path.of(System.getProperty("it.libraries")).toUri()
                + "</url><releases><checksumPolicy>ignore</checksumPolicy></releases>"
                + "<snapshots><enabled>false</enabled></snapshots>"));
        install("maestro", ROOT);
        install("maestro-tools-spi", ROOT.resolve("maestro-tools-spi"));
        install("maestro-core", ROOT.resolve("maestro-core"));
        install("maestro-docker", ROOT.resolve("maestro-docker"));
        install("maestro-claude", ROOT.resolve("maestro-claude"));
        install("maestro-examples", ROOT.resolve("maestro-examples"));
        install(PLUGIN, ROOT.resolve("maestro-examples/maven-plugin"));
    }

    private void install(String artifact, Path module) throws IOException {
        String name = artifact + "-" + VERSION;
        Path target = Files.createDirectories(
                localRepository.resolve("io/maestro").resolve(artifact).resolve(VERSION));
        Files.copy(module.resolve("pom.xml"), target.resolve(name + ".pom"));
        Path jar = module.resolve("target").resolve(name + ".jar");
        if (Files.exists(jar)) {
            Files.copy(jar, target.resolve(name + ".jar"));
        }
    }

    /** Runs a goal of the plugin. */
    Run run(String goal, Path directory, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("it.maven"),
                "--batch-mode",
                "--no-transfer-progress",
                "--settings",
                settings.toString(),
                "-Dmaven.repo.local=" + localRepository,
                "maestro:" + goal));
        command.addAll(List.of(arguments));
        return start(directory, environment, command);
    }

    /** How a process ended, and all that it said. */
    record Run(int exit, String output) {}

    static Run start(Path directory, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().remove("ANTHROPIC_API_KEY");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        // It ends before a better compiler pays.
        builder.environment().put("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output);
    }
}
