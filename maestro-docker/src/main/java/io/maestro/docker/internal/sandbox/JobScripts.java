package io.maestro.docker.internal.sandbox;

import io.maestro.docker.internal.exec.Scripts;
import java.util.ArrayList;
import java.util.List;

/** The shell scripts of jobs. They hold nothing of a job; what they are told comes on standard input. */
final class JobScripts {
    private static final String COMMON = Scripts.SWEEP + load("jobs.sh");
    private static final String ASK = COMMON + load("ask.sh");
    private static final String SUPERVISE = COMMON + load("supervise.sh");
    private static final String MAIN = load("main.sh");

    /** Starts a job. */
    static final List<String> START = command(ASK + load("start.sh"), SUPERVISE, MAIN);

    /** Says how a job is. */
    static final List<String> POLL = command(ASK + load("poll.sh"));

    /** Says how all jobs of a user are. */
    static final List<String> LIST = command(ASK + load("list.sh"));

    /** Ends a job. */
    static final List<String> CANCEL = command(ASK + load("cancel.sh"));

    private JobScripts() {}

    private static String load(String name) {
        return Scripts.load(JobScripts.class, name);
    }

    private static List<String> command(String script, String... arguments) {
        List<String> words = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        words.addAll(List.of(arguments));
        return List.copyOf(words);
    }
}
