package io.maestro.git.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.audit.SecretRedactor;
import io.maestro.git.internal.text.ForgeText;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts of agents, tests and strangers on forges and in commits. */
class ForgeTextTest {
    private static final String TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

    /** Of these all texts are made that are tried at random. */
    private static final List<String> PIECES = List.of(
            "\n",
            "\n\n",
            " ",
            "\t",
            "`",
            "``",
            "```",
            "````",
            "~~~",
            "```text\n",
            "\n```\n",
            "@ann",
            "#1",
            "!2",
            "Fixes #1",
            "closes\n#2",
            "Resolves https://x.org/issues/1",
            "[a](http://x.org)",
            "![p](x.png)",
            "http://x.org",
            "www.x.org",
            "<details>",
            "</details>",
            "<!-- maestro end -->",
            "<b>",
            "&lt;",
            "/approve",
            "\n/close",
            "\r/merge",
            "---",
            "=",
            "# Head",
            "> said",
            "*",
            "**bold**",
            "_i_",
            "[skip ci]",
            "[ci skip]",
            "***NO_CI***",
            "skip-checks: true",
            "\u202e",
            "\u200b",
            "\u2028/label x",
            "\u001b[2J",
            "\ud83d",
            "\udb40\udc41",
            "word",
            "plain, words.",
            "a\\@b",
            "\\",
            "|",
            "- item",
            "1. one",
            TOKEN);

    /** What works in any place, in a fence, too. */
    private static final Pattern IN_SOURCE = Pattern.compile(
            "(?im)^/|\\[\\s*(?:(?:skip|no)[ _-]*ci|ci[ _-]*skip)\\s*\\]|\\*\\*\\*NO_CI\\*\\*\\*|skip-checks\\s*:"
                    + "|\\b(?:fixe|close|resolve)[sd]:?\\s+(?:#\\d|\\S*://)|[\\p{Cc}\\p{Cf}\\p{Cs}\\u2028&&[^\\n\\t]]");

    /** What works outside of code. */
    private static final Pattern OUTSIDE_CODE = Pattern.compile(
            "(?m)[@#<>\\[\\]|\\\\~&`]|(?<!\\w)_|_(?!\\w)|\\*\\S|://|www\\.|!\\d|^ {0,3}(?:=+|-+|[-*][-* ]{2,})[ \\t]*$");

    private final ForgeText texts = new ForgeText(SecretRedactor.withDefaults());

    /** As CommonMark reads it: the rest without code blocks and code spans. */
    private static String outsideCode(String markdown) {
        StringBuilder rest = new StringBuilder();
        String fence = "";
        for (String line : markdown.split("\n", -1)) {
            Matcher opens = Pattern.compile(" {0,3}(`{3,})[^`]*").matcher(line);
            if (!fence.isEmpty()) {
                fence = line.matches(" {0,3}" + fence + "`*[ \t]*") ? "" : fence;
            } else if (opens.matches()) {
                fence = opens.group(1);
                rest.append("\n\n");
            } else if (line.matches("(?: {4}| {0,3}\t).*")) {
                rest.append("\n\n");
            } else {
                rest.append(line).append('\n');
            }
        }
        assertThat(fence).as("a fence that is open in %s", markdown).isEmpty();
        return Stream.of(rest.toString().split("\n[ \t]*\n"))
                .map(paragraph -> paragraph.replaceAll("(?s)(?<!`)(`+)(?!`).*?(?<!`)\\1(?!`)", "code"))
                .collect(Collectors.joining("\n\n"));
    }

