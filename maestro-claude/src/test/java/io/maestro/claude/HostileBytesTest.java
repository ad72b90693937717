package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bombs from what calls itself the CLI, from who has a token, and from strangers, leave a small heap fine. */
@Timeout(900)
class HostileBytesTest {
    @TempDir
    Path directory;

    @Test
    void bombsOfEachKindLeaveTheHeapFine() throws Exception {
        assertThat(explode(256, "tree", "uses", "blocks", "gateway"))
                .satisfiesExactly(
                        tree -> assertThat(tree).contains("COMPLETED ok"),
                        uses -> assertThat(uses).contains("FAILED the CLI has said more than 20000 things"),
                        blocks -> assertThat(blocks).contains("FAILED the CLI has said more than 32 Mi characters"),
                        gateway -> assertThat(gateway).contains("[400, ").doesNotContain(" 502,", " 502]"));
    }

    @Test
    @Full("more of the same kinds, which take half a minute")
    void allBombsLeaveTheHeapFine() throws Exception {
        assertThat(explode(256, "line", "trees", "ids", "requests", "results", "names", "mcp", "strangers"))
                .satisfiesExactly(
                        line -> assertThat(line).contains("COMPLETED ok"),
                        trees -> assertThat(trees).contains("COMPLETED ok"),
                        ids -> assertThat(ids).contains("FAILED the CLI has said more than"),
                        requests -> assertThat(requests).contains("FAILED the CLI has said more than"),
                        results -> assertThat(results).contains("FAILED the CLI has said more than"),
                        names -> assertThat(names).contains("COMPLETED ok"),
                        mcp -> assertThat(mcp).contains("64 refused"),
                        strangers ->
                                assertThat(strangers).containsPattern("^strangers: [1-6]?[0-9] served, status 502"));
    }

    @Test
    @Full("waits for a memory that is used up")
    void anAnswerThatIsTooLargeToBeWrittenEndsItsConnection() throws Exception {
        assertThat(explode(160, "answer")).singleElement().asString().startsWith("answer: ended");
    }

    private List<String> explode(int megabytes, String... bombs) throws Exception {
        Process child = new ProcessBuilder(ChildJvm.command(
                        List.of("-Xmx" + megabytes + "m"),
                        HostileBytes.class,
                        Stream.concat(Stream.of(directory.toString()), Stream.of(bombs))
                                .toArray(String[]::new)))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(child.waitFor(10, TimeUnit.SECONDS)).as(said).isTrue();
            assertThat(child.exitValue()).as(said).isZero();
            return said.lines().toList();
        } finally {
            child.destroyForcibly();
        }
    }
}
