package io.maestro.docker.internal.exec;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends processes in a container, by a shell of its own: the one that started them may be busy or dead. */
final class Terminator {
    private static final Logger LOG = LoggerFactory.getLogger(Terminator.class);

    /** Longer than the script takes. */
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Where the container can be ended instead; a shell that is there answers in less. */
    private static final Duration SHORT_LIMIT = Duration.ofSeconds(8);

    private Terminator() {}

    /**
     * Ends a command: what has its mark, its session, and what is below them.
     *
     * @param mark the mark in the environment
     * @param session its session; "none" when unknown
     * @return whether nothing of it is left; false also when the container is gone
     */
    static boolean end(ExecTarget target, @Nullable String user, String mark, String session) {
        return end(target, user, mark, session, "");
    }

    static boolean end(ExecTarget target, @Nullable String user, String mark, String session, String worker) {
        ExecTarget.Answer answer = ask(target, user, ProcessMarker.VARIABLE + "=" + mark, session, "", worker);
        if (answer.code() != 0
                && !target.endIfExclusive(
                        "a command in it could not be ended: " + answer.text().strip())) {
            LOG.warn(
                    "a command in {} may not have ended: {}",
                    target,
                    answer.text().strip());
        }
        return answer.code() == 0;
    }

    /** Ends all commands of other JVMs. */
    static ExecTarget.Answer endLeftovers(ExecTarget target, @Nullable String user) {
        return ask(
                target,
                user,
                ProcessMarker.VARIABLE + "=" + ProcessMarker.ANY_JVM,
                "none",
                ProcessMarker.VARIABLE + "=" + ProcessMarker.THIS_JVM,
                "");
    }

    private static ExecTarget.Answer ask(
            ExecTarget target, @Nullable String user, String mark, String session, String exceptMark, String worker) {
        return ExecTarget.answer(
                target.shell(user, Scripts.END, mark, session, exceptMark, target.alone(), worker),
                target.exclusive() ? SHORT_LIMIT : LIMIT);
    }
}
