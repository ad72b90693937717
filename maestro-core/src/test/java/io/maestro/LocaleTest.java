package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.story.Story;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts in languages with digits of their own, or with another lower case of I. */
class LocaleTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = "fa")
    void storiesAreMerged(String language) throws Exception {
        TestRepository.create(directory, Map.of("README.md", "a project"));
        List<String> options = List.of("-Djava.io.tmpdir=" + directory);
        Process host = new ProcessBuilder(ChildJvm.command(options, Host.class, directory.toString(), language))
                .redirectErrorStream(true)
                .start();
        String output = new String(host.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output).contains("outcome MERGED by coder-001");
        assertThat(host.waitFor()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tr", "th-u-ca-buddhist-nu-thai"})
    @Full("a JVM each; the short tier has one with digits of its own")
    void storiesAreMergedInOtherLocales(String language) throws Exception {
        storiesAreMerged(language);
    }

    /** Runs a story. */
    static final class Host {
        private Host() {}

        public static void main(String[] arguments) {
            Locale.setDefault(Locale.forLanguageTag(arguments[1]));
            Path directory = Path.of(arguments[0]);
            try (Maestro maestro = Maestro.builder()
                    .projectDirectory(directory.resolve("project"))
                    .repository(TestRepository.existing(directory).url())
                    .coderModel(ScriptedLlm.builder("coder")
                            .turn(Reply.toolCall("write_file", Map.of("path", "a.txt", "content", "a")))
                            .turn(Reply.toolCall("done", Map.of("summary", "wrote a.txt")))
                            .build())
                    .architect(new Approving())
                    .testCommand("true")
                    .tools(tools -> tools.discover(false))
                    .build()) {
                String outcome = maestro.run(Story.builder("1", "Story 1")
                                .content("do it")
                                .express()
                                .build())
                        .outcome()
                        .name();
                System.out.println("outcome " + outcome + " by "
                        + maestro.auditLog().story("1").orElseThrow().agentId());
            }
        }
    }
}
