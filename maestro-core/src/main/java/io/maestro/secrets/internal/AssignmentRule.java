package io.maestro.secrets.internal;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Values given to a name that says that they are secret: {@code password = "…"}, {@code "apiKey": "…"}, {@code TOKEN=…},
 * {@code <password>…</password>}, {@code --token …}, {@code put("token", "…")} and the like. What is only code or a place holder
 * stays. Escapes are no matter of this class: {@link DecodedText} takes them away.
 */
final class AssignmentRule implements Rule {
    private static final int LONGEST_NAME = 64;

    /** A value of several lines, of which the first one is taken: of YAML, of a shell, of Terraform. */
    private static final String BLOCK =
            "[|>][+-]?\\d?[ \\t]{0,8}\\r?\\n[ \\t]{0,40}|(?:\\$\\(\\s?cat\\s{1,2})?<<[-~<]?\\s?[\"']?[A-Za-z_]{1,20}[\"']?[ \\t]{0,8}\\r?\\n[ \\t]{0,40}";

    /** From a name up to its value. */
    private static final Pattern SEPARATOR = Pattern.compile("(?<close>[\"'`]?\\]?)(?:"
            + "(?<pair>\\s{0,4}\\{?[,;\\s]{1,40}[\"']?(?i:value|default|content|secret_?string)[\"']?\\s{0,4}[=:]\\s{0,4})"
            + "|(?<comma>\\s{0,4},\\s{0,24})(?=[\"'`])"
            + "|(?<call>\\(\\s{0,4})(?=[\"'`])"
            + "|(?<xml>(?:[ \\t][\\w:]{1,24}=\"[^\"<>\\n]{0,60}\"|/?>\\s{0,4}</\\w{1,20}){0,2}>\\s{0,40}(?:<(?:string|value)>)?(?:<!\\[CDATA\\[)?)"
            + "|(?<table>[ \\t]{0,40}\\|[ \\t]{1,40})"
            // Behind a quote and a blank comes no type, but the next attribute.
            + "|(?:(?:(?<![\"'`])|(?=[ \\t]{0,4}[:?]))[ \\t]{0,4}[:?]{0,2}[ \\t]{0,4}(?:const\\s)?[*&]?(?<type>[A-Za-z\\[][\\w.<>\\[\\]?|]{0,30})|\\[\\])?[ \\t]{0,40}"
            + "(?<sign>=>|->|:{0,3}=|\\?\\?=|\\|\\|=|[?+.!]=|={1,3}|:)(?<gap>[ \\t]{0,40})(?<block>" + BLOCK + ")?"
            + "|(?<blank>[ \\t]{1,8}))");

    /** Before a value in quotes: a call that takes it, and the prefix of a literal. */
    private static final Pattern OPENING =
            Pattern.compile("\\s{0,40}(?<call>(?:new\\s)?[A-Za-z_][\\w.:]{0,40}\\(\\s{0,4})?"
                    + "(?:[rbfuLRF@$]{1,2}(?=[\"']))?(?<quote>\"\"\"|'''|[\"'`])");

    /** In a plan of Terraform: what a value becomes. */
    private static final Pattern BECOMES =
            Pattern.compile("[\"']\\s{1,4}[-=]>\\s{1,4}[\"'](?<new>[^\"'\\n]{0,4096}+)[\"']");

    /** Commands that set a variable without a sign. */
    private static final Pattern SETS =
            Pattern.compile("(?i)(?:^|.*[\\s;&|])(?:ENV|ARG|setx|setenv|set-item|vault_pass)\\s{1,4}(?:/m\\s)?");

    /** The name of a host in ssh's file of known hosts, if it is hashed: what looks like a name at the end of either half is none. */
    private static final Pattern HASHED_HOST = Pattern.compile("\\|1\\|[A-Za-z0-9+/]{27}=\\|[A-Za-z0-9+/]{27}=");

    /** Where its halves end, before their sign. */
    private static final int SALT_END = 30;

    private static final int HASH_END = 59;

    /** Before the name of a thing: what follows is its checksum. */
    private static final String CHECKSUM = "checksum";

    private final SecretKind kind;
    private final List<String> keywords;

    AssignmentRule(SecretKind kind, List<String> keywords) {
        this.kind = kind;
        this.keywords = keywords;
    }

    @Override
    public String name() {
        return kind.rule();
    }

    @Override
    public List<String> keywords() {
        return keywords;
    }

    @Override
    public boolean mayMatch(String text, int start, int end) {
        return kind == SecretKind.VENDOR || AssignmentFilter.mayEndName(text, end);
    }

