package io.maestro.docker.internal.exec;

import io.maestro.error.MaestroException;
import io.maestro.exec.ExecResult;
import io.maestro.exec.ExecResult.Ending;
import io.maestro.exec.internal.BoundedOutput;
import io.maestro.internal.Uninterrupted;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A persistent shell in a container, which runs one command after the other for the price of a process each. See
 * {@code channel.sh} for its other end. For one thread at a time.
 *
 * <p>A command's output is the channel's own, between words that nobody knows beforehand; so is all that happens when the
 * shell dies, is stopped or says what it must not: the channel is given up, and a command that may have begun is not run
 * again.
 */
final class Channel {
    private static final long OPEN_MILLIS = 30_000;

    /** For a shell that only has to answer, on a machine that is busy. */
    private static final long ANSWER_MILLIS = 20_000;

    /** A shell's exit code for a process that a signal has ended is this and the signal's number. */
    private static final int KILLED = 128;

    private final ExecTarget target;
    private final @Nullable String user;
    private final ProcessMarker marks = new ProcessMarker();
    /** All commands of this channel have it in their environment. */
    private final String mark = ProcessMarker.THIS_JVM + marks.next() + "/";

    private final Shell shell;
    private long commands;
    private String worker = "";
    private boolean usable = true;

    private Channel(ExecTarget target, @Nullable String user) {
        this.target = target;
        this.user = user;
        String token = marks.next();
        shell = new Shell(target.shell(user, Scripts.CHANNEL), token, "maestro-docker-channel");
        shell.write((token + " " + ProcessMarker.VARIABLE + "=" + mark + " " + target.alone() + "\n")
                .getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Opens a channel.
     *
     * @return null when there is no usable shell, or the container does not answer in time: a plain exec will say why
     */
    static @Nullable Channel open(ExecTarget target, @Nullable String user, Uninterrupted uninterrupted) {
        Channel channel = new Channel(target, user);
        channel.shell.await(() -> channel.shell.isHinted() || channel.shell.isLost(), OPEN_MILLIS, uninterrupted);
        if (!channel.shell.hint().contains(" ") || !channel.shell.isAlive()) {
            channel.shell.destroy();
            return null;
        }
        channel.worker = channel.shell.hint().split(" ", 2)[0];
        channel.shell.expectNothing();
        return channel;
    }

    /** Whether the next command can be sent through it. */
    boolean isUsable() {
        return usable && shell.isAlive() && !shell.takeStrayed();
    }

    void close() {
        usable = false;
        shell.close();
    }

    /** Runs a command to its end. */
    ExecResult run(ContainerCommand command, Uninterrupted uninterrupted) {
        BoundedOutput out = new BoundedOutput(command.request().outputLimit());
        BoundedOutput err = new BoundedOutput(command.request().outputLimit());
        long begin = System.nanoTime();
        String startWord = marks.next();
        shell.begin(startWord, out, err);
        String ownMark = mark + commands++;
        shell.write(command.script(ownMark, startWord));
        boolean wasUsable = usable;
        usable = false; // until it is in step again
        Ending ending = await(command, begin, uninterrupted);
        boolean sent = false;
        if (ending == Ending.EXITED && !shell.isLost()) {
            // The shell now ends what is left in the background, so nobody can take up the word and write it.
            sent = true;
            finish();
            // The worker has refused the script, or was killed while it waited for one. In the second case the shell
            // takes the script's first line for our answer and a new worker runs the rest, with the answer in what it
            // has read ahead.
            boolean unbegun = shell.endedUnbegun();
            long left = unbegun ? 0 : (begin + command.limitNanos() - System.nanoTime()) / 1_000_000;
            if (!shell.await(
                            () -> shell.isFinished() || shell.isLost() || unbegun && shell.isStarted(),
                            Math.max(left, ANSWER_MILLIS),
                            uninterrupted)
                    && !unbegun) {
                ending = Ending.TIMED_OUT; // it was not the end but something that looked like it
            }
        }
        if (ending != Ending.EXITED) {
            end(ownMark, sent, uninterrupted);
        }
        usable = wasUsable && shell.isFinished() && shell.end().endsWith(" clean");
        if (!shell.isFinished()) {
            Terminator.end(target, user, ownMark, session(), worker);
        }
        if (shell.end().contains(" left")) {
            target.endIfExclusive("'" + command.program() + "' has left processes that could not be ended");
        }
        if (ending == Ending.EXITED) {
            requireResult(command, ownMark);
        }
        return new ExecResult(
                ending,
                exitCode(ending, command),
                out.snapshot(),
                err.snapshot(),
                Duration.ofNanos(System.nanoTime() - begin));
    }

    private Ending await(ContainerCommand command, long begin, Uninterrupted uninterrupted) {
        try {
            return shell.await(() -> shell.isHinted() || shell.isLost(), begin + command.limitNanos())
                    ? Ending.EXITED
                    : Ending.TIMED_OUT;
        } catch (InterruptedException e) {
            uninterrupted.interrupted();
            return Ending.CANCELLED;
        }
    }

    private void finish() {
        String word = marks.next();
        shell.endWith(word);
        shell.write((word + " " + session() + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private String session() {
        return SingleExec.session(shell.start());
    }

    private void end(String ownMark, boolean sent, Uninterrupted uninterrupted) {
        // A command that was not ended because it had not begun would begin afterwards.
        shell.await(() -> shell.isStarted() || shell.isHinted() || shell.isLost(), ANSWER_MILLIS, uninterrupted);
        if (!Terminator.end(target, user, ownMark, session()) && target.exclusive()) {
            return; // with the container
        }
        shell.await(() -> shell.isHinted() || shell.isLost(), ANSWER_MILLIS, uninterrupted);
        if (shell.isHinted() && !sent) {
            finish();
        }
        shell.await(() -> shell.isFinished() || shell.isLost(), ANSWER_MILLIS, uninterrupted);
    }

    private OptionalInt exitCode(Ending ending, ContainerCommand command) {
        if (ending != Ending.EXITED) {
            return OptionalInt.empty();
        }
        boolean wasUsable = usable;
        usable = false; // where something else has written the end
        int code = SingleExec.exitCode(shell.end(), command, target);
        usable = wasUsable;
        return OptionalInt.of(code);
    }

    private void requireResult(ContainerCommand command, String ownMark) {
        String word = shell.start().split(" ", 2)[0];
        if (!word.isEmpty() && !word.equals("ok")) {
            throw Refusals.of(word, command.program(), command.directory(), target.toString());
        }
        if (shell.isFinished()) {
            if (word.isEmpty()) {
                throw unbegun(command);
            }
            return;
        }
        String what = "the channel to " + target + " was lost while it ran '" + command.program()
                + "'; whether it did its" + " work is unknown, and it is not run again";
        Terminator.end(target, user, ownMark, session());
        throw target.lost(what, shell.complaint());
    }

    /** The worker's shell has read the script and ended before it became the command. */
    private MaestroException unbegun(ContainerCommand command) {
        return SingleExec.exitCode(shell.end(), command, target) > KILLED
                ? target.lost(
                        "the shell that was to become '" + command.program() + "' in " + target
                                + " was killed before it did; the command has not begun, and it is not run again",
                        "")
                : Refusals.of("", command.program(), command.directory(), target.toString());
    }

    /** For messages. */
    @Override
    public String toString() {
        return "channel to " + target;
    }
}
