package io.maestro.docker.internal.disk;

import io.maestro.docker.internal.DiskUse;
import io.maestro.docker.internal.DiskUse.Usage;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What an attempt may hold on disks: its quota, and while less than the reserve is free, no more than the last time. Who holds
 * too much is told so and gets containers that are empty again; who then still grows is at the end. Knows no clock and no disk.
 * Not safe for use by several threads.
 */
final class DiskRule {
    /** How long somebody may take to delete what is too much. */
    static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final int PARTS = 16;

    private final DiskLimits disk;
    private final Consumer<String> renew;
    private final Consumer<String> end;

    /** What it held the last time, or less; negative before the first time. */
    private long held = -1;

    /** What it may hold after it was told; all while it was not. */
    private long most = Long.MAX_VALUE;

    private long toldAt;

    /**
     * Nothing was measured yet.
     *
     * @param renew is told why all containers are to be made anew; when it throws, nobody was told
     * @param end is told why none is to run any more
     */
    DiskRule(DiskLimits disk, Consumer<String> renew, Consumer<String> end) {
        this.disk = disk;
        this.renew = renew;
        this.end = end;
    }

    /** By how many bytes free space may change before somebody is measured at once. */
    long tolerance() {
        return disk.quota() / PARTS;
    }

    /** By how many bytes an attempt may grow from one time to the next where less than the reserve is free. */
    long slack() {
        return Math.min(tolerance(), disk.reserve() / PARTS);
    }

    /**
     * Does what follows from what was measured.
     *
     * @param use empty when nobody could measure it in time
     * @param free how many bytes are free on the disk that has least
     * @param now of {@link System#nanoTime}
     */
    void judge(Optional<Usage> use, long free, long now) {
        long sum = use.map(Usage::sum).orElse(Long.MAX_VALUE);
        boolean scarce = free < disk.reserve();
        if (sum <= disk.quota() && !scarce) {
            most = Long.MAX_VALUE;
        }
        long slack = scarce ? slack() : tolerance();
        long allowed = Math.min(disk.quota(), scarce && held >= 0 ? held + slack : Long.MAX_VALUE);
        // Many small steps are growth, too.
        held = scarce && held >= 0 ? Math.min(held, sum) : sum;
        if (sum <= allowed) {
            return;
        }
        String what = use.map(Usage::toString).orElse("more files than can be counted");
        String why = scarce && sum <= disk.quota()
                ? "only " + DiskUse.megabytes(free) + " of the disk are free, " + DiskUse.megabytes(disk.reserve())
                        + " are kept (container.disk_reserve_mb), and this attempt goes on growing: it holds " + what
                : "this attempt holds " + what + " on disks, " + DiskUse.megabytes(disk.quota())
                        + " are allowed (container.disk_mb)";
        if (most == Long.MAX_VALUE) {
            renew.accept(why + "; delete what is not needed, a limit can be raised by a person only");
            // As it was before: who was told may write again at once.
            held = use.map(Usage::kept).orElse(Long.MAX_VALUE - tolerance() - 1);
            toldAt = now;
            most = held <= allowed ? Long.MAX_VALUE : held + slack;
        } else if (sum > most) {
            end.accept(why + "; it has been told, and has grown since then");
        } else if (now - toldAt > PATIENCE_NANOS) {
            end.accept(why + "; it has been told, and has not deleted enough since then");
        }
    }
}
