package io.maestro.team.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.llm.Usage;
import io.maestro.prompt.internal.FileTree;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.machine.StuckException;
import io.maestro.team.internal.story.ReviewedWork;
import io.maestro.team.internal.story.StoryProgress;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The small parts of a team, each by itself. */
class TeamPartsTest {
    private static final Usage TEN = new Usage(1, 2, 3, 4);

    @Test
    void aMeterCountsEveryKindOfToken() {
        Meter meter = new Meter(Limits.builder().tokensPerStory(21).build());
        meter.add("m", "m", TEN);
        meter.add("m", "m", TEN);
        assertThat(meter.usage()).isEqualTo(new Usage(2, 4, 6, 8));
        assertThat(meter.exceeded()).isEmpty();
        meter.add("m", "m", new Usage(0, 1, 0, 0));
        assertThat(meter.exceeded()).contains("21 of 21 tokens are used up");
        meter.grant();
        assertThat(meter.exceeded()).isEmpty();
        meter.add("m", "m", TEN);
        meter.add("m", "m", TEN);
        assertThat(meter.exceeded()).isEmpty();
        meter.add("m", "m", TEN);
        assertThat(meter.exceeded()).contains("51 of 42 tokens are used up");
    }

    @Test
    void aMeterCountsTime() {
        assertThat(new Meter(Limits.builder().timePerStory(Duration.ofNanos(1)).build()).exceeded())
                .contains("the story's time is used up: 0 s of 0 s");
        assertThat(new Meter(Limits.builder().timePerStory(Duration.ofDays(1)).build()).exceeded())
                .isEmpty();
    }

    /** The largest value is how a host says "no limit"; granting it twice must not make it negative. */
    @Test
    void theLargestBudgetIsNeverUsedUp() {
        Meter meter = new Meter(Limits.builder()
                .tokensPerStory(Long.MAX_VALUE)
                .timePerStory(Duration.ofSeconds(Long.MAX_VALUE))
                .build());
        meter.add("m", "m", new Usage(Long.MAX_VALUE / 2, 0, 0, 0));
        for (int i = 0; i < 5; i++) {
            assertThat(meter.exceeded()).isEmpty();
            meter.grant();
        }
    }

    private static StoryAttempt run() {
        return TestRun.of(Story.builder("042", "T").content("C").build(), 1, new StoryProgress(), CoderState.CODING);
    }

    /** A person may take days. */
    @ParameterizedTest
    @EnumSource(CoderState.class)
    void onlyWorkCountsAsTime(CoderState state) {
        StoryAttempt run = TestRun.of(Story.builder("042", "T").content("C").build(), 1, new StoryProgress(), state);
        Duration before = run.meter().elapsed();
        long now = System.nanoTime();
        while (System.nanoTime() - now < 1_000) {
            Thread.onSpinWait();
        }
        boolean works = EnumSet.of(
                        CoderState.SETUP,
                        CoderState.PLANNING,
                        CoderState.CODING,
                        CoderState.TESTING,
                        CoderState.PREPARE_MERGE)
                .contains(state);
        if (!state.isFinal()) {
            assertThat(run.meter().elapsed().compareTo(before) > 0).isEqualTo(works);
        }
    }

    @Test
    void eachStateMaySendBackSoOftenAndNoMore() {
        ReviewRounds rounds =
                new ReviewRounds(Limits.builder().rounds(2).budgetReviews(1).build());
        StoryAttempt run = run();
        rounds.sendBack(run, CoderState.CODE_REVIEW, "first");
        rounds.sendBack(run, CoderState.CODE_REVIEW, "second");
        rounds.sendBack(run, CoderState.TESTING, "another state");
        rounds.sendBack(run, CoderState.BUDGET_REVIEW, "granted");
        assertThatThrownBy(() -> rounds.sendBack(run, CoderState.CODE_REVIEW, "third"))
                .isInstanceOf(StuckException.class)
                .hasMessage("CODE_REVIEW has sent the coder back 3 times, 2 are allowed (see Limits);"
                        + " the last reason was: third");
        assertThatThrownBy(() -> rounds.sendBack(run, CoderState.BUDGET_REVIEW, "again"))
                .hasMessageContaining("2 times, 1 are allowed");
        rounds.sendBack(run(), CoderState.CODE_REVIEW, "another story");
    }

    @TempDir
    Path directory;

    @Test
    void aTreeShowsTheFilesAndFollowsNoLink() throws Exception {
        Path root = Files.createDirectories(directory.resolve("workspace"));
        assertThat(FileTree.describe(root)).isEqualTo("(no files)");
        Files.writeString(directory.resolve("outside"), "");
        for (String file : new String[] {"b", "a/c", ".git/config", "a/two\nlines"}) {
            Files.createDirectories(root.resolve(file).getParent());
            Files.writeString(root.resolve(file), "");
        }
        Files.createSymbolicLink(root.resolve("up"), directory);
        assertThat(FileTree.describe(root)).isEqualTo("a/c\na/two\\x0alines\nb\nup");
    }

