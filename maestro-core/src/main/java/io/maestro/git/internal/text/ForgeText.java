package io.maestro.git.internal.text;

import io.maestro.audit.Redactor;
import io.maestro.audit.internal.Scanned;
import io.maestro.internal.HiddenCharacters;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes texts of agents, tests and strangers where a forge shows or obeys them. Each is redacted, then cut, then made text and
 * nothing else: no Markdown, mention, reference, link, HTML, quick action or word for a CI, on GitHub, GitLab and Gitea. Safe for use
 * by several threads when the redactor is.
 *
 * <p>Forges look for mentions and references after Markdown was rendered, so a backslash or an entity does not stop them; a code
 * span does. GitLab reads quick actions and {@code Fixes #1} in the source, in code, too.
 */
public final class ForgeText {
    private static final String UNSCANNABLE = "(This could not be scanned for secrets and is not shown.)";

    /** What the CI of GitHub, GitLab, Azure, Cloudflare, Netlify and others takes for "run nothing". */
    private static final Pattern SKIP =
            Pattern.compile("(?i)\\[\\s*(skip[ _-]+[\\w -]{2,40}|[\\w-]{2,30}?[ _-]+skip|no[ _-]*ci)\\s*\\]");

    private static final Pattern NO_CI = Pattern.compile("(?i)\\*{2,}\\s*(no_ci)\\s*\\*{2,}");
    private static final Pattern CHECKS = Pattern.compile("(?i)((?:skip|request)-checks)\\s*:");
    private static final Pattern PUSH_OPTION = Pattern.compile(
            "(?i)(--(?=skip-ci|ci-skip)|\\bci\\.(?=skip|no_pipeline|variable|input)|\\bmerge_request\\.(?=[a-z])"
                    + "|\\b(?:integrations|secret_push_protection)\\.(?=skip))");
    private static final Pattern CLOSING = Pattern.compile(
            "(?i)\\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?\\s++"
                    + "(?=(?:issues?\\s++)?\\S{0,200}?(?:[#!]\\d|gh-\\d|://|(?-i:(?<![A-Z0-9_])(?!(?:UTF|SHA|AES|CVE|RFC)-)[A-Z][A-Z0-9_]+-\\d)))");

    private static final Pattern MENTION = Pattern.compile("(?<!\\p{Alnum})[@!&%~$](?=[\\p{Alnum}\"])|#(?=\\d)");
    private static final Pattern DRAFT = Pattern.compile("(?i)^[\\s\\[(]*(draft|wip)\\s*(?:[:\\])]|-\\s)\\s*");

    /** A code block; a line that would be a rule, or make a heading of the one before; code; backticks alone; a word. */
    private static final Pattern PART = Pattern.compile(
            "^ {0,3}`{3,}[^`\\n]*\\n(.*?)\\n {0,3}`{3,}[ \\t]*$|^[ \\t]*([-=+*][-=+* \\t]*)$|`([^`\\n]+)`|`+|[^\\s`]+",
            Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern WORD = Pattern.compile("\\*(?=\\s)|[[^\\x00-\\x7f]A-Za-z0-9.,;:'\"()?!/+=%_-]++");
    private static final Pattern ACTIVE = Pattern.compile(
            "^/|://|(?i:www\\.|gh-\\d)|[!%][\\p{Alnum}\"]|[A-Z]-\\d|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])");

    /** Of backticks in a row, so that a fence stays short. */
    private static final Pattern RUN = Pattern.compile("(`{20})(?=`)");

    private final Redactor redactor;

    /**
     * Takes secrets out by a redactor.
     *
     * @param redactor may fail: then a text is not shown
     */
    public ForgeText(Redactor redactor) {
        this.redactor = redactor;
    }

    /**
     * A text as it is, in a fence that it cannot leave.
     *
     * @param text of anybody
     * @param most how many characters of it are kept; 2 or more
     * @return Markdown, to stand at the beginning of a line
     */
    public String fenced(String text, int most) {
        return fence(cut(text, most));
    }

    /**
     * Paragraphs, lists and code; all else that means something to a forge is shown as code.
     *
     * @param text of anybody
     * @param most how many characters of it are kept; 2 or more
     * @return Markdown, of which no line begins with a slash
     */
    public String plain(String text, int most) {
        String cut = RUN.matcher(cut(text, most)).replaceAll("$1 ");
        StringBuilder plain = new StringBuilder(cut.length());
        Matcher part = PART.matcher(cut);
        int end = 0;
        while (part.find()) {
            plain.append(cut, end, part.start());
            end = part.end();
            String word = part.group();
            if (part.group(1) != null) {
                plain.append(fence(part.group(1)));
            } else if (part.group(2) == null
                    && WORD.matcher(cut)
                            .region(part.start(), end)
                            .useTransparentBounds(true)
                            .matches()
                    && !ACTIVE.matcher(word).find()) {
                plain.append(word);
            } else {
                String code = part.group(2) == null ? part.group(3) : part.group(2);
                plain.append(isAfterCode(plain) ? " " : "").append(code(code == null ? word : code));
            }
        }
        return plain.toString().strip();
    }

    /** Two spans that touch would be one. */
    private static boolean isAfterCode(StringBuilder text) {
        return !text.isEmpty() && text.charAt(text.length() - 1) == '`';
    }

    /**
     * The title of a request, where forges read no Markdown but mentions, references and the words that make it a draft.
     *
     * @param text one line of anybody
     * @return one line
     */
    public String title(String text) {
        String calm = MENTION.matcher(message(text)).replaceAll("$0 ");
        return DRAFT.matcher(calm).replaceFirst("$1, ");
    }

    /**
     * A commit's message, or a part of it.
     *
     * @param text of anybody
     * @return the text, in which no CI is switched off and no issue is closed
     */
    public String message(String text) {
        return inert(redacted(text));
    }

    private String redacted(String text) {
        return Scanned.text(redactor, text).orElse(UNSCANNABLE);
    }

    private String cut(String text, int most) {
        String shown = HiddenCharacters.shown(redacted(text));
        int over = shown.length() - most;
        return inert(
                over <= 0
                        ? shown
                        : shown.substring(0, boundary(shown, most / 2)) + "\n… " + over + " characters are left out …\n"
                                + shown.substring(boundary(shown, shown.length() - most / 2)));
    }

    /** Not in the middle of a character. */
    private static int boundary(String text, int index) {
        return Character.isLowSurrogate(text.charAt(index)) ? index - 1 : index;
    }

    /**
     * A text without what works in the source of anything, in a fence, too.
     *
     * @param text without secrets
     * @return the text; itself when it was made inert before
     */
    public static String inert(String text) {
        String inert = SKIP.matcher(HiddenCharacters.shown(text)).replaceAll("($1)");
        inert = NO_CI.matcher(inert).replaceAll("($1)");
        inert = CHECKS.matcher(inert).replaceAll("$1 =");
        inert = PUSH_OPTION.matcher(inert).replaceAll("$1 ");
        return CLOSING.matcher(inert).replaceAll("$0· ");
    }

    /**
     * Puts a fence around a text that is inert.
     *
     * @param text any text
     * @return Markdown
     */
    public static String fence(String text) {
        String body = RUN.matcher(text).replaceAll("$1 ").replaceAll("(?m)^/", " /");
        return longer("```", body) + "text\n" + body + "\n" + longer("```", body);
    }

    /**
     * A text within a line.
     *
     * @param text one line, inert
     * @return Markdown
     */
    public static String code(String text) {
        String mark = longer("`", text);
        String blank = text.startsWith("`") || text.endsWith("`") ? " " : "";
        return mark + blank + text + blank + mark;
    }

    private static String longer(String mark, String text) {
        String longer = mark;
        while (text.contains(longer)) {
            longer += "`";
        }
        return longer;
    }
}