    @Override
    public @Nullable SecretSpan match(MeteredText text, int start, int end) {
        int nameEnd = kind.endOfName(text, end);
        if (nameEnd < 0 || nameEnd == text.length() || ";}/\\&%^~".indexOf(text.charAt(nameEnd)) >= 0) {
            return null;
        }
        return AssignmentFilter.mayAssign(text.toString(), start, nameEnd) ? find(text, start, end, nameEnd) : null;
    }

    /** What {@link #match} does without a filter: the value of a name that ends at a place. */
    @Nullable
    SecretSpan find(MeteredText text, int start, int end, int nameEnd) {
        Name name = Name.around(text, start);
        if (!kind.isName(name.text, text.subSequence(start, nameEnd), end - start)
                || name.isInReference(text)
                || isHashedHost(text, nameEnd - SALT_END)
                || isHashedHost(text, nameEnd - HASH_END)) {
            return null;
        }
        Matcher separator = text.at(SEPARATOR, nameEnd);
        if (!separator.lookingAt() || separator.group("blank") != null && !name.takesBlank(text)) {
            return null;
        }
        return value(text, name, separator);
    }

    private static boolean isHashedHost(MeteredText text, int at) {
        return at >= 0 && text.at(HASHED_HOST, at).lookingAt();
    }

    private @Nullable SecretSpan value(MeteredText text, Name name, Matcher separator) {
        int at = separator.end();
        if (separator.group("xml") != null) {
            return element(text, at);
        }
        if (separator.group("block") != null) {
            return line(text, at);
        }
        boolean strict = separator.group("comma") != null || separator.group("call") != null;
        Matcher opening = text.at(OPENING, at);
        boolean quote = opening.lookingAt() && (opening.group("call") == null || separator.group("sign") != null);
        boolean near = quote && text.subSequence(at, opening.end()).indexOf('\n') < 0;
        if (quote && (near || separator.group("close").length() > 0)) {
            boolean open = separator.group("close").isEmpty()
                    && isAfterMessage(text, opening.end(), name.start, opening.group("quote"));
            return open ? null : quoted(text, opening, strict || opening.group("call") != null);
        }
        return strict ? null : bare(text, at, name, separator);
    }

    /** Whether a quote is the end of a text such as {@code "Password:"} in code, and not the beginning of a value. */
    private static boolean isAfterMessage(MeteredText text, int after, int name, String quote) {
        if (after < text.length() && " ,;).+}]\n\r".indexOf(text.charAt(after)) < 0 || quote.length() > 1) {
            return false;
        }
        int quotes = 0;
        for (int i = name - 1; i >= 0 && name - i < 200 && text.charAt(i) != '\n'; i--) {
            quotes += text.charAt(i) == quote.charAt(0) && (i == 0 || text.charAt(i - 1) != '\\') ? 1 : 0;
        }
        return quotes % 2 == 1 || after >= text.length() || text.charAt(after) != '+';
    }

    private @Nullable SecretSpan element(MeteredText text, int from) {
        int to = from;
        while (to < text.length() && text.charAt(to) != '<' && text.charAt(to) != '\n') {
            to++;
        }
        int end = to;
        while (end < text.length() && Character.isWhitespace(text.charAt(end))) {
            end++;
        }
        boolean closed = end + 1 < text.length() && text.charAt(end) == '<' && text.charAt(end + 1) == '/';
        int last = trimmed(text, from, to);
        last -= last - from > 3 && text.subSequence(last - 3, last).equals("]]>") ? 3 : 0;
        return closed && kind.isText(text.subSequence(from, last), false) ? new SecretSpan(from, last, name()) : null;
    }

    private @Nullable SecretSpan line(MeteredText text, int from) {
        int to = from;
        while (to < text.length() && text.charAt(to) != '\n') {
            to++;
        }
        to = trimmed(text, from, to);
        return kind.isText(text.subSequence(from, to), false) ? new SecretSpan(from, to, name()) : null;
    }

    private static int trimmed(MeteredText text, int from, int to) {
        int last = to;
        while (last > from && Character.isWhitespace(text.charAt(last - 1))) {
            last--;
        }
        return last;
    }

    private @Nullable SecretSpan quoted(MeteredText text, Matcher opening, boolean strict) {
        String quote = opening.group("quote");
        char mark = quote.charAt(0);
        int from = opening.end();
        int to = from;
        boolean escaped = false;
        while (to < text.length() && (text.charAt(to) != '\n' || quote.length() == 3)) {
            char c = text.charAt(to);
            if (c == mark && !escaped) {
                break;
            }
            escaped = c == '\\' && !escaped;
            to++;
        }
        boolean secret = kind.isText(text.subSequence(from, to), strict);
        Matcher becomes = text.at(BECOMES, to);
        if (becomes.lookingAt() && (secret || kind.isText(becomes.group("new"), strict))) {
            return new SecretSpan(secret ? from : becomes.start("new"), becomes.end("new"), name());
        }
        return secret ? new SecretSpan(from, to, name()) : null;
    }

