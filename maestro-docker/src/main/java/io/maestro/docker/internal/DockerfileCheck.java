package io.maestro.docker.internal;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Looks for what a Dockerfile must not ask for: the builders refuse some of it too, but not all of them, and not in all
 * versions. It knows less of the syntax than they do and refuses a little more.
 */
public final class DockerfileCheck {
    private static final Pattern COMMENT = Pattern.compile("(?Udm)^[\\s&&[^\\n]]*#[^\\n]*(?:\\n|\\z)");
    private static final Pattern ONBUILD = Pattern.compile("(?iU)^[\\s\uFEFF]*(?:ONBUILD\\s+)*");
    private static final Pattern RUN = Pattern.compile("(?iU)^RUN\\s+");
    private static final Pattern ADD = Pattern.compile("(?iU)^ADD\\s+");
    /** Where a builder may see a flag: before the command. What is quoted may hold blanks. */
    private static final Pattern FLAGS = Pattern.compile("(?U)^(?:--[^\\s\"'\\\\`]+\\s+)*(?!--)[^\"'\\\\`\\s]");

    private static final Pattern HOSTS =
            Pattern.compile("(?iU)(?:^|\\s)(--(?:network=(?:host|\\$\\S*)|security=(?:insecure|\\$\\S*)))");
    private static final Pattern REMOTE = Pattern.compile("(?iU)://|(?:^|[\\s\\[,])[^\\s/,]+@[^\\s/,]+:");
    private static final Pattern FRONTEND = Pattern.compile("(?im)^\\s*(?:#|//)\\s*syntax\\s*=\\s*(\\S+)|^\\s*(\\{)");
    private static final Pattern OFFICIAL =
            Pattern.compile("(?:docker\\.io/)?docker/dockerfile(?::[A-Za-z0-9._-]+)?(?:@sha256:[0-9a-f]{64})?");
    /** An end that a line continues would hide the next instruction from us. */
    private static final Pattern HEREDOC =
            Pattern.compile("(?m)<<-?[ \\t]*(?:[^\\n<]*[\\\\`][\"']+|[^\\s<]*[\\\\`])(?=\\s|$)");

    private DockerfileCheck() {}

    /**
     * What gives a command of the build the machine's own network or rights.
     *
     * @return what it asks for and why it is refused; empty when all is well
     */
    public static Optional<String> ofCommands(String text) {
        return first(text, DockerfileCheck::command);
    }

    /**
     * All that a Dockerfile that is not trusted must not ask for: the engine fetches what {@code ADD} names on the
     * machine's own network, where it reaches what no container does, and a frontend of one's own could do the same.
     *
     * @return what it asks for and why it is refused; empty when all is well
     */
    public static Optional<String> ofUntrusted(String text) {
        Matcher frontend = FRONTEND.matcher(text.startsWith("\uFEFF") ? text.substring(1) : text);
        while (frontend.find()) {
            String name = frontend.group(1);
            if (name == null ? frontend.start() == 0 : !OFFICIAL.matcher(name).matches()) {
                return Optional.of("asks for a frontend of its own, " + (name == null ? "as JSON" : "'" + name + "'")
                        + ", which could reach the machine's network; leave it away, or use docker/dockerfile:1");
            }
        }
        Optional<String> command = ofCommands(text);
        return command.isPresent() ? command : first(text, DockerfileCheck::addition);
    }

    private interface Rule {
        Optional<String> of(String instruction);
    }

    private static Optional<String> first(String text, Rule rule) {
        if (HEREDOC.matcher(text).find()) {
            return Optional.of("ends a heredoc with a word that has a backslash or a backtick; choose another word");
        }
        String plain = COMMENT.matcher(text.startsWith("\uFEFF") ? text.substring(1) : text)
                .replaceAll("");
        // Which of the two joins lines is said by the file itself; what is wrong by either is refused.
        for (String escape : List.of("\\\\", "`")) {
            String joined = plain.replaceAll(escape + "[ \\t]*\\r?\\n(?:[ \\t]*\\r?\\n)*", " ");
            for (String line : joined.split("\n", -1)) {
                Optional<String> fault = rule.of(ONBUILD.matcher(line).replaceFirst(""));
                if (fault.isPresent()) {
                    return fault;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<String> command(String instruction) {
        Matcher run = RUN.matcher(instruction);
        if (!run.find()) {
            return Optional.empty();
        }
        String rest = instruction.substring(run.end());
        Matcher flags = FLAGS.matcher(rest);
        Matcher host = HOSTS.matcher(unquoted(flags.find() ? flags.group() : rest));
        return host.find()
                ? Optional.of("asks for " + host.group(1)
                        + ", which would give a command of the build the machine's own; leave it away")
                : Optional.empty();
    }

    private static Optional<String> addition(String instruction) {
        Matcher add = ADD.matcher(instruction);
        if (!add.find()) {
            return Optional.empty();
        }
        String rest = instruction.substring(add.end()).strip();
        boolean list = rest.contains("[");
        // The last word is where it goes to.
        String sources = list ? rest : rest.replaceFirst("(?U)\\s\\S+$", "");
        return REMOTE.matcher(unquoted(rest)).find() || sources.contains("$") || list && rest.contains("\\")
                ? Optional.of(
                        "has 'ADD " + shown(rest) + "': what is not in the context would be fetched by the machine"
                                + " itself; use COPY for files, and RUN with curl for what is elsewhere")
                : Optional.empty();
    }

    private static String unquoted(String text) {
        return text.replaceAll("[\"'\\\\`]", "");
    }

    private static String shown(String text) {
        String line = text.replaceAll("\\p{Cntrl}", "?");
        return String.format(Locale.ROOT, "%.200s", line);
    }
}
