package io.maestro.project.internal;

import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.project.internal.ShellLine.Word;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The programs that a line for the shell runs, as far as they are plain to see. */
public final class ProjectPrograms {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_./+-]++");

    private static final Pattern SHELLS = Pattern.compile("(?:/\\S*/)?(?:ba|da|k|z)?sh");

    /** Every shell has these. */
    private static final Set<String> SHELL = Set.of("cd", "echo", "exit", "false", "set", "sh", "test", "true");

    /** Programs that run another one, with those of their options that have a value of their own. */
    private static final Map<String, Set<String>> RUNNERS = Map.of(
            "env", Set.of("-u", "-C"),
            "nice", Set.of("-n"),
            "nohup", Set.of(),
            "time", Set.of("-f", "-o"),
            "timeout", Set.of("-k", "-s"));

    /** Says the first of its arguments that is not there, or the program that a script needs and that is not there. */
    private static final String LOOK =
            "set -f; for it; do case $it in */*) f=$it;; *) f=$(command -v -- \"$it\");; esac;"
                    + " case $f in '') echo \"$it\"; exit;; */*) ;; *) continue;; esac;"
                    + " { test -f \"$f\" && test -x \"$f\"; } || { echo \"$it\"; exit; };"
                    + " l=$(head -c 256 -- \"$f\" 2>/dev/null | tr -d '\\000' | head -n 1); case $l in '#!'*) ;; *) continue;; esac;"
                    + " set -- ${l#??}; case $1 in '') continue;; esac; test -x \"$1\" || { echo \"$1\"; exit; };"
                    + " case $1,$2 in */env,-*|*/env,*=*|*/env,) ;; */env,*)"
                    + " command -v -- \"$2\" >/dev/null || { echo \"$2\"; exit; };; esac; done";

    private final Set<String> names = new LinkedHashSet<>();
    private boolean alternatives;
    private boolean straight = true;

    private ProjectPrograms(String line, boolean inProject) {
        read(line, inProject);
    }

    /**
     * Reads a line.
     *
     * @param line for {@code sh}
     * @param inProject whether those in the project, such as {@code ./mvnw}, are among them
     * @return names and paths; without those that every shell has
     */
    public static Set<String> of(String line, boolean inProject) {
        return new ProjectPrograms(line, inProject).names;
    }

    /** Whether a line has nothing to run: it is blank, or a comment. */
    public static boolean isEmpty(String line) {
        return new ShellLine(line).isEmpty();
    }

    /**
     * Whether a line has not done what it is for when a program is not there, whatever its exit code.
     *
     * @param program one of {@link #of}, which is not there after the line was run, too
     * @param printed what the line has printed
     */
    public static boolean isNeeded(String program, String line, String printed) {
        ProjectPrograms read = new ProjectPrograms(line, true);
        // With an alternative, the other side may be meant.
        return !read.alternatives
                && (read.straight
                        || Pattern.compile("(?m)(?<![\\w./+-])\\Q" + program
                                        + "\\E['’]?: (?:(?:command )?not found|No such file or directory)$")
                                .matcher(printed)
                                .find());
    }

    private void read(String line, boolean inProject) {
        ShellLine read = new ShellLine(line);
        alternatives |= read.hasAlternatives();
        straight &= read.isStraight();
        boolean first = inProject;
        for (List<Word> command : read.commands()) {
            read(new ArrayDeque<>(command), first);
            // A later path may be meant from another directory.
            first = false;
        }
    }

    private void read(Deque<Word> words, boolean inProject) {
        while (!words.isEmpty()) {
            Word word = words.pop();
            String name = word.text();
            if (word.isBefore()) {
                continue;
            }
            if (!word.plain() || !NAME.matcher(name).matches()) {
                return;
            }
            boolean relative = name.contains("/") && !name.startsWith("/");
            if (relative ? inProject : !SHELL.contains(name)) {
                names.add(name);
            }
            if (SHELLS.matcher(name).matches()) {
                script(words, inProject);
                return;
            }
            Set<String> withValue = RUNNERS.get(name);
            if (withValue == null) {
                return;
            }
            while (!words.isEmpty() && words.peek().text().startsWith("-")) {
                if (withValue.contains(words.pop().text())) {
                    words.poll();
                }
            }
            if (name.equals("timeout")) {
                words.poll();
            }
        }
    }

    /** What a shell is given to run. */
    private void script(Deque<Word> words, boolean inProject) {
        while (!words.isEmpty() && words.peek().text().matches("[-+].*")) {
            String option = words.pop().text();
            // A login shell looks for programs in other places.
            straight &= !option.matches("-[a-z]*[il][a-z]*|--(?:rcfile|init-file|login).*");
            if (option.matches("-[a-z]*c") && !words.isEmpty()) {
                read(words.pop().text(), inProject);
                return;
            }
            if (option.matches("[-+]o")) {
                words.poll();
            }
        }
    }

    /**
     * Looks for programs.
     *
     * @param executor where they would run
     * @param programs names, and paths from its working directory on
     * @return the first that is not there; empty also when it cannot be told
     */
    public static Optional<String> missing(Executor executor, Collection<String> programs) {
        if (programs.isEmpty()) {
            return Optional.empty();
        }
        List<String> command = new ArrayList<>(List.of("sh", "-c", LOOK, "sh"));
        command.addAll(programs);
        ExecResult result = executor.run(ExecRequest.command(command.toArray(String[]::new))
                .timeLimit(Duration.ofSeconds(20))
                .build());
        return Optional.of(result.stdout().text().strip()).filter(name -> result.succeeded() && !name.isEmpty());
    }
}