    @Test
    void aTreeIsBounded() throws Exception {
        Path root = Files.createDirectories(directory.resolve("workspace/sub")).getParent();
        for (int i = 0; i < 203; i++) {
            Files.createFile(root.resolve(String.format("sub/f%03d", i)));
        }
        assertThat(FileTree.describe(root).lines())
                .hasSize(201)
                .startsWith("sub/f000", "sub/f001")
                .endsWith("sub/f199", "sub/ (and 3 other files)");
    }

    @Test
    void aTreeOfABigProjectShowsDirectoriesWithCounts() throws Exception {
        Path root = Files.createDirectories(directory.resolve("workspace"));
        for (String file : new String[] {"pom.xml", "core/src/main/java/A.java", "web/package.json"}) {
            Files.createDirectories(root.resolve(file).getParent());
            Files.createFile(root.resolve(file));
        }
        for (int i = 0; i < 40; i++) {
            Path module = Files.createDirectories(root.resolve(String.format("m%02d/src", i)));
            for (int k = 0; k < 30; k++) {
                Files.createFile(module.resolve("F" + k));
            }
        }
        Files.createDirectories(root.resolve("data"));
        for (int i = 0; i < 1234; i++) {
            Files.createFile(root.resolve("data/d" + i));
        }

        List<String> lines = FileTree.describe(root).lines().toList();

        assertThat(lines)
                .hasSizeLessThanOrEqualTo(201)
                .contains("pom.xml", "core/src/main/java/A.java", "web/package.json", "m39/src/ (30 files)")
                .contains("m00/src/F0", "m00/src/F9");
        assertThat(lines.stream().filter(line -> line.startsWith("data/")))
                .hasSizeLessThan(20)
                .last()
                .asString()
                .matches("data/ \\(and 1,2\\d\\d other files\\)");
    }

    @Test
    void progressMakesTheRoundTrip() throws Exception {
        StoryProgress progress = new StoryProgress();
        int filled = fill(progress);
        for (Field part : StoryProgress.class.getDeclaredFields()) {
            if (part.isAnnotationPresent(JsonUnwrapped.class)) {
                part.setAccessible(true);
                filled += fill(part.get(progress));
            }
        }
        progress.comesBackTo(CoderState.CODING);
        progress.suspendIn(CoderState.QUESTION);
        progress.guidance().tell("first");
        progress.guidance().tell("second");
        progress.returnBy(CoderState.TESTING);
        progress.checkout().seenAs("/here");
        progress.checkout().broughtIn(7, "tip");
        progress.published().pushed("branch");
        progress.sessions().opened(CoderState.PLANNING, "session");
        progress.work().baseline(new ReviewedWork.Baseline("commit", "", "PASSED", "one line", List.of(), null));
        progress.ended(StoryResult.Outcome.NO_CHANGE);

        StoryProgress read = StoryProgress.fromJson(progress.toJson());
        assertThat(read)
                .usingRecursiveComparison()
                .ignoringFields("guidance.earlier")
                .isEqualTo(progress);
        assertThat(filled).isGreaterThan(25);
        assertThat(read.guidance().untoldBefore()).isEqualTo(2);
        read.guidance().tell("third");
        assertThat(read.guidance().untold()).containsExactly("first", "second", "third");
        assertThat(read.returnBy(CoderState.TESTING)).isEqualTo(2);
    }

    /** Every text, number and truth; how many there are. */
    private static int fill(Object part) throws IllegalAccessException {
        int filled = 0;
        for (Field field : part.getClass().getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) || Modifier.isTransient(field.getModifiers())) {
                continue;
            }
            field.setAccessible(true);
            Class<?> type = field.getType();
            Object value = type == String.class
                    ? field.getName() + " \"ü\"\n"
                    : type == int.class
                            ? (Object) 3
                            : type == long.class ? (Object) 4L : type == boolean.class ? true : null;
            if (value != null) {
                field.set(part, value);
                filled++;
            }
        }
        return filled;
    }

    @Test
    void progressOfAnotherVersionIsRead() {
        assertThat(new StoryProgress().toJson()).isEqualTo("{}");
        StoryProgress read = StoryProgress.fromJson("{\"plan\":\"p\",\"added_later\":{\"x\":[1]},\"commit\":null}");
        assertThat(read.turns().plan()).isEqualTo("p");
        assertThat(read.work().isCommitted()).isFalse();
        assertThat(read.guidance().untold()).isEmpty();
        assertThat(read.returnedBy(CoderState.TESTING)).isZero();
        assertThatThrownBy(() -> StoryProgress.fromJson("{\"plan\":"))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("the progress of a story is not readable");
        assertThatThrownBy(() -> StoryProgress.fromJson("null")).isInstanceOf(MaestroException.class);
    }
}
