package io.maestro.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What documents name is there: files, headings, types, packages, profiles, modules and programs. */
class DocumentsTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();
    private static final Documents DOCUMENTS = new Documents(ROOT);

    @Test
    void whatTheyNameIsThere() {
        List<String> faults = new ArrayList<>();
        DOCUMENTS
                .all()
                .forEach((document, text) ->
                        DOCUMENTS.faults(document, text).forEach(fault -> faults.add(document + ": " + fault)));
        assertThat(faults).isEmpty();
    }

    @Test
    void eachModuleHasOneAndTheOverviewIsShort() {
        Map<String, String> all = DOCUMENTS.all();
        assertThat(all.keySet())
                .contains(
                        "README.md",
                        "CONTRIBUTING.md",
                        "maestro-claude/README.md",
                        "maestro-core/README.md",
                        "maestro-docker/README.md",
                        "maestro-examples/README.md",
                        "maestro-testkit/README.md",
                        "maestro-tools-spi/README.md");
        assertThat(all.get("README.md").lines().count()).isLessThanOrEqualTo(250);
        assertThat(all.get("README.md"))
                .as("what .ci/run runs")
                .contains("```sh\nmvn -q -Pdemo\n```", "```sh\nmvn verify\n```");
    }

    @Test
    void theOverviewShowsTheFourInterfacesEachWithItsPage() {
        assertThat(DOCUMENTS.all().get("README.md"))
                .containsPattern("(?m)^\\| `Agent` \\|.*\\(docs/agent\\.md\\) \\|$")
                .containsPattern("(?m)^\\| `Tool` \\|.*\\(docs/tools\\.md\\) \\|$")
                .containsPattern("(?m)^\\| `ToolProvider` \\|.*\\(docs/tool-provider\\.md\\) \\|$")
                .containsPattern("(?m)^\\| `Executor` \\|.*\\(docs/executor\\.md\\) \\|$");
    }

    @Test
    void aPageAnswersOneQuestionInAtMost150Lines() {
        DOCUMENTS.all().entrySet().stream()
                .filter(document -> document.getKey().startsWith("docs/"))
                .forEach(page -> {
                    assertThat(page.getValue()).as(page.getKey()).matches("(?s)# [^\n]+\\?\n.*");
                    assertThat(page.getValue().lines().count())
                            .as(page.getKey())
                            .isLessThanOrEqualTo(150);
                });
    }

    @Test
    void theMessagesOfTheTroubleshootingAreThoseOfTheCode() {
        String text = DOCUMENTS.all().get("maestro-core/README.md");
        String table = text.substring(text.indexOf("## Troubleshooting"), text.indexOf("## How it is built"));
        String messages = DOCUMENTS.messages();
        List<String> parts = table.lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.split("\\|")[1])
                .flatMap(cell -> Pattern.compile("`([^`]+)`").matcher(cell).results())
                .flatMap(found -> Stream.of(found.group(1).split("…")))
                .map(String::strip)
                .filter(part -> part.length() >= 6 && !part.contains("com/fasterxml"))
                .toList();
        assertThat(parts).hasSizeGreaterThan(20);
        assertThat(parts.stream().filter(part -> !messages.contains(part)).toList())
                .as("parts of messages that no source has")
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "see [it](maestro-core/NO.md); no file for the link maestro-core/NO.md",
                "see [it](../other/README.md); no file for the link ../other/README.md",
                "see [it](#not-there); no heading for the link #not-there",
                "see [it](maestro-core/README.md#not-there); no heading for the link maestro-core/README.md#not-there",
                "a `ToolFabric`; no type ToolFabric",
                "a `new ToolFabric()`; no type new ToolFabric()",
                "a `io.maestro.record.ToolFactory`; no type io.maestro.record.ToolFactory",
                "a `Limits.replayTime`; no member Limits.replayTime",
                "a `Limits.replayTime(…)`; no member Limits.replayTime(…)",
                "a `io.maestro.cow`; no package io.maestro.cow",
                "run `mvn -q -Pdemos`; no profile demos",
                "run `mvn -q -Pbench -pl maestro-cow -am test`; no project maestro-cow",
                "in `maestro-cow`; no module or path maestro-cow",
                "in `maestro-core/src/cow`; no module or path maestro-core/src/cow",
                "run `.ci/cow 10`; no program .ci/cow 10",
            })
    void aFaultIsFound(String text, String fault) {
        assertThat(DOCUMENTS.faults("README.md", text)).containsExactly(fault);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "## A `b` (c), d; see [it](#a-b-c-d)",
                "## Twice; see [it](#twice)",
                "no; see [it](maestro-core/README.md#settings) and [that](https://example.org/#x)",
                "no; `ToolFactory` `io.maestro.secrets.Redactor` `Limits.replyTime` `MaestroEvent.StateChanged` `DAY`",
                "no; `Limits.Builder.costCap` `io.maestro` `.ci/repeat 10` `maestro-core` `mvn -Pfull verify`",
            })
    void whatIsThereIsNoFault(String heading, String text) {
        assertThat(DOCUMENTS.faults("README.md", heading + "\n\n" + text)).isEmpty();
    }
}