    @Test
    void whateverIsWrittenIsTextAndNothingElse() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            String evil = random.ints(1 + random.nextInt(20), 0, PIECES.size())
                    .mapToObj(PIECES::get)
                    .collect(Collectors.joining(random.nextBoolean() ? " " : ""));
            int most = random.nextInt(4) == 0 ? 2 + random.nextInt(60) : 10_000;
            String plain = texts.plain(evil, most);
            String fenced = texts.fenced(evil, most);
            assertThat(Stream.of(plain, fenced, texts.message(evil).replaceAll("(?m)^/", "")))
                    .as("seed %d, round %d: %s", seed, i, evil)
                    .allSatisfy(text ->
                            assertThat(text).doesNotContainPattern(IN_SOURCE).doesNotContain(TOKEN));
            assertThat(outsideCode("## What\n\n" + plain + "\n\nEnd").substring("## What".length()))
                    .as("seed %d, round %d: %s -> %s", seed, i, evil, plain)
                    .doesNotContainPattern(OUTSIDE_CODE)
                    .endsWith("\n\nEnd\n");
            assertThat(outsideCode("Tests\n\n" + fenced + "\n\nEnd").replaceAll("\n+", " "))
                    .as("seed %d, round %d: %s -> %s", seed, i, evil, fenced)
                    .isEqualTo("Tests End ");
        }
    }

    /** A rule of the redactor that spans facts took Maestro's own words between them. */
    @Test
    void aFactIsRedactedByItselfAndBeforeItIsCut() {
        assertThat(texts.fenced("-----BEGIN RSA PRIVATE KEY-----\nMIIE", 100)).endsWith("\n```");
        assertThat(texts.fenced("x".repeat(30) + TOKEN + "y".repeat(30), 60))
                .doesNotContain("ghp_")
                .doesNotContain("012345");
        ForgeText broken = new ForgeText(text -> {
            throw new IllegalStateException(text);
        });
        assertThat(broken.plain("passw0rd", 100) + broken.fenced("passw0rd", 100) + broken.title("passw0rd"))
                .contains("could not be scanned")
                .doesNotContain("passw0rd");
    }

    @Test
    void ordinaryWordsStayAsTheyAre() {
        String text =
                "Adds `greet()` to a.txt, as asked (see above): 100% done!\n\n- one\n* two\n1. three - four\n\nZürich 東京 🚀?";
        assertThat(texts.plain(text, 1_000)).isEqualTo(text);
        assertThat(texts.plain("So:\n```java\nint a_b = 1; // @x\n```\nEnd", 1_000))
                .isEqualTo("So:\n```text\nint a_b = 1; // @x\n```\nEnd");
        assertThat(texts.plain("Ask @ann (#1) and foo_bar", 1_000)).isEqualTo("Ask `@ann` `(#1)` and foo_bar");
        assertThat(texts.title("Write a greeting")).isEqualTo("Write a greeting");
        assertThat(texts.message("Fix UTF-8 names")).isEqualTo("Fix UTF-8 names");
        assertThat(texts.message("fix(greeting)!: mind @Override [WIP] of /a/b"))
                .isEqualTo("fix(greeting)!: mind @Override [WIP] of /a/b");
    }

    @Test
    void aTextGrowsByAFewTimesAtMost() {
        for (String evil : List.of("`", "` ", "\n/", "\u001b", "@ ")) {
            assertThat(texts.fenced(evil.repeat(10_000), 2_000)).as(evil).hasSizeLessThan(4_000);
            assertThat(texts.plain(evil.repeat(10_000), 2_000)).as(evil).hasSizeLessThan(10_000);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Ping @ann, Ping @ ann",
        "Fixes #1, Fixes · # 1",
        "See !2 and x#3, See ! 2 and x# 3",
        "Draft: x, 'Draft, x'",
        "[WIP] x, 'WIP, x'",
        "Draft the letter, Draft the letter",
        "Go [skip ci], Go (skip ci)",
        "mail a@b.org, mail a@b.org"
    })
    void aTitleCallsNobodyAndIsNoDraft(String title, String shown) {
        assertThat(texts.title(title)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[skip ci]",
                "[ci skip]",
                "[no ci]",
                "[skip actions]",
                "[actions skip]",
                "[SKIP-CI]",
                "[ci_skip]",
                "[ skip  ci ]",
                "[CF-Pages-Skip]",
                "[skip netlify]",
                "[skip secret push protection]",
                "***NO_CI***",
                "skip-checks: true",
                "Skip-Checks:true",
                "--skip-ci",
                "ci.skip",
                "merge_request.create",
                "[[skip ci]]",
                "[skip\u0007ci]",
                "Closes #1",
                "fixes: group/project#1",
                "Resolved https://example.org/1",
                "Implements ABC-12",
                "closing issue !3"
            })
    void noCommandToACiOrATrackerGetsIntoACommit(String command) {
        String message = StoryCommits.message(
                "Story 1: x " + command, "It works. " + command + "\n\n" + command, List.of(), "1", 1);
        String words = message.replaceAll("\\\\u0007", "").replaceAll("[^a-zA-Z0-9]", "");
        assertThat(message).doesNotContainIgnoringCase(command);
        assertThat(words).as("is read all the same").contains(command.replaceAll("[^a-zA-Z0-9]", ""));
        assertThat(StoryCommits.message(message, message, List.of(), "1", 1))
                .as("made inert twice")
                .contains(message.strip());
    }

    @Test
    void hiddenCharactersOfACommitAreShown() {
        assertThat(StoryCommits.message("a\u202eb\nc", "d\u001b[2Je\r\nf", List.of(), "1", 1))
                .startsWith("a\\u202eb c\n\nd\\u001b[2Je\nf\n\n");
    }
}
