package io.maestro.prompt.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.MaestroException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PromptsTest {
    /** Given for templates of hosts; Maestro's own have no use for them. */
    private static final Map<PromptTemplate, Set<String>> UNUSED =
            Map.of(PromptTemplate.CODER_PLANNING, Set.of("branch", "target"));

    private final Prompts prompts = new Prompts();

    @TempDir
    Path directory;

    @Test
    void everyTemplateHasARow() throws Exception {
        Path resources =
                Path.of(Prompts.class.getResource("reminder.mustache").toURI()).getParent();
        try (Stream<Path> files = Files.list(resources)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".mustache")))
                    .containsExactlyInAnyOrderElementsOf(PromptTemplate.ids().stream()
                            .map(name -> name + ".mustache")
                            .toList());
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyValueStandsInThePromptAsItIs(PromptTemplate template) {
        String prompt = prompts.render(template.id(), template.samples());
        assertThat(prompt).doesNotContain("{{", "}}");
        template.samples().forEach((variable, value) -> {
            List<?> values = value instanceof List<?> items
                    ? items.stream()
                            .flatMap(item -> ((Map<?, ?>) item).values().stream())
                            .toList()
                    : value instanceof String ? List.of(value) : List.of();
            if (!UNUSED.getOrDefault(template, Set.of()).contains(variable)) {
                values.forEach(text -> assertThat(prompt).contains((String) text));
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void variablesThatAreMissingOrTooManyAreAnError(PromptTemplate template) {
        for (String missing : template.samples().keySet()) {
            Map<String, Object> rest = new HashMap<>(template.samples());
            rest.remove(missing);
            assertThatThrownBy(() -> prompts.render(template.id(), rest))
                    .as(missing)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("the prompt '" + template.id() + "' has ");
        }
        Map<String, Object> more = new HashMap<>(template.samples());
        more.put("more", "x");
        assertThatThrownBy(() -> prompts.render(template.id(), more)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource
    void aHostsTemplateTakesThePlaceOfMaestrosAndCanUseEveryVariable(PromptTemplate template) {
        StringBuilder text = new StringBuilder("mine:");
        template.samples().forEach((name, value) -> {
            String use = value instanceof List<?> items ? uses((Map<?, ?>) items.get(0)) : "{{.}}";
            text.append("{{#" + name + "}}" + use + "{{/" + name + "}}{{^" + name + "}}no{{/" + name + "}} ");
        });
        Prompts own = new Prompts(Map.of(template.id(), text.toString()));
        assertThat(own.render(template.id(), template.samples()))
                .startsWith("mine:")
                .doesNotContain("{{", "no ");
        String other = template == PromptTemplate.REMINDER ? "environment-tools" : "reminder";
        Map<String, Object> samples = PromptTemplate.find(other).orElseThrow().samples();
        assertThat(own.render(other, samples)).isEqualTo(prompts.render(other, samples));
    }

    private static String uses(Map<?, ?> item) {
        return item.keySet().stream().map(name -> "{{" + name + "}};").collect(Collectors.joining());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {{terminal            | it has a {{ without its }}
            {{#terminal}}         | terminal
            {{terminals}}         | it has no variable terminals; there are terminal
            {{^terminal}}{{x}}{{/terminal}} | it has no variable x; there are terminal
            {{#y}}{{/y}}          | it has no variable y
            {{^z}}{{/z}}          | it has no variable z
            {{>other}}            | it includes another template, which prompts cannot
            {{<other}}{{/other}}  | it includes another template, which prompts cannot
            {{terminal.size}}     | terminal.size
            {{this.x}}            | x
            """)
    void aTemplateThatCannotBeUsedIsRefusedBeforeItIsNeeded(String template, String says) {
        assertThatThrownBy(() -> new Prompts(Map.of("reminder", template)))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("the template for the prompt 'reminder' cannot be used: ")
                .hasMessageContaining(says);
    }

    @Test
    void aVariableOfAListIsNoneOfThePrompt() {
        assertThatThrownBy(() -> new Prompts(Map.of("architect-merge", "{{text}}")))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("text");
        new Prompts(Map.of("architect-merge", "{{#facts}}{{text}}{{-index}}{{^-last}}, {{/-last}}{{/facts}}"));
    }

    @Test
    void whatIsFilledInIsNoTemplate() {
        Map<String, Object> hostile = new HashMap<>(PromptTemplate.CODER_CODING_STORY.samples());
        hostile.put("content", "{{files}} {{#plan}} {{/x}} {{{no}}} <b>&amp;");
        assertThat(prompts.render("coder-coding-story", hostile))
                .contains("{{files}} {{#plan}} {{/x}} {{{no}}} <b>&amp;");
    }

    @Test
    void whatIsEmptyHasNoHeading() {
        Map<String, Object> story = new HashMap<>(PromptTemplate.CODER_CODING_STORY.samples());
        assertThat(prompts.render("coder-coding-story", story)).contains("# The approved plan", "noted to do");
        story.put("plan", "");
        story.put("todos", "");
        assertThat(prompts.render("coder-coding-story", story)).doesNotContain("plan", "noted to do");

        Map<String, Object> coding = new HashMap<>(PromptTemplate.CODER_CODING.samples());
        assertThat(prompts.render("coder-coding", coding)).contains("nobody.\n\nThis story", "\n\n<environment>\n\n<");
        coding.put("environment", "");
        coding.put("devops", false);
        assertThat(prompts.render("coder-coding", coding))
                .contains("nobody.\n\n<tools>")
                .doesNotContain("image");
    }

    @ParameterizedTest
    @ValueSource(strings = {"coder-dancing", ""})
    void anUnknownPromptIsAnError(String name) {
        assertThatThrownBy(() -> prompts.render(name, Map.of()))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("there is no prompt '" + name + "'")
                .hasMessageEndingWith("; there are " + String.join(", ", PromptTemplate.ids()));
        assertThatThrownBy(() -> new Prompts(Map.of(name, "")))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("there is no prompt '" + name + "'");
    }

    @Test
    void theNearestNameIsNamed() {
        assertThat(Prompts.unknown("coder_coding")).contains("did you mean 'coder-coding'?");
    }

    @Test
    void aDirectoryHoldsATemplateForEachFile() throws Exception {
        Files.writeString(directory.resolve("reminder.mustache"), "Use {{terminal}} – now");
        Files.writeString(directory.resolve("README.md"), "left alone");
        Prompts own = new Prompts(PromptDirectory.read(directory));
        assertThat(own.render("reminder", Map.of("terminal", "`done`"))).isEqualTo("Use `done` – now");
    }

    @Test
    void aFileThatIsNoPromptIsRefused() throws Exception {
        Files.writeString(directory.resolve("remainder.mustache"), "x");
        assertThatThrownBy(() -> PromptDirectory.read(directory))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith(directory.resolve("remainder.mustache") + ": there is no prompt 'remainder'")
                .hasMessageContaining("did you mean 'reminder'?");
    }

    @Test
    void aFileThatCannotBeReadIsAnErrorThatNamesIt() throws Exception {
        Path file = directory.resolve("reminder.mustache");
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe});
        assertThatThrownBy(() -> PromptDirectory.read(directory))
                .isInstanceOf(MaestroException.class)
                .hasMessage("the prompt " + file + " is not text in UTF-8");
        Files.write(file, new byte[1024 * 1024 + 1]);
        assertThatThrownBy(() -> PromptDirectory.read(directory)).hasMessageContaining("larger than 1048576 bytes");
        Files.delete(file);
        Files.createDirectory(file);
        assertThatThrownBy(() -> PromptDirectory.read(directory))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("the prompt " + file + " cannot be read");
        assertThatThrownBy(() -> PromptDirectory.read(directory.resolve("none")))
                .isInstanceOf(MaestroException.class)
                .hasMessage("there is no directory of prompts " + directory.resolve("none"));
    }
}
