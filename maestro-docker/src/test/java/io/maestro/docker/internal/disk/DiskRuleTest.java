package io.maestro.docker.internal.disk;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.internal.DiskUse.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Attempts against the rule, on disks that are only told. */
class DiskRuleTest {
    private static final long MB = 1 << 20;
    private static final long MINUTE = DiskRule.PATIENCE_NANOS / 10;

    private final DiskLimits limits = new DiskLimits(1000 * MB, 100 * MB);
    private final List<String> renewed = new ArrayList<>();
    private final List<String> ended = new ArrayList<>();
    private final DiskRule rule = new DiskRule(limits, renewed::add, ended::add);
    private long now = Long.MAX_VALUE - MINUTE;

    /** After one more minute. */
    private void judge(long layers, long workspace, long free) {
        now += MINUTE;
        rule.judge(Optional.of(new Usage(layers * MB, workspace * MB, 0)), free * MB, now);
    }

    @Test
    void whoHoldsTooMuchIsToldOnceAndMayDelete() {
        judge(0, 1000, 500);
        assertThat(renewed).isEmpty();
        judge(0, 1001, 500);
        assertThat(renewed).singleElement().asString().contains("1001 MB in the workspace", "1000 MB are allowed");
        for (int minute = 0; minute < 9; minute++) {
            judge(0, 1060, 500);
        }
        judge(0, 900, 500);
        assertThat(ended).isEmpty();
        judge(0, 1001, 500);
        assertThat(renewed).hasSize(2);
    }

    @Test
    void whoHasBeenToldAndGrowsOrStaysIsAtTheEnd() {
        judge(0, 1001, 500);
        judge(0, 1070, 500);
        assertThat(ended).singleElement().asString().contains("has grown since then");
        ended.clear();
        for (int minute = 0; minute < 12; minute++) {
            judge(0, 1001, 500);
        }
        assertThat(ended.get(0)).contains("has not deleted enough since then");
    }

    /** An engine that does not answer, for example. */
    @Test
    void whoCouldNotBeToldIsToldTheNextTime() {
        List<String> told = new ArrayList<>();
        DiskRule other = new DiskRule(
                limits,
                why -> {
                    told.add(why);
                    if (told.size() == 1) {
                        throw new IllegalStateException("down");
                    }
                },
                ended::add);
        Optional<Usage> use = Optional.of(new Usage(1100 * MB, 0, 0));
        assertThatThrownBy(() -> other.judge(use, 500 * MB, now)).isInstanceOf(IllegalStateException.class);
        other.judge(use, 500 * MB, now);
        assertThat(told).hasSize(2);
        assertThat(ended).isEmpty();
    }

    @Test
    void filesThatNobodyCanCountAreTooMany() {
        rule.judge(Optional.empty(), 500 * MB, now);
        assertThat(renewed).singleElement().asString().contains("more files than can be counted");
        rule.judge(Optional.empty(), 500 * MB, now + 11 * MINUTE);
        assertThat(ended).hasSize(1);
    }

    /** While the disk is short: no step is large enough to be seen alone, and what is deleted does not come back. */
    @Test
    void smallStepsDoNotUseUpTheReserve() {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            List<String> stops = new ArrayList<>();
            DiskRule its = new DiskRule(limits, stops::add, stops::add);
            long free = 150 * MB;
            long holds = 100 * MB;
            while (stops.isEmpty()) {
                long step = 1 + random.nextLong(3 * MB);
                // Now and then it deletes less than it has written.
                step = random.nextInt(4) == 0 ? -Math.min(step / 2, holds) : step;
                holds += step;
                free -= step;
                its.judge(Optional.of(new Usage(holds, 0, 0)), free, now++);
                assertThat(free).as("free").isGreaterThan(80 * MB);
            }
            assertThat(stops.get(0)).contains("100 MB are kept (container.disk_reserve_mb)");
        }
    }

    @Test
    void whoDoesNotGrowWorksOnWhereTheDiskIsShort() {
        for (int minute = 0; minute < 30; minute++) {
            judge(0, 300 + minute % 5, 20);
        }
        assertThat(renewed).isEmpty();
        assertThat(ended).isEmpty();
    }
}
