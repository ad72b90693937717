package io.maestro.exec.local;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * One line of {@code /proc/<pid>/stat}.
 *
 * @param pid the process
 * @param state a letter; Z and X are processes that have ended
 * @param parent its parent now
 * @param session the id of its session
 * @param flags those of the kernel
 * @param startTicks when it was started, in ticks since boot
 */
record ProcStat(long pid, char state, long parent, long session, long flags, long startTicks) {
    /** {@code PF_KTHREAD} of the kernel's {@code sched.h}. */
    private static final long KERNEL_THREAD = 0x0020_0000;

    /** Whether it is a thread of the kernel, which runs no program. */
    boolean isOfTheKernel() {
        return (flags & KERNEL_THREAD) != 0;
    }

    boolean isAlive() {
        return state != 'Z' && state != 'X';
    }

    /** Parses a line; empty when it is cut short, as when the process ends while it is read. */
    static Optional<ProcStat> parse(byte[] line, int length) {
        String text = new String(line, 0, Math.max(0, length), StandardCharsets.ISO_8859_1);
        int nameEnd = text.lastIndexOf(')'); // the program's name may hold anything, ") S 1" too
        int nameStart = text.indexOf(' ');
        if (nameStart < 0 || nameEnd < 0) {
            return Optional.empty();
        }
        // The names in proc(5), from the third on: state ppid pgrp session ... starttime is the 22nd.
        String[] fields = text.substring(nameEnd + 1).trim().split(" ", -1);
        if (fields.length < 20) {
            return Optional.empty();
        }
        return Optional.of(new ProcStat(
                Long.parseLong(text.substring(0, nameStart)),
                fields[0].charAt(0),
                Long.parseLong(fields[1]),
                Long.parseLong(fields[3]),
                Long.parseLong(fields[6]),
                Long.parseLong(fields[19])));
    }
}
