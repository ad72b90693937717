package io.maestro.docker.internal.exec;

import io.maestro.exec.ExecResult;
import io.maestro.exec.ExecResult.Ending;
import io.maestro.exec.internal.BoundedOutput;
import io.maestro.exec.internal.ShutdownHook;
import io.maestro.internal.Uninterrupted;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalInt;

/** One command by one {@code docker exec}: slower than a {@link Channel}, and with any input. */
final class SingleExec {
    private static final long ANSWER_MILLIS = 20_000;

    private final ExecTarget target;
    private final ContainerCommand command;
    private final ProcessMarker marks = new ProcessMarker();
    private final String mark = ProcessMarker.THIS_JVM + marks.next();

    SingleExec(ExecTarget target, ContainerCommand command) {
        this.target = target;
        this.command = command;
    }

    /** What the shell reads before the command's input. */
    static byte[] preamble(
            ExecTarget target,
            ContainerCommand command,
            String mark,
            String startWord,
            String stopWord,
            boolean frame) {
        byte[] first = (stopWord + " " + ProcessMarker.VARIABLE + "=" + mark + " " + (frame ? "yes" : "no") + " "
                        + target.alone() + "\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] script = command.scriptWithInput(mark, startWord);
        byte[] last = (stopWord + "\n").getBytes(StandardCharsets.US_ASCII);
        byte[] all = Arrays.copyOf(first, first.length + script.length + last.length);
        System.arraycopy(script, 0, all, first.length, script.length);
        System.arraycopy(last, 0, all, first.length + script.length, last.length);
        return all;
    }

    ExecResult run(Uninterrupted uninterrupted) {
        long begin = System.nanoTime();
        BoundedOutput out = new BoundedOutput(command.request().outputLimit());
        BoundedOutput err = new BoundedOutput(command.request().outputLimit());
        String startWord = marks.next();
        String stopWord = marks.next();
        Shell shell = new Shell(target.shell(command.user(), Scripts.ONCE), stopWord, "maestro-docker-exec");
        // A channel ends by itself with this JVM; this does not.
        ShutdownHook hook = new ShutdownHook(() -> Terminator.end(target, command.user(), mark, "none"));
        try {
            shell.begin(startWord, out, err);
            byte[] preamble = preamble(target, command, mark, startWord, stopWord, true);
            byte[] stdin = command.request().stdin();
            byte[] all = Arrays.copyOf(preamble, preamble.length + stdin.length);
            System.arraycopy(stdin, 0, all, preamble.length, stdin.length);
            shell.writeLater(all, true);
            Ending ending = await(shell, begin, uninterrupted);
            if (ending == Ending.EXITED) {
                requireResult(shell);
            } else {
                end(shell, uninterrupted);
            }
            OptionalInt code = ending == Ending.EXITED
                    ? OptionalInt.of(exitCode(shell.hint(), command, target))
                    : OptionalInt.empty();
            return new ExecResult(
                    ending, code, out.snapshot(), err.snapshot(), Duration.ofNanos(System.nanoTime() - begin));
        } finally {
            hook.remove();
            shell.destroy();
        }
    }

    private Ending await(Shell shell, long begin, Uninterrupted uninterrupted) {
        try {
            return shell.await(shell::hasEnded, begin + command.limitNanos()) ? Ending.EXITED : Ending.TIMED_OUT;
        } catch (InterruptedException e) {
            uninterrupted.interrupted();
            return Ending.CANCELLED;
        }
    }

    private void end(Shell shell, Uninterrupted uninterrupted) {
        shell.await(() -> shell.isStarted() || shell.hasEnded(), ANSWER_MILLIS, uninterrupted);
        Terminator.end(target, command.user(), mark, session(shell.start()));
        shell.await(shell::hasEnded, ANSWER_MILLIS, uninterrupted);
    }

    /**
     * The exit code in the line of an end. A process of the agent's may have written it, so that it can be anything.
     *
     * @throws io.maestro.docker.CommandLostException when it is none
     */
    static int exitCode(String end, ContainerCommand command, ExecTarget target) {
        String word = end.split(" ", 2)[0];
        if (!word.matches("[0-9]{1,3}")) {
            throw target.lost(
                    "how '" + command.program() + "' in " + target
                            + " ended is unknown, and it is not run again: something"
                            + " there has written '"
                            + word.substring(0, Math.min(20, word.length()))
                            + "' in the place of its exit code",
                    "");
        }
        return Integer.parseInt(word);
    }

    /** The process in the line of a start. */
    static String session(String start) {
        String[] words = start.split(" ", 2);
        return words.length == 2 && words[1].matches("[0-9]+") ? words[1] : "none";
    }

    private void requireResult(Shell shell) {
        String word = shell.start().split(" ", 2)[0];
        if (word.isEmpty() && !shell.endedWell() && shell.hint().isEmpty()) {
            throw target.failure("cannot run '" + command.program() + "' in " + target, shell.complaint());
        }
        if (!word.equals("ok")) {
            throw Refusals.of(word, command.program(), command.directory(), target.toString());
        }
        if (!shell.endedWell()) {
            Terminator.end(target, command.user(), mark, session(shell.start()));
            throw target.lost(
                    "the connection to " + target + " was lost while it ran '" + command.program()
                            + "'; whether it did its work is unknown, and it is not run again",
                    "");
        }
    }
}
