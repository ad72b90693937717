package io.maestro.docker.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a Dockerfile as BuildKit does: directives, comments, lines that go on, heredocs. What builders read differently is
 * refused. Takes time in proportion to the text. For one use.
 */
final class DockerfileReader {
    private static final Set<String> KEYWORDS = Set.of(
            "ADD",
            "ARG",
            "CMD",
            "COPY",
            "ENTRYPOINT",
            "ENV",
            "EXPOSE",
            "FROM",
            "HEALTHCHECK",
            "LABEL",
            "MAINTAINER",
            "ONBUILD",
            "RUN",
            "SHELL",
            "STOPSIGNAL",
            "USER",
            "VOLUME",
            "WORKDIR");
    private static final Set<String> WITH_FLAGS = Set.of("ADD", "COPY", "FROM", "HEALTHCHECK", "RUN");
    private static final Set<String> WITH_HEREDOCS = Set.of("ADD", "COPY", "RUN");
    private static final int MOST_FLAGS = 50;

    /** The white space within a line. Builders know more of it, but not at each place. */
    private static final String BLANKS = " \t";

    private static final String IN_FLAGS = "-_./:=,@+~%*?${}";
    private static final Pattern PLAIN_VARIABLE = Pattern.compile("\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}");

    /** Without its variable, as some versions read it, it may be a heredoc. */
    private static final Pattern VARIABLE_BEFORE = Pattern.compile("[0-9]*\\$[^(].*<<.*");

    /**
     * An instruction.
     *
     * @param keyword in capitals
     * @param flags what stands before the rest, each as {@code --name} or {@code --name=value}
     * @param rest on one line, no blanks around
     * @param heredocs the lines of its heredocs, each with the line that ends it
     */
    record Instruction(String keyword, List<String> flags, String rest, List<String> heredocs) {
        Instruction with(List<String> otherFlags, String otherRest) {
            return new Instruction(keyword, otherFlags, otherRest, heredocs);
        }

        /** As the only line of it, and those of its heredocs. */
        String text() {
            StringBuilder text = new StringBuilder(keyword);
            flags.forEach(flag -> text.append(' ').append(flag));
            text.append(' ').append(rest).append('\n');
            heredocs.forEach(line -> text.append(line).append('\n'));
            return text.toString();
        }
    }

    /**
     * What was read.
     *
     * @param escape what makes a line go on
     */
    record ParsedDockerfile(char escape, List<Instruction> instructions) {}

    private final String[] lines;
    private int at;
    private char escape = '\\';

    private DockerfileReader(String text) {
        String plain = text.startsWith("\uFEFF") ? text.substring(1) : text;
        plain.chars().forEach(c -> {
            if (Character.isISOControl(c) && c != '\n' && c != '\r' && c != '\t') {
                throw refused("holds a control character; remove it");
            }
        });
        this.lines = plain.split("\n", -1);
    }

    /**
     * Reads a Dockerfile.
     *
     * @throws IllegalArgumentException when it cannot be read in one way only; the message goes on after the file's name
     */
    static ParsedDockerfile read(String text) {
        DockerfileReader reader = new DockerfileReader(text);
        reader.directives();
        List<Instruction> instructions = new ArrayList<>();
        for (String line = reader.instruction(); line != null; line = reader.instruction()) {
            instructions.add(reader.read1(line));
        }
        return new ParsedDockerfile(reader.escape, instructions);
    }

    /** Reads an instruction that stands alone, as in {@code ONBUILD}. */
    static Instruction single(String text, char escape) {
        DockerfileReader reader = new DockerfileReader(text);
        reader.escape = escape;
        if (text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0 || text.contains("<<")) {
            throw refused("has ONBUILD with more than one line; write it shorter");
        }
        return reader.read1(trimmed(text));
    }

    /** The parts between blanks; one when there are none. */
    static List<String> words(String rest) {
        return List.of(rest.split("[" + BLANKS + "]+", -1));
    }

