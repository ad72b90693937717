package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect;
import io.maestro.agent.spi.ScriptedCoderMode;
import io.maestro.event.MaestroEvent;
import io.maestro.llm.LlmRequest;
import io.maestro.story.Spec;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets in a story, in files, in the output of tests and in what people say: none gets to a model, a person, an event or a row. */
class SecretGateTest {
    /** Named by the host. */
    private static final String NAMED = "my-very-own-value-99";

    /** Known by its form. */
    private static final String TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

    @TempDir
    Path directory;

    private final List<String> seen = new ArrayList<>();

    private TestRepository repository() {
        return TestRepository.create(
                directory, Map.of("app.properties", "my=" + NAMED + "\ntoken=" + TOKEN + "\nport=80\n"));
    }

    private MaestroBuilder builder(ScriptedLlm coder) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository().url())
                .secret(NAMED)
                .coderModel(coder)
                .testCommand("cat app.properties; test -e fixed")
                .tools(tools -> tools.discover(false));
    }

    private static Story story() {
        return Story.builder("1", "Port for " + NAMED)
                .content("Change the port; log in with " + NAMED + " or " + TOKEN)
                .build();
    }

    private static ScriptedLlm coder() {
        return ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("ask_question", Map.of("question", "which port?")))
                .turn(Reply.toolCall("submit_plan", Map.of("plan", "change it")))
                .turn(Reply.toolCall("edit_file", Map.of("path", "app.properties", "old", "80", "new", "90")))
                .turn(Reply.toolCall("done", Map.of("summary", "changed")))
                .turn(Reply.toolCall("shell", Map.of("cmd", "touch fixed")))
                .turn(Reply.toolCall("done", Map.of("summary", "fixed")))
                .build();
    }

    private void assertClean() throws IOException {
        assertThat(seen).isNotEmpty().allSatisfy(text -> assertThat(text).doesNotContain(NAMED, TOKEN));
        assertThat(String.join("\n", seen)).contains("[REDACTED:github-token]");
        try (Stream<Path> files = Files.list(directory.resolve("project/.maestro"))) {
            files.filter(Files::isRegularFile)
                    .forEach(file -> assertThat(text(file)).as("%s", file).doesNotContain(NAMED, TOKEN));
        }
    }

    private static String text(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> texts(ScriptedLlm model) {
        return model.requests().stream().map(LlmRequest::toString).toList();
    }

    @Test
    void aPersonAndTheCodersModelSeeNone() throws IOException {
        ScriptedLlm coder = coder();
        ConcurrentLinkedQueue<Object> shown = new ConcurrentLinkedQueue<>();
        Architect person = new Approving() {
            @Override
            public Reply reply(Request request) {
                shown.add(request);
                return new Reply(request.id(), Decision.APPROVED, "the key is " + NAMED);
            }
        };
        try (Maestro maestro = builder(coder)
                .architect(person)
                .listener((MaestroEvent event) -> shown.add(event))
                .build()) {
            StoryResult result = maestro.run(story());
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
        }
        coder.assertFinished();
        seen.addAll(texts(coder));
        shown.forEach(each -> seen.add(each.toString()));
        assertThat(seen).anyMatch(text -> text.contains("CODE_REVIEW") && text.contains("port=90"));
        assertClean();
    }

    @Test
    void theArchitectsModelSeesNone() throws IOException {
        ScriptedLlm architect = ScriptedLlm.builder("architect")
                .turn(Reply.toolCall("submit_reply", Map.of("message", "90")))
                .repeat(Reply.toolCall("review_complete", Map.of("decision", "APPROVED", "feedback", "good")))
                .build();
        try (Maestro maestro = builder(coder()).architectModel(architect).build()) {
            StoryResult result = maestro.run(story());
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
        }
        seen.addAll(texts(architect));
        assertThat(seen).anyMatch(text -> text.contains("port=90"));
        assertClean();
    }

    @Test
    void aProgramIsToldNone() throws IOException {
        ScriptedLlm coder = coder();
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository().url())
                .secret(NAMED)
                .coderMode(new ScriptedCoderMode(coder))
                .architect(new Approving())
                .testCommand("cat app.properties; test -e fixed")
                .tools(tools -> tools.discover(false));
        try (Maestro maestro = builder.build()) {
            StoryResult result = maestro.run(story());
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
        }
        seen.addAll(texts(coder));
        assertClean();
    }

    @Test
    void aSpecificationShowsNone() throws IOException {
        ScriptedLlm architect = ScriptedLlm.builder("architect")
                .repeat(Reply.toolCall("read_file", Map.of("path", "app.properties")))
                .build();
        try (Maestro maestro = builder(coder()).architectModel(architect).build()) {
            maestro.runSpec(Spec.builder("s", "For " + NAMED)
                    .content("Log in with " + TOKEN)
                    .build());
        }
        seen.addAll(texts(architect));
        assertClean();
    }
}
