package io.maestro.secrets.internal;

/**
 * Tells most places where no value is assigned from the others, without an expression. Where it says no, the expressions of
 * {@link AssignmentRule} and {@link SecretKind} match nothing; where it says yes, they may.
 */
final class AssignmentFilter {
    /** The first two letters of what may stand behind the word that says what a value is; see {@link SecretKind}. */
    private static final String[] ENDINGS = "ac ke ba da va st te pl pr de li se ma ol ne cu ra b6 en ci".split(" ");

    private static final boolean[] MAY_GO_ON = new boolean[128 * 128];

    /** What stands before the value when the name's value has a name, too. */
    private static final String[] VALUES = {"value", "default", "content", "secret"};

    private static final int FURTHEST = 100;

    static {
        for (String ending : ENDINGS) {
            MAY_GO_ON[ending.charAt(0) * 128 + ending.charAt(1)] = true;
        }
    }

    private AssignmentFilter() {}

    /** Whether a name ends at a place for certain, if a keyword ends there. */
    static boolean endsName(String text, int end) {
        char c = at(text, end);
        return !isLetter(c) && "_-.0123456789".indexOf(c) < 0;
    }

    /** Whether a name may end at a place or soon behind it, if a keyword ends there. */
    static boolean mayEndName(String text, int end) {
        char c = at(text, end);
        return mayGoOn(text, end, c) || (c == 's' || c == 'S') && mayGoOn(text, end + 1, at(text, end + 1));
    }

    private static boolean mayGoOn(String text, int at, char c) {
        if (isLetter(c)) {
            return isEnding(c, at(text, at + 1));
        }
        char next = at(text, at + 1);
        return c != '_' && c != '-' && c != '.' || !isLetter(next) || isEnding(next, at(text, at + 2));
    }

    private static boolean isEnding(char first, char second) {
        return second < 128 && MAY_GO_ON[(first | 0x20) * 128 + (isLetter(second) ? second | 0x20 : second)];
    }

    /**
     * Whether there may be a value for a name.
     *
     * @param start where the keyword in the name begins
     * @param end after the name
     */
    static boolean mayAssign(String text, int start, int end) {
        int at = end;
        if (isQuote(at(text, at))) {
            at++;
        }
        if (at(text, at) == ']') {
            at++;
        }
        char c = at(text, at);
        return switch (c) {
            case '=', ':' -> mayBeValue(text, at, c);
            case '?', '*', '&', '[', '|', '/', '>' -> true;
            case '.', '+', '!' -> at(text, at + 1) == '=';
            case '-' -> at(text, at + 1) == '>';
            case '(' -> isQuote(at(text, behindBlanks(text, at + 1)));
            case ',', ';', '{' -> {
                int next = behindBlanks(text, at + 1);
                yield c == ',' && isQuote(at(text, next)) || isValue(text, next);
            }
            default -> c <= ' ' ? mayAssignBehindBlanks(text, start, at) : isLetter(c);
        };
    }

    private static boolean mayAssignBehindBlanks(String text, int start, int from) {
        int at = behindBlanks(text, from);
        char c = at(text, at);
        if (c == '=' || c == ':') {
            return mayBeValue(text, at, c) || mayTakeBlank(text, start);
        }
        if ("?*&[|>.+!-,;{".indexOf(c) >= 0) {
            return true;
        }
        return isLetter(c) && mayBeType(text, at) || isValue(text, at) || mayTakeBlank(text, start);
    }

    /** Whether a value behind a sign may be as long as the shortest secret. */
    private static boolean mayBeValue(String text, int sign, char c) {
        if (c == '=' && at(text, sign + 1) == '=') {
            // Compared, or three of them, or the name of a version.
            return at(text, sign + 2) > ' ';
        }
        int from = sign + 1;
        while (at(text, from) == ' ' || at(text, from) == '\t') {
            from++;
        }
        char first = at(text, from);
        return first == '"' || first == '\'' ? mayBeQuoted(text, from, first) : mayBeBare(text, from, c);
    }

    private static boolean mayBeQuoted(String text, int from, char quote) {
        int to = from + 1;
        while (to - from <= SecretKind.SHORTEST && at(text, to) != quote && at(text, to) != '\\') {
            to++;
        }
        if (to - from > SecretKind.SHORTEST || at(text, to) != quote || at(text, to + 1) == quote) {
            return true;
        }
        // What it becomes, in a plan.
        char next = at(text, behindBlanks(text, to + 1));
        return next == '-' || next == '=';
    }

    private static boolean mayBeBare(String text, int from, char sign) {
        int to = from;
        while (isLetter(at(text, to)) || at(text, to) >= '0' && at(text, to) <= '9' || at(text, to) == '_') {
            if (++to - from >= SecretKind.SHORTEST) {
                return true;
            }
        }
        if (to == from) {
            return true;
        }
        char end = at(text, to);
        if (end == ' ' || end == '\t') {
            return sign == ':' && isLetter(at(text, from)) && mayBeType(text, from);
        }
        return end != '\n' && end != '\r' && (sign == '=' || ",;)}".indexOf(end) < 0);
    }

    /** Whether a word is one that may stand between a name and a sign. */
    private static boolean mayBeType(String text, int from) {
        int at = from;
        while (isLetter(at(text, at)) || "_.<>[]?|0123456789".indexOf(at(text, at)) >= 0) {
            if (++at - from > FURTHEST) {
                return false;
            }
        }
        boolean blank = at(text, at) <= ' ';
        at = behindBlanks(text, at);
        return "=-:?|+!.".indexOf(at(text, at)) >= 0 || blank && text.startsWith("const", from);
    }

    private static boolean isValue(String text, int from) {
        int at = from;
        while (at(text, at) <= ' ' && at < text.length() || ",;".indexOf(at(text, at)) >= 0) {
            if (++at - from > FURTHEST) {
                return false;
            }
        }
        at += isQuote(at(text, at)) ? 1 : 0;
        for (String value : VALUES) {
            if (text.regionMatches(true, at, value, 0, value.length())) {
                return true;
            }
        }
        return false;
    }

    /** Whether the name may be an option of a command, or stand behind a command that sets it. */
    private static boolean mayTakeBlank(String text, int start) {
        int name = start;
        while (name > 0 && start - name < FURTHEST && AssignmentRule.isNamePart(text.charAt(name - 1))) {
            name--;
        }
        if (at(text, name) == '-' || name > 0 && text.charAt(name - 1) == '-' || start - name >= FURTHEST) {
            return true;
        }
        int at = name;
        while (at > 0 && text.charAt(at - 1) <= ' ' && name - at < FURTHEST) {
            at--;
        }
        return at > 0 && at < name && "vgxms".indexOf(text.charAt(at - 1) | 0x20) >= 0;
    }

    private static int behindBlanks(String text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) <= ' ' && at - from < FURTHEST) {
            at++;
        }
        return at;
    }

    /** A character that is none at the end. */
    private static char at(String text, int at) {
        return at < text.length() ? text.charAt(at) : '\uffff';
    }

    private static boolean isQuote(char c) {
        return c == '"' || c == '\'' || c == '`';
    }

    private static boolean isLetter(char c) {
        char small = (char) (c | 0x20);
        return small >= 'a' && small <= 'z';
    }
}