    /** A value without quotes, as in a properties file, a shell line, a query or a log. */
    private @Nullable SecretSpan bare(MeteredText text, int at, Name name, Matcher separator) {
        int from = at;
        String sign = separator.group("sign");
        int type = separator.start("type");
        boolean joined = type >= 0 && separator.end("type") == separator.start("sign") && separator.end("sign") == at;
        if (type >= 0 && name.takesBlank(text)) {
            // What looks like a type is the value, with a sign in it.
            from = type;
            sign = null;
        } else if (joined
                && text.charAt(lastBefore(text, type)) == ':'
                && ("=".equals(sign) || isBlank(text.charAt(type - 1)))) {
            from = type;
            sign = ":";
        } else if (joined && isBlank(text.charAt(type - 1))) {
            // Another name, as in a log.
            return null;
        }
        boolean assigned =
                sign != null && sign.endsWith("=") && separator.group("gap").isEmpty() && separator.end("sign") == from;
        boolean query = assigned && name.isParameter();
        boolean variable = assigned && !query && name.isVariable();
        int to = from;
        while (to < text.length() && !endsBare(text, to, variable)) {
            to++;
        }
        if (to < text.length() && "([".indexOf(text.charAt(to)) >= 0 && !variable) {
            return null;
        }
        boolean closed = to < text.length() && ",;)}]\"'`".indexOf(text.charAt(to)) >= 0;
        boolean json = separator.group("close").length() > 0 && ":".equals(sign);
        boolean spaced =
                sign != null && !sign.equals(":") && !separator.group("gap").isEmpty();
        boolean code = !json && (closed || spaced);
        boolean secret = kind.isBare(text.subSequence(from, to), query || variable, code);
        return secret ? new SecretSpan(from, to, name()) : null;
    }

    private static int lastBefore(MeteredText text, int at) {
        int last = at - 1;
        while (isBlank(text.charAt(last))) {
            last--;
        }
        return last;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private static boolean endsBare(MeteredText text, int at, boolean variable) {
        char c = text.charAt(at);
        if (c == '\\') {
            return at + 1 >= text.length() || "nrtu\"'\n\r\\".indexOf(text.charAt(at + 1)) >= 0;
        }
        return c <= ' ' || "\"'`".indexOf(c) >= 0 || !variable && "(){}[]<>,;&|".indexOf(c) >= 0;
    }

    static boolean isNamePart(char c) {
        return c < 128 && Character.isLetterOrDigit(c) || c == '_' || c == '-' || c == '.';
    }

    /** The name that a keyword is in, up to the keyword. */
    private record Name(String text, int start, char before) {
        static Name around(MeteredText text, int keyword) {
            int start = keyword;
            while (start > 0 && keyword - start < LONGEST_NAME && isNamePart(text.charAt(start - 1))) {
                start--;
            }
            char before = start == 0 ? '\n' : text.charAt(start - 1);
            return new Name(text.subSequence(start, keyword), start, before);
        }

        boolean isParameter() {
            return before == '?' || before == '&';
        }

        /** Such as {@code arn:aws:secretsmanager:…:secret:name}, {@code AWS::KMS::Key} and {@code checksum/secret}. */
        boolean isInReference(MeteredText all) {
            if (before == '/') {
                return start > CHECKSUM.length()
                        && all.subSequence(start - 1 - CHECKSUM.length(), start - 1)
                                .equals(CHECKSUM);
            }
            int from = start;
            while (before == ':' && from > 0 && start - from < LONGEST_NAME && all.charAt(from - 1) > ' ') {
                from--;
            }
            String reference = before == ':' ? all.subSequence(from, start) : "";
            return reference.contains("arn:") || reference.contains("AWS::");
        }

        /** At the start of a line, or in capitals as variables of the environment are. */
        boolean isVariable() {
            return before == '\n' || !text.isEmpty() && text.equals(text.toUpperCase(Locale.ROOT));
        }

        /** Whether a value may follow without a sign: an option of a command, or a variable that one sets. */
        boolean takesBlank(MeteredText all) {
            if (text.startsWith("-") || start > 1 && before == '-') {
                return true;
            }
            int line = start;
            while (line > 0 && start - line < 24 && all.charAt(line - 1) != '\n') {
                line--;
            }
            return SETS.matcher(all.subSequence(line, start)).matches();
        }
    }
}