    /** The same, where blanks in quotes or behind an escape part nothing; quotes and escapes are kept. */
    static List<String> quotedWords(String rest, char escape) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        char quote = 0;
        for (int i = 0; i < rest.length(); i++) {
            char c = rest.charAt(i);
            if (quote == 0 && isBlank(c)) {
                if (word.length() > 0) {
                    words.add(word.toString());
                    word.setLength(0);
                }
                continue;
            }
            word.append(c);
            if (c == escape && quote != '\'' && i + 1 < rest.length()) {
                word.append(rest.charAt(++i));
            } else if (quote == 0 && (c == '"' || c == '\'')) {
                quote = c;
            } else if (quote == c) {
                quote = 0;
            }
        }
        words.add(word.toString());
        return words;
    }

    static IllegalArgumentException refused(String what) {
        return new IllegalArgumentException(what);
    }

    /** Quoted in a message. */
    static String shown(String text) {
        String line = text.replaceAll("\\p{Cntrl}", "?");
        return line.length() <= 100 ? line : line.substring(0, 100) + "…";
    }

    private String line() {
        String line = lines[at++];
        int end = line.length();
        while (end > 0 && line.charAt(end - 1) == '\r') {
            end--;
        }
        line = line.substring(0, end);
        if (line.indexOf('\r') >= 0) {
            throw refused("has a carriage return within a line; remove it");
        }
        return line;
    }

    /** Of all comments at the beginning that look like directives, only the one that says what continues a line counts here. */
    private void directives() {
        for (int next = 0; next < lines.length && lines[next].startsWith("#"); next++) {
            String[] parts = lines[next].substring(1).split("=", 2);
            String name = trimmed(parts[0]);
            if (parts.length < 2 || name.isEmpty() || !name.chars().allMatch(DockerfileReader::isWord)) {
                return;
            }
            if (name.equalsIgnoreCase("escape")) {
                String value = trimmed(parts[1].replace("\r", ""));
                if (!value.equals("\\") && !value.equals("`")) {
                    throw refused("has the directive escape=" + shown(value) + ", which must be \\ or `");
                }
                escape = value.charAt(0);
            }
        }
    }

    /** The next instruction on one line; null at the end. */
    private @Nullable String instruction() {
        while (at < lines.length) {
            String line = trimmed(line());
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            StringBuilder joined = new StringBuilder();
            boolean open = append(joined, line);
            while (open && at < lines.length) {
                String next = line();
                String bare = trimmed(next);
                if (!bare.isEmpty() && !bare.startsWith("#")) {
                    open = append(joined, next);
                }
            }
            String instruction = trimmed(joined.toString());
            if (!instruction.isEmpty()) {
                return instruction;
            }
        }
        return null;
    }

    private boolean append(StringBuilder joined, String line) {
        int end = line.length();
        while (end > 0 && isBlank(line.charAt(end - 1))) {
            end--;
        }
        if (end == 0 || line.charAt(end - 1) != escape) {
            joined.append(line);
            return false;
        }
        if (end > 1 && line.charAt(end - 2) == escape) {
            throw refused("ends a line with two " + escape + ", which builders read differently; write it otherwise");
        }
        joined.append(line, 0, end - 1);
        return true;
    }

    private Instruction read1(String line) {
        line.chars()
                .filter(c -> Character.isSpaceChar(c) && !isBlank(c))
                .findFirst()
                .ifPresent(c -> {
                    throw refused("has the white space U+%04X in '%s', which builders read differently; write a blank"
                            .formatted(c, shown(line)));
                });
        int end = 0;
        while (end < line.length() && isWord(line.charAt(end))) {
            end++;
        }
        String keyword = line.substring(0, end).toUpperCase(Locale.ROOT);
        if (!KEYWORDS.contains(keyword) || (end < line.length() && !isBlank(line.charAt(end)))) {
            throw refused("has '" + shown(line) + "', which begins with no instruction");
        }
        List<String> flags = new ArrayList<>();
        end = skipBlanks(line, end);
        while (WITH_FLAGS.contains(keyword) && line.startsWith("--", end)) {
            int stop = end;
            while (stop < line.length() && !isBlank(line.charAt(stop))) {
                stop++;
            }
            flags.add(flag(line.substring(end, stop)));
            if (flags.size() > MOST_FLAGS) {
                throw refused("has an instruction with more than " + MOST_FLAGS + " flags; use fewer");
            }
            end = skipBlanks(line, stop);
        }
        String rest = trimmed(line.substring(end));
        if (rest.isEmpty() || rest.charAt(rest.length() - 1) == escape) {
            throw refused("has '" + shown(line) + "', which is not complete");
        }
        if (rest.startsWith("--")) {
            throw refused("has '" + shown(line) + "', but " + keyword + " has no flags; leave it away");
        }
        return new Instruction(
                keyword,
                flags,
                rest,
                WITH_HEREDOCS.contains(keyword) && rest.contains("<<") ? heredocs(line, rest) : List.of());
    }

    private static String flag(String flag) {
        if (flag.length() < 3 || !flag.chars().allMatch(c -> isWord(c) || isDigit(c) || IN_FLAGS.indexOf(c) >= 0)) {
            throw refused("has the flag " + shown(flag) + "; write flags with letters, digits and " + IN_FLAGS
                    + " only, without quotes");
        }
        return flag;
    }

    /** Builders look for the words that begin heredocs in the whole line, flags included. */
    private List<String> heredocs(String line, String rest) {
        if (rest.startsWith("[")) {
            throw refused("has '<<' in '" + shown(rest) + "'; write it without brackets");
        }
        if (escape != '\\') {
            throw refused("has '<<' and the directive escape; leave one of them away");
        }
        List<String> body = new ArrayList<>();
        for (String word : wordsBesideHeredocs(line)) {
            if (VARIABLE_BEFORE.matcher(word).matches()) {
                throw ambiguous("a variable before it", line);
            }
            int from = 0;
            while (from < word.length() && isDigit(word.charAt(from))) {
                from++;
            }
            if (word.startsWith("<<", from) && word.length() > from + 2 && word.indexOf('<', from + 2) < 0) {
                heredoc(word.substring(from + 2), body);
            }
        }
        return body;
    }

    private void heredoc(String word, List<String> body) {
        boolean chomp = word.startsWith("-");
        String name = chomp ? word.substring(1) : word;
        if (name.length() > 2
                && (name.charAt(0) == '"' || name.charAt(0) == '\'')
                && name.endsWith(name.substring(0, 1))) {
            name = name.substring(1, name.length() - 1);
        }
        if (name.isEmpty() || !name.chars().allMatch(c -> isWord(c) || c == '_')) {
            throw refused("ends a heredoc with '" + shown(name) + "'; choose a word of letters");
        }
        while (at < lines.length) {
            String line = line();
            body.add(line);
            if ((chomp ? line.replaceFirst("^\t+", "") : line).equals(name)) {
                return;
            }
        }
        throw refused("does not end its heredoc with '" + name + "'");
    }

    private static int skipBlanks(String line, int from) {
        int end = from;
        while (end < line.length() && isBlank(line.charAt(end))) {
            end++;
        }
        return end;
    }

    private static String trimmed(String text) {
        int end = text.length();
        while (end > 0 && isBlank(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(Math.min(end, skipBlanks(text, 0)), end);
    }

    private static boolean isBlank(int c) {
        return BLANKS.indexOf(c) >= 0;
    }

    static boolean isWord(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    /**
     * Words as a shell separates them, quotes kept. Versions of builders differ in where a heredoc begins, so that only what all
     * of them read alike is taken: ASCII, no escapes but in double quotes, variables without operators, no blank behind
     * {@code <<}, and no variable before it.
     */
    private static List<String> wordsBesideHeredocs(String text) {
        if (!text.chars().allMatch(c -> c < 0x80)) {
            throw ambiguous("a character outside of ASCII", text);
        }
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        char quote = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && quote == 0) {
                throw ambiguous("a \\ outside of quotes", text);
            }
            if (c == '$'
                    && quote != '\''
                    && text.startsWith("{", i + 1)
                    && !PLAIN_VARIABLE.matcher(text).region(i, text.length()).lookingAt()) {
                throw ambiguous("'${' with more than a name", text);
            }
            if (quote == 0 && c == '<') {
                int end = i;
                while (end < text.length() && text.charAt(end) == '<') {
                    end++;
                }
                int behind = text.startsWith("-", end) ? end + 1 : end;
                if (end == i + 2 && behind < text.length() && isBlank(text.charAt(behind))) {
                    throw ambiguous("a blank behind it", text);
                }
                word.append(text, i, end);
                i = end - 1;
                continue;
            }
            if (quote == 0 && isBlank(c)) {
                words.add(word.toString());
                word.setLength(0);
                continue;
            }
            word.append(c);
            if (c == '\\' && quote == '"' && i + 1 < text.length()) {
                word.append(text.charAt(++i));
            } else if (quote == 0 && (c == '"' || c == '\'')) {
                quote = c;
            } else if (quote == c) {
                quote = 0;
            }
        }
        if (quote != 0) {
            throw ambiguous("a quote that is not closed", text);
        }
        words.add(word.toString());
        return words;
    }

    private static IllegalArgumentException ambiguous(String what, String text) {
        return refused("has '<<' with " + what + " in '" + shown(text)
                + "', which builders read differently; write it otherwise");
    }
}
