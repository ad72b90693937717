package io.maestro.docker.internal.sandbox;

import io.maestro.docker.JobStatus;
import io.maestro.docker.JobStatus.State;
import io.maestro.exec.ExecException;
import io.maestro.exec.internal.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a script of jobs said: a line, and perhaps bytes behind it. Processes of the same user can make it say anything, so that
 * nothing in it is taken as it is.
 */
final class JobAnswer {
    private static final Pattern STATUS =
            Pattern.compile("(running|ended|cancelled|lost) (-|[0-9]{1,3}) ([0-9]{1,12}) (yes|no)");
    private static final Pattern LISTED = Pattern.compile("job ([0-9]{1,18}) ([0-9]{1,18}) ([0-9a-f]{12}) (.*)");
    private static final Pattern USER = Pattern.compile("[0-9]{1,10}:[0-9]{1,10}");

    private final String line;
    private final byte[] rest;

    private JobAnswer(String line, byte[] rest) {
        this.line = line;
        this.rest = rest;
    }

    /** The first line. */
    String line() {
        return line;
    }

    static JobAnswer of(byte[] bytes) {
        int end = 0;
        while (end < bytes.length && bytes[end] != '\n') {
            end++;
        }
        String line = new String(bytes, 0, end, StandardCharsets.UTF_8);
        return new JobAnswer(line, Arrays.copyOfRange(bytes, Math.min(end + 1, bytes.length), bytes.length));
    }

    /** What follows it. */
    byte[] rest() {
        return rest;
    }

    /** Its first word. */
    String word() {
        return line.split(" ", 2)[0];
    }

    /** What follows the first word. */
    String words() {
        return line.substring(word().length()).strip();
    }

    /** The users in a line, each {@code uid:gid}. */
    List<String> users() {
        return List.of(words().split(" ")).stream()
                .filter(user -> USER.matcher(user).matches())
                .distinct()
                .toList();
    }

    /**
     * The status in a line.
     *
     * @param words for example {@code ended 0 17 no}
     * @throws ExecException when it is none
     */
    static JobStatus status(String id, String words) {
        Matcher matcher = STATUS.matcher(words);
        if (!matcher.matches()
                || matcher.group(1).equals("ended") == matcher.group(2).equals("-")) {
            throw unexpected("how job " + id + " is", words);
        }
        boolean ended = matcher.group(1).equals("ended");
        State state = switch (matcher.group(1)) {
            case "running" -> State.RUNNING;
            case "ended" -> State.ENDED;
            case "cancelled" -> State.CANCELLED;
            default -> State.LOST;
        };
        OptionalInt code = ended ? OptionalInt.of(Integer.parseInt(matcher.group(2))) : OptionalInt.empty();
        boolean cut = matcher.group(4).equals("yes");
        return new JobStatus(id, state, code, "", 0, Long.parseLong(matcher.group(3)), cut);
    }

    /** The status with the output behind it, which ends with a whole character as long as more may follow. */
    JobStatus polled(String id, long offset) {
        JobStatus status = status(id, words());
        boolean last = status.state() != State.RUNNING && offset + rest.length >= status.totalBytes();
        int length = last ? rest.length : whole(rest);
        return new JobStatus(
                id,
                status.state(),
                status.exitCode(),
                new String(rest, 0, length, StandardCharsets.UTF_8),
                Math.min(offset, status.totalBytes()) + length,
                status.totalBytes(),
                status.outputCut());
    }

    /**
     * A part of the output behind the status.
     *
     * @param offset where in the job's output the part begins; in the middle of a character, behind it
     * @param before how many bytes of the output behind the status are before the part
     * @param most how many bytes the part has
     */
    Jobs.Page page(String id, long offset, int before, int most) {
        int from = Math.min(before, rest.length);
        int within = Utf8.continuationBytes(Arrays.copyOfRange(rest, from, Math.min(rest.length, from + Utf8.LONGEST)));
        from += within;
        int to = Math.min(rest.length, from + most);
        JobStatus status = new JobAnswer(line, Arrays.copyOfRange(rest, from, to)).polled(id, offset + within);
        to = from + (int) (status.nextOffset() - Math.min(offset + within, status.totalBytes()));
        return new Jobs.Page(
                status,
                new String(rest, 0, from, StandardCharsets.UTF_8),
                new String(rest, to, rest.length - to, StandardCharsets.UTF_8));
    }

    /** The jobs in the lines of lists, the first one first. An id that two users have is the first list's. */
    static List<JobStatus> listed(String lines) {
        Map<String, Matcher> jobs = new LinkedHashMap<>();
        lines.lines().map(LISTED::matcher).filter(Matcher::matches).forEach(job -> jobs.putIfAbsent(job.group(3), job));
        return jobs.values().stream()
                .sorted(Comparator.<Matcher>comparingLong(job -> Long.parseLong(job.group(1)))
                        .thenComparingLong(job -> Long.parseLong(job.group(2))))
                .map(job -> status(job.group(3), job.group(4)))
                .toList();
    }

    /** How many of the bytes are before a character that has begun at their end and is not complete. */
    static int whole(byte[] bytes) {
        for (int back = 1; back <= Math.min(3, bytes.length); back++) {
            int b = bytes[bytes.length - back] & 0xFF;
            if (b >= 0xC0) {
                int size = b >= 0xF0 ? 4 : b >= 0xE0 ? 3 : 2;
                return size > back ? bytes.length - back : bytes.length;
            }
            if (b < 0x80) {
                break;
            }
        }
        return bytes.length;
    }

    /** For what a script never says. */
    static ExecException unexpected(String what, String said) {
        return new ExecException(
                what + " was told as '" + said.substring(0, Math.min(100, said.length()))
                        + "', which no script of Maestro says; a process in the container may have written it",
                null);
    }
}
