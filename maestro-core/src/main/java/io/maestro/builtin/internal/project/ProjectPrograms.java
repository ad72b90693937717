package io.maestro.builtin.internal.project;

import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The programs that a line for the shell runs, as far as they are plain to see. Stateless. */
public final class ProjectPrograms {
    /** The first word of a line, or of one of its commands. */
    private static final Pattern FIRST_WORD = Pattern.compile("(?:^|[;&|\n])[ \t]*+([A-Za-z0-9_./+-]++)(?=[\\s;&|]|$)");

    /** Every shell has these. */
    private static final Set<String> SHELL = Set.of("cd", "echo", "exit", "false", "set", "sh", "test", "true");

    /** Says the first of its arguments that is not there. */
    private static final String LOOK =
            "for it; do case $it in */*) test -x \"$it\";; *) command -v -- \"$it\" >/dev/null;; esac"
                    + " || { echo \"$it\"; exit; }; done";

    private ProjectPrograms() {}

    /**
     * Reads a line.
     *
     * @param line for {@code sh}
     * @param inProject whether those in the project, such as {@code ./mvnw}, are among them
     * @return names and paths; without those that every shell has
     */
    public static Set<String> of(String line, boolean inProject) {
        Set<String> programs = new LinkedHashSet<>();
        for (Matcher word = FIRST_WORD.matcher(line); word.find(); ) {
            String name = word.group(1);
            boolean relative = name.contains("/") && !name.startsWith("/");
            // A later one may be meant from another directory.
            if (relative ? inProject && word.start() == 0 : !SHELL.contains(name)) {
                programs.add(name);
            }
        }
        return programs;
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
