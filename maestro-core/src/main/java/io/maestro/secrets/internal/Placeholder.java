package io.maestro.secrets.internal;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** What stands in the place of a secret: variables, references, words of documents, masks. */
final class Placeholder {
    /** In a token: so few different characters are no random ones. */
    private static final int FEWEST = 4;

    /** Variables of shells, templates and build files; references to stores of secrets; masks. */
    private static final Pattern WHOLE =
            Pattern.compile("[$#@%]?\\{.*|\\$\\(.*|\\$\\$?\\{?[A-Za-z_][\\w.:-]*}?|<[^<>]*>|%\\w+%?|%\\(.*"
                    + "|\\[[A-Za-z_ -]+]|(?i:your[ _-].*|arn:.*|op://.*|vault:.*|secret://.*|env[.:(].*|ref[+:].*|secretRef.*)"
                    + "|(?i:process\\.env.*|os\\.environ.*|system\\.getenv.*|secrets\\..*|var\\..*|data\\..*|local\\..*|self\\..*|this\\..*)"
                    + "|(?i:(?:required|nullable|string|confirmed|sometimes)[|,].*)|0x[0-9a-fA-F]{40}"
                    + "|[A-Za-z][\\w.-]*:\\d+(?:\\.\\w+)+|[~^v=<>]{0,3} ?\\d{1,5}(?:\\.(?:\\d{1,8}|[x*])){1,3}(?:[-+.]?(?i:alpha|beta|rc|snapshot|final|release|dev|post|pre|m|b|a)[.-]?\\d{0,8})?"
                    + "|[\\w.-]{0,64}@?sha256:[0-9a-f]{64}|\\[REDACTED.*|[.*x…•_X#?-]+");

    /** A mask has one case: four letters x of any case stand in one of 30,000 random tokens. */
    private static final Pattern PART =
            Pattern.compile("(?i)example|(?-i:xxxx|XXXX)|placeholder|change[_-]?me|your[_-]|dummy|redacted"
                    + "|\\*\\*\\*\\*|\\.\\.\\.|<[a-z_ -]+>|\\$\\{[a-z_]");

    /** What somebody writes behind a token. */
    static final List<String> TAILS =
            List.of("example", "placeholder", "changeme", "change_me", "change-me", "dummy", "redacted");

    private static final Set<String> WORDS = Set.of(("string integer number boolean object undefined optional required"
                    + " placeholder example redacted hidden pass mypass mypassword mytoken masked omitted unknown missing invalid expired default static"
                    + " private public return disabled enabled varchar varchar2 nullable password passwd passphrase secret"
                    + " hashed bcrypt encrypted confirmed bearer username email basic oauth2 oauth internal external"
                    + " prompt stdin inherit interactive passwords credentials authentication authorization nothing")
            .split(" "));

    private Placeholder() {}

    /** Whether a value as a whole stands for another. */
    static boolean is(String value) {
        return WORDS.contains(value.toLowerCase(Locale.ROOT))
                || WHOLE.matcher(value).matches()
                || value.chars().distinct().limit(2).count() == 1;
    }

    /** Whether a token is one that a document shows. */
    static boolean isIn(String token) {
        return is(token) || PART.matcher(token).find() || token.length() > 2 * FEWEST && isMonotonous(token);
    }

    /** Where a token ends when what decorates its end is taken off: dashes, characters that repeat, words of documents. */
    static int endWithoutTail(String token) {
        int end = token.length();
        for (int before = -1; before != end; ) {
            before = end;
            int run = end;
            while (run > 0 && token.charAt(run - 1) == token.charAt(end - 1)) {
                run--;
            }
            if (end > 0 && end - run >= ("_-".indexOf(token.charAt(end - 1)) >= 0 ? 1 : FEWEST)) {
                end = run;
            }
            for (String tail : TAILS) {
                if (token.regionMatches(true, end - tail.length(), tail, 0, tail.length())) {
                    end -= tail.length();
                }
            }
        }
        return end;
    }

    /** Of the end: a token begins with the name of its kind. */
    private static boolean isMonotonous(String token) {
        return token.substring(token.length() - 2 * FEWEST).chars().distinct().count() < 2;
    }
}
