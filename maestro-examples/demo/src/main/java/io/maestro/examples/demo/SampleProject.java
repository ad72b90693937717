package io.maestro.examples.demo;

import io.maestro.story.Story;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small Java project with a requirement that it does not meet yet. */
final class SampleProject {
    private SampleProject() {}

    static void create(Git git, Path files, Path bare) throws IOException {
        for (String name :
                new String[] {"README.md", "Dockerfile", "run-tests.sh", "src/Greeter.java", "test/GreeterTest.java"}) {
            write(files.resolve(name), resource(name));
        }
        write(files.resolve(".gitignore"), resource("gitignore"));
        String work = files.toString();
        git.run("init", "--quiet", "--initial-branch=main", work);
        git.run("-C", work, "add", "--all");
        git.run(
                "-C",
                work,
                "-c",
                "user.name=Demo",
                "-c",
                "user.email=demo@maestro.local",
                "-c",
                "commit.gpgSign=false",
                "commit",
                "--quiet",
                "--message=A greeter that knows only English");
        git.run("clone", "--quiet", "--bare", work, bare.toString());
    }

    static Story story() throws IOException {
        return Story.fromMarkdown("001", resource("story.md")).build();
    }

    /** On this machine with the JDK that runs the demo: there may be no other one. */
    static String testCommand(boolean inContainer) {
        return inContainer ? "sh run-tests.sh" : "JAVA_HOME='" + System.getProperty("java.home") + "' sh run-tests.sh";
    }

    private static void write(Path file, String content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = SampleProject.class.getResourceAsStream("sample/" + name)) {
            if (in == null) {
                throw new IOException("the demo lacks its file " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
