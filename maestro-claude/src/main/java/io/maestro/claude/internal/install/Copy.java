package io.maestro.claude.internal.install;

import io.maestro.claude.internal.install.Journal.Done;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecResult;
import io.maestro.internal.Threads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Copies a binary of the host into the sandbox, through the input of a command: whole and verified, or not at all. */
final class Copy {
    /** Says whether the file that was copied from the same one is there. */
    private static final String IS_SAME = """
            test -f "$1" && test -f "$1.from" && test "$(cat "$1.from")" = "$2" && test "$(wc -c < "$1")" -eq "$3"
            """;

    /** What a killed host has left is removed; a copy that another one makes now is younger. */
    private static final String TAKE = """
            umask 022
            mkdir -p "$1" || exit 3
            find "$1" -maxdepth 1 -name '.claude-*.part' -mmin +60 -exec rm -f {} + 2>/dev/null
            cat > "$2"
            """;

    private static final String PUT = """
            set -eu
            size=$(wc -c < "$1")
            if test "$size" -ne "$3"; then echo "$size bytes have come of $3"; exit 3; fi
            verified="by its size; there is no sha256sum"
            if command -v sha256sum >/dev/null; then
                sum=$(sha256sum "$1")
                if test "${sum%% *}" != "$4"; then echo "the SHA-256 is ${sum%% *} and not $4"; exit 3; fi
                verified="by its SHA-256"
            fi
            chmod 755 "$1"
            rm -f "$2.from"
            mv -f "$1" "$2"
            printf '%s\\n' "$5" > "$2.from"
            echo "$verified"
            """;

    private final Sandbox sandbox;
    private final Duration checkLimit;
    private final Duration copyLimit;

    Copy(Sandbox sandbox, Plan plan) {
        this.sandbox = sandbox;
        this.checkLimit = plan.checkLimit();
        this.copyLimit = plan.installLimit();
    }

    /** Makes sure that the file is there; the value is whether it was copied just now. */
    Done<Boolean> ensure(HostBinary binary, String target) {
        String size = Long.toString(binary.size());
        if (sandbox.run(IS_SAME, checkLimit, target, binary.mark(), size).succeeded()) {
            return new Done<>(false, target + " is " + binary.file() + " already");
        }
        String directory = target.substring(0, target.lastIndexOf('/'));
        String part = directory + "/.claude-" + UUID.randomUUID() + ".part";
        boolean done = false;
        try {
            String sum = send(binary, directory, part);
            String verified =
                    sandbox.require("verifying the copy", PUT, copyLimit, part, target, size, sum, binary.mark());
            done = true;
            return new Done<>(
                    true,
                    binary.size() + " bytes of " + binary.file() + " to " + target + ", verified " + verified.strip());
        } finally {
            if (!done) {
                sandbox.cleanUp(checkLimit, part);
            }
        }
    }

    private String send(HostBinary binary, String directory, String part) {
        try (ExecProcess process = sandbox.executor().start(sandbox.request(TAKE, copyLimit, directory, part))) {
            FutureTask<String> pump = new FutureTask<>(new Pump(binary.file(), process.stdin()));
            Threads.platformFactory("maestro-claude-copy").newThread(pump).start();
            Optional<ExecProcess.End> end = process.await(copyLimit);
            if (end.isEmpty() && Thread.currentThread().isInterrupted()) {
                throw Sandbox.interrupted();
            }
            if (end.isEmpty() || end.get().ending() != ExecResult.Ending.EXITED) {
                throw new StepFailure("copying " + binary.file() + " to " + part + " did not end within "
                        + Sandbox.seconds(copyLimit));
            }
            if (!end.get().succeeded()) {
                throw new StepFailure("copying " + binary.file() + " to " + directory + " ended with exit code "
                        + end.get().exitCode().orElse(-1) + ": " + said(process)
                        + "; name a directory that the run's user"
                        + " may write to, with room for " + binary.size() + " bytes");
            }
            return pump.get();
        } catch (ExecutionException e) {
            throw new StepFailure("copying " + binary.file() + " failed: " + e.getCause());
        } catch (InterruptedException e) {
            throw Sandbox.interrupted();
        } catch (ExecException e) {
            throw new StepFailure("copying " + binary.file() + " could not begin: " + e.getMessage());
        }
    }

    private static String said(ExecProcess process) {
        try {
            return Sandbox.tail(new String(process.stderr().readNBytes(1 << 14), StandardCharsets.UTF_8));
        } catch (IOException e) {
            return "what it said is lost: " + e;
        }
    }
}
