package io.maestro.git.internal.text;

import io.maestro.internal.HiddenCharacters;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.internal.Scanned;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes texts of agents, tests and strangers where a forge shows or obeys them. Each is redacted, then cut, then made text and
 * nothing else: no Markdown, mention, reference, link, HTML, quick action or word for a CI, on GitHub, GitLab and Gitea. Safe for use
 * by several threads when the redactor is.
 *
 * <p>In a commit's message mentions and references stay as they are.
 *
 * <p>Forges look for mentions and references after Markdown was rendered, so a backslash or an entity does not stop them; a code
 * span does. GitLab reads quick actions and {@code Fixes #1} in the source, in code, too.
 */
public final class ForgeText {
    private static final String UNSCANNABLE = "(This could not be scanned for secrets and is not shown.)";

    /**
     * A short text in brackets that the CI of GitHub, GitLab, Azure, Cloudflare, Netlify or another one may take for "run nothing".
     * Behind a word, where it may be the index of an array, only the forms that are known.
     */
    private static final Pattern SKIP = Pattern.compile(
            "(?i)\\[(?=[^\\[\\]]{1,60}\\])([\\s\\p{Z}]*(?:skip[\\s\\p{Z}_-]+[\\w\\p{Z}-]{2,40}|[\\w-]{2,30}?[\\s\\p{Z}_-]+skip"
                    + "|no[\\s\\p{Z}_-]*ci|(?:skip|no)(?:cd|builds?|checks|deploys?|tests?)|skipci|(?:build|cd|ci|deploy|test)skip)[\\s\\p{Z}]*"
                    + "|(?<![\\w)\\]]\\[)(?:[^\\[\\]\\n]*(?<![a-z])skip(?![a-z])[^\\[\\]\\n]*|\\h*no[\\p{Z}_-]+[a-z]+\\h*))\\]");

    private static final Pattern NO_CI = Pattern.compile("(?i)\\*{2,}\\s*(no_ci)\\s*\\*{2,}");
    private static final Pattern CHECKS = Pattern.compile("(?i)((?:skip|request)-checks)\\s*:");
    private static final Pattern PUSH_OPTION = Pattern.compile(
            "(?i)(--(?=skip-ci|ci-skip)|\\bci\\.(?=skip|no_pipeline|variable|input)|\\bmerge_request\\.(?=[a-z])"
                    + "|\\b(?:integrations|secret_push_protection)\\.(?=skip))");
    private static final String TICKET =
            "(?<![A-Z0-9_])(?!(?:UTF|SHA|AES|CVE|RFC|ISO|JSR|JEP|PEP|GPT)-)[A-Z][A-Z0-9_]+-(?=\\d)";

    private static final Pattern CLOSING = Pattern.compile(
            "(?i)\\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?\\s++"
                    + "(?=(?:issues?\\s++)?\\S{0,200}?(?:[#!]\\d|gh-\\d|://|(?-i:" + TICKET + ")))");

    /** Beginnings of lines that git takes for a patch or the head of a mail, and a quick action of GitLab's. */
    private static final Pattern START = Pattern.compile(
            "(?m)^(?=/|---|diff -|Index: |>?From .*\\d\\d:\\d\\d|\\[PATCH\\]|(?i:from|subject|date)[ \\t]*:)");

    /** Lines at which git cuts a message off. */
    private static final Pattern CUT = Pattern.compile("(?m)^(?=.*-[ \\t]*-).*(?:>[8%]|[8%]<).*$");

    private static final Pattern SCISSORS = Pattern.compile("[>8%](?=[8%<])");

    /** Trailers that name people, or that tools look for in the whole message. */
    private static final Pattern TRAILER =
            Pattern.compile("(?im)^([ \\t]*(?:[a-z][a-z0-9-]*-by|cc|change-id|release-as|maestro-[a-z0-9-]+))[ \\t]*:");

    private static final Pattern MENTION = Pattern.compile("(?<!\\p{Alnum})[@!&%~$](?=[\\p{Alnum}\"])|#(?=\\d)");
    private static final Pattern LINK = Pattern.compile("://|(?i:www\\.|gh-(?=\\d))|" + TICKET);
    private static final String ID = "(?<![A-Za-z0-9])(?=[a-fA-F]*\\d)[0-9a-fA-F]{7,64}(?![A-Za-z0-9])";

    /** Of a commit; a number alone may be a date. */
    private static final Pattern COMMIT = Pattern.compile("(?:(?<=@)|(?=\\d*[a-fA-F]))" + ID);

    private static final Pattern DRAFT = Pattern.compile("(?i)^[\\s\\[(]*(draft|wip)\\s*(?:[:\\])]|-\\s)\\s*");

    /** A code block; a line that would be a rule, or make a heading or table of the one before; code; backticks alone; a word. */
    private static final Pattern PART = Pattern.compile(
            "^ {0,3}`{3,}[^`\\n]*\\n(.*?)\\n {0,3}`{3,}[ \\t]*$|^[ \\t]*((?:[-=+*:\\d][-=+*:\\d.) \\t]*)?[-=+*:][ \\t]*)$|`([^`\\n]+)`|`+|[^\\s`]+",
            Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern WORD = Pattern.compile("\\*(?=\\s)|[[^\\x00-\\x7f]A-Za-z0-9.,;:'\"()?!/+=%_-]++");
    private static final Pattern ACTIVE =
            Pattern.compile("^/|://|(?i:www\\.|gh-\\d)|[!%][\\p{Alnum}\"]|[A-Z]-\\d|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"
                    + "|:(?=[\\d_]*[A-Za-z+-]|100:|1234:)[\\w+-]{1,60}:|" + ID);

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
        String calm = MENTION.matcher(inert(redacted(text))).replaceAll("$0 ");
        calm = LINK.matcher(calm).replaceAll("$0 ");
        calm = COMMIT.matcher(calm).replaceAll(id -> id.group().replaceAll(".{6}(?=.)", "$0 "));
        return DRAFT.matcher(calm).replaceFirst("$1, ");
    }

    /**
     * A commit's message, or a part of it.
     *
     * @param text of anybody
     * @return the text, in which no CI is switched off, no issue is closed, and nothing is a trailer, a patch or a quick action;
     *     mentions and references stay
     */
    public String message(String text) {
        return inCommit(redacted(text));
    }

    /**
     * What follows the first line of a story's commit. Git takes the last paragraph for trailers: it is Maestro's.
     *
     * @param text of anybody, without secrets
     * @param trailers lines that are Maestro's, which come first
     * @param storyId the story
     * @param attempt of the story
     * @return the text and the trailers
     */
    public static String commitBody(String text, List<String> trailers, String storyId, int attempt) {
        String said = text.strip();
        StringBuilder body = new StringBuilder(inCommit(said)).append(said.isEmpty() ? "" : "\n\n");
        trailers.forEach(trailer -> body.append(trailer).append('\n'));
        return body.append("Maestro-Story: " + storyId + "\nMaestro-Attempt: " + attempt + "\n")
                .toString();
    }

    private static String inCommit(String text) {
        String calm = TRAILER.matcher(inert(text)).replaceAll("$1 –");
        calm = CUT.matcher(calm)
                .replaceAll(line ->
                        Matcher.quoteReplacement(SCISSORS.matcher(line.group()).replaceAll("$0 ")));
        return START.matcher(calm).replaceAll(" ");
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
        String inert = HiddenCharacters.shown(text);
        for (Matcher skip = SKIP.matcher(inert); skip.find(); skip = SKIP.matcher(inert)) {
            inert = skip.replaceAll("($1)");
        }
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
