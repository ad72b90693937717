package io.maestro.git.internal.diff;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.testing.Campaign;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;
import org.eclipse.jgit.diff.DiffAlgorithm;
import org.eclipse.jgit.diff.Edit;
import org.eclipse.jgit.diff.EditList;
import org.eclipse.jgit.diff.MyersDiff;
import org.eclipse.jgit.diff.RawText;
import org.eclipse.jgit.diff.RawTextComparator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lines that differ: right for any texts, shortest for usual ones, and in bounded time for those that an agent makes. */
class LineDiffTest {
    private static RawText text(List<String> lines) {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        return new RawText(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static EditList diff(DiffAlgorithm algorithm, List<String> a, List<String> b) {
        return algorithm.diff(RawTextComparator.DEFAULT, text(a), text(b));
    }

    private static void assertRight(String what, EditList edits, List<String> a, List<String> b) {
        List<String> made = new ArrayList<>();
        int at = 0;
        for (Edit edit : edits) {
            assertThat(edit.getBeginA()).as(what).isGreaterThanOrEqualTo(at);
            made.addAll(a.subList(at, edit.getBeginA()));
            assertThat(made).as(what).hasSize(edit.getBeginB());
            made.addAll(b.subList(edit.getBeginB(), edit.getEndB()));
            at = edit.getEndA();
        }
        made.addAll(a.subList(at, a.size()));
        assertThat(made.equals(b)).as(what).isTrue();
    }

    private static int length(EditList edits) {
        return edits.stream()
                .mapToInt(edit -> edit.getLengthA() + edit.getLengthB())
                .sum();
    }

    private static List<String> random(Random random, int most, int kinds) {
        return IntStream.range(0, random.nextInt(most + 1))
                .mapToObj(i -> "line " + random.nextInt(kinds))
                .toList();
    }

    @Test
    void anyTwoTextsAreComparedRightAndAsShortAsCanBe() {
        long seed = Campaign.seed("line diff");
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            int kinds = 1 + random.nextInt(12);
            List<String> a = random(random, 30, kinds);
            List<String> b = new ArrayList<>(random.nextBoolean() ? random(random, 30, kinds) : a);
            for (int change = random.nextInt(4); change > 0 && !b.isEmpty(); change--) {
                b.set(random.nextInt(b.size()), "line " + random.nextInt(kinds));
            }
            EditList edits = diff(new LineDiff(), a, b);
            String what = "seed " + seed + ", pair " + i + ": " + a + b;
            assertRight(what, edits, a, b);
            assertThat(length(edits)).as(what).isEqualTo(length(diff(MyersDiff.INSTANCE, a, b)));
        }
    }

    /** JGit's takes minutes to hours for these. */
    @Test
    @Timeout(60)
    void textsThatWereMadeToTakeLongAreComparedInBoundedTime() {
        Random random = new Random(1);
        LineDiff diff = new LineDiff(70_000_000);
        List<String> a = IntStream.range(0, 100_000)
                .mapToObj(i -> random.nextBoolean() ? "x" : "y")
                .toList();
        List<String> b = IntStream.range(0, 100_000)
                .mapToObj(i -> random.nextBoolean() ? "x" : "y")
                .toList();
        List<String> changed = new ArrayList<>(a);
        changed.set(10, "changed");
        changed.set(50_000, "changed");
        assertThat(diff(diff, a, changed)).hasSize(2);
        // Two files take what each of them may take, the third what is left for all, so the next one is not searched
        // any more.
        for (int i = 0; i < 3; i++) {
            assertRight("two kinds", diff(diff, a, b), a, b);
        }
        EditList unsearched = diff(diff, a, changed);
        assertRight("nothing left", unsearched, a, changed);
        assertThat(unsearched).hasSize(1);
        List<String> unlike =
                IntStream.range(0, 100_000).mapToObj(i -> "new " + i).toList();
        assertThat(diff(new LineDiff(), a, unlike)).containsExactly(new Edit(0, 100_000, 0, 100_000));
        // Too many for the search, but few changes at both ends are found in any number of lines.
        List<String> more = new ArrayList<>(a);
        more.add(0, "new");
        assertThat(diff(new LineDiff(), a, more)).containsExactly(new Edit(0, 0, 0, 1));
    }

    @Test
    void fewChangesInManyLinesAreFound() {
        List<String> a =
                IntStream.range(0, 150_000).mapToObj(i -> "line " + i % 1_000).toList();
        List<String> b = new ArrayList<>(a);
        for (int i = 100; i < b.size(); i += 1_500) {
            b.set(i, "changed");
        }
        EditList edits = diff(new LineDiff(), a, b);
        assertRight("few", edits, a, b);
        assertThat(length(edits)).isEqualTo(200);
    }

    @Test
    void anInterruptEndsIt() {
        List<String> a = IntStream.range(0, 50_000).mapToObj(i -> "a" + i % 3).toList();
        List<String> b = IntStream.range(0, 50_000).mapToObj(i -> "a" + i % 5).toList();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> diff(new LineDiff(), a, b)).isInstanceOf(CancellationException.class);
        assertThat(Thread.interrupted()).isTrue();
    }
}
