package io.maestro.exec.local;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code /proc}. A process that is gone, or is not ours to look at, reads as nothing. Plain streams, not channels:
 * a channel is closed by the interruption that is being handled.
 */
final class Proc {
    /** {@code USER_HZ}, the unit of start times; 100 wherever Java 17 runs on Linux. */
    private static final int TICKS_PER_SECOND = 100;

    /** 52 numbers and a short name. */
    private static final int LONGEST_STAT = 2048;

    /** At one that has arguments and so is in no exec, unless it begins another. Together a few milliseconds. */
    private static final int MOST_LOOKS = 20;

    private static final long BETWEEN_LOOKS_NANOS = 100_000;
    private static final long MOST_LOOKING_NANOS = 200_000_000;

    private Proc() {}

    static boolean isAvailable() {
        return stat("self").isPresent();
    }

    /** The living processes. */
    static List<ProcStat> processes() {
        String[] names = new File("/proc").list();
        List<ProcStat> processes = new ArrayList<>();
        for (String name : names == null ? new String[0] : names) {
            if (Character.isDigit(name.charAt(0))) {
                stat(name).filter(ProcStat::isAlive).ifPresent(processes::add);
            }
        }
        return processes;
    }

    private static Optional<ProcStat> stat(String process) {
        byte[] line = new byte[LONGEST_STAT];
        try (FileInputStream in = new FileInputStream("/proc/" + process + "/stat")) {
            return ProcStat.parse(line, in.read(line)); // the kernel gives it in one piece
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * The environment that a process was started with, a NUL character after each variable. A process that is about to become
     * another program, by exec, has none for a moment, which is long where many wait for a processor, and is looked at again: it
     * would not be found by its environment. It has no arguments either, as opposed to one that was started with none.
     *
     * @param until when to look only once, as {@link #lookAgainUntil} gives it for a pass over all processes: any number of them
     *     may have been started without an environment
     */
    static String environment(ProcStat process, long until) {
        byte[] environment = read(process, "environ");
        int looks = 1;
        while (environment != null
                && environment.length == 0
                && !process.isOfTheKernel()
                && looks < MOST_LOOKS
                && System.nanoTime() - until <= 0
                && stat(Long.toString(process.pid())).filter(ProcStat::isAlive).isPresent()) {
            LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
            byte[] arguments = read(process, "cmdline");
            looks += arguments == null || arguments.length > 0 ? 1 : 0;
            environment = read(process, "environ");
        }
        return environment == null ? "" : new String(environment, StandardCharsets.ISO_8859_1);
    }

    /** Null when it is gone, or not ours to look at. */
    private static byte @Nullable [] read(ProcStat process, String file) {
        try (FileInputStream in = new FileInputStream("/proc/" + process.pid() + "/" + file)) {
            return in.readAllBytes();
        } catch (IOException e) {
            return null;
        }
    }

    /** When a pass over all processes that begins now has looked again for long enough, by {@link System#nanoTime()}. */
    static long lookAgainUntil() {
        return System.nanoTime() + MOST_LOOKING_NANOS;
    }

    /** A handle of this very process; empty when it is gone, even when its id is in use again. */
    static Optional<ProcessHandle> handle(ProcStat process) {
        Optional<ProcessHandle> handle = ProcessHandle.of(process.pid());
        return stat(Long.toString(process.pid()))
                .filter(now -> now.startTicks() == process.startTicks())
                .flatMap(now -> handle);
    }

    /** The time that a process started from now on is not older than, in ticks since boot; with a margin of a second. */
    static long now() {
        try (FileInputStream in = new FileInputStream("/proc/uptime")) {
            String uptime = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            return (long) ((Double.parseDouble(uptime.substring(0, uptime.indexOf(' '))) - 1) * TICKS_PER_SECOND);
        } catch (IOException e) {
            return 0;
        }
    }
}
