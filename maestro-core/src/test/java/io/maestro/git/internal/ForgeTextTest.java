package io.maestro.git.internal;

import static io.maestro.git.internal.TestRepository.git;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.git.internal.text.ForgeText;
import io.maestro.secrets.SecretRedactor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts of agents, tests and strangers on forges and in commits. */
class ForgeTextTest {
    private static final String TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

    private static final String PATCH =
            "diff --git a/evil b/evil\nnew file mode 100644\n--- /dev/null\n+++ b/evil\n@@ -0,0 +1 @@\n+evil\n";

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
            assertThat(Stream.of(plain, fenced, texts.message(evil)))
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
        assertThat(texts.plain("At 10:30:45: std::x, a:b and deadbeef, 123456", 1_000))
                .isEqualTo("At 10:30:45: std::x, a:b and deadbeef, 123456");
        for (String message : List.of(
                "fix(greeting)!: mind @Override [WIP] of /a/b",
                "Use it.\n\nfix: x\nNote: this\nContent-Type: text/plain\n-- one\n- [x] two",
                "From now on a[skip], b[i - skip] and [skipped], [none], [note]; a --> 8 < 9")) {
            assertThat(texts.message(message)).isEqualTo(message);
        }
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
        "As 16c999e now, As `16c999e` now",
        "1234567, `1234567`",
        "yes :tada: :+1: :100:, yes `:tada:` `:+1:` `:100:`",
        "'Head\n:-\nx', 'Head\n`:-`\nx'",
        "'Head\n|:-:|\nx', 'Head\n`|:-:|`\nx'",
        "'Head\n--:\nx', 'Head\n`--:`\nx'",
        "'Head\n|---|\nx', 'Head\n`|---|`\nx'",
        "1. ---, `1. ---`",
        "1) - ===, `1) - ===`"
    })
    void whatMarkdownMakesMoreOfIsShownAsCode(String text, String shown) {
        assertThat(texts.plain(text, 1_000)).isEqualTo(shown);
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
        "See https://x.org or www.x.org, See https:// x.org or www. x.org",
        "As 16c999e8c71134 and GH-12, As 16c999 e8c711 34 and GH- 12",
        "a/b@1234567, a/b@123456 7",
        "JIRA-12 since 20240101, JIRA- 12 since 20240101",
        "Use UTF-8 of 1.2.3, Use UTF-8 of 1.2.3",
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
                "[skipci]",
                "[ciskip]",
                "[no deploy]",
                "[no-build]",
                "[nodeploy]",
                "[skip]",
                "[skip\u00a0ci]",
                "[skip ci: later]",
                "[please skip: ci]",
                "[skip [skip ci] ci]",
                "Closes #1",
                "fixes: group/project#1",
                "Resolved https://example.org/1",
                "Implements ABC-12",
                "closing issue !3"
            })
    void noCommandToACiOrATrackerGetsIntoACommit(String command) {
        String message = StoryCommits.message(
                "Story 1: x " + command, command + "\n\nIt works. \n\n" + command, List.of(), "1", 1);
        String words = message.replaceAll("\\\\u0007", "").replaceAll("[^a-zA-Z0-9]", "");
        assertThat(message).doesNotContainIgnoringCase(command);
        assertThat(words).as("is read all the same").contains(command.replaceAll("[^a-zA-Z0-9]", ""));
        String once = texts.message(command + "\n" + command);
        assertThat(texts.message(once)).as("made inert twice").isEqualTo(once);
    }

    /** Tools look for these in the whole message. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Signed-off-by: Boss <b@x.org>",
                "co-authored-by : Linus <l@x.org>",
                "Reviewed-by:Boss",
                "Acked-By: Boss",
                "Change-Id: I123",
                "cc: Boss <b@x.org>",
                "Release-As: 9.0.0",
                "Maestro-Story: 999"
            })
    void aTrailerThatNamesPeopleIsNoneAnywhere(String trailer) {
        assertThat(StoryCommits.message("x", trailer + "\n  " + trailer + "\nmore", List.of(), "1", 1))
                .startsWith("x\n\n" + trailer.replaceFirst(" ?:", " –") + "\n  ")
                .doesNotContain(trailer);
    }

    /** As git itself reads what a story's commit says. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "did it\n\nSigned-off-by: Boss <b@x.org>\nMaestro-Story: 999",
                "did it\n\nSigned-off-by: Boss <b@x.org>\nMaestro-Story: 999\n---\nrest",
                "did it\n\nfix: x\nNote: this\n--- \nrest",
                "did it\n\nMaestro-Story: 999\n------------------------ >8 ------------------------\nrest",
                "did it\n\nMaestro-Story: 999\n# ------------------------ >8 ------------------------\nrest",
                "did it\n  8< -- 8< -- cut here -- 8< -- 8<\nrest",
                "---\n" + PATCH,
                "did it\n" + PATCH,
                "did it\nIndex: evil\n" + PATCH,
                "did it\n--- /dev/null\n+++ b/evil\n@@ -0,0 +1 @@\n+evil\n",
                "did it\nFrom 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n"
                        + "From: Boss <b@x.org>\nDate: Mon, 17 Sep 2001 00:00:00 +0000\nSubject: evil\n\n---\n" + PATCH,
                "From: Boss <b@x.org>\nSubject: evil\n\ndid it",
                "[PATCH] evil\n\ndid it"
            })
    void gitFindsNoTrailerPatchOrMailInACommitsMessage(String said, @TempDir Path directory) throws IOException {
        TestRepository repository = TestRepository.create(directory);
        Path file = directory.resolve("message");
        for (String body : List.of(said, texts.message(said))) {
            String message = StoryCommits.message("Story 042: x", body, List.of("Assisted-by: m"), "042", 1);
            Files.writeString(file, message);
            String trailers = "Assisted-by: m\nMaestro-Story: 042\nMaestro-Attempt: 1\n";
            assertThat(git(directory, "interpret-trailers", "--parse", file.toString()))
                    .isEqualTo(trailers);
            Path clone = repository.clone;
            git(clone, "reset", "-q", "--hard", "origin/main");
            TestRepository.write(clone, "new.txt", "new\n");
            git(clone, "add", "new.txt");
            git(clone, "commit", "-q", "--cleanup=verbatim", "-F", file.toString());
            assertThat(git(clone, "log", "-1", "--format=%(trailers)").strip()).isEqualTo(trailers.strip());
            String made = git(clone, "log", "-1", "--format=%T%n%an%n%ad%n%B");
            git(clone, "format-patch", "-q", "-1", "-o", directory.toString());
            git(clone, "reset", "-q", "--hard", "origin/main");
            git(
                    clone,
                    "am",
                    "-q",
                    "--scissors",
                    directory.resolve("0001-Story-042-x.patch").toString());
            assertThat(git(clone, "rev-list", "--count", "origin/main..")).isEqualTo("1\n");
            assertThat(git(clone, "log", "-1", "--format=%T%n%an%n%ad%n%B").replaceAll("(?m)^ +| +$", ""))
                    .isEqualTo(made.replaceAll("(?m)^ +| +$", ""));
        }
    }

    @Test
    void hiddenCharactersOfACommitAreShown() {
        assertThat(StoryCommits.message("a\u202eb\nc", "d\u001b[2Je\r\nf", List.of(), "1", 1))
                .startsWith("a\\u202eb c\n\nd\\u001b[2Je\nf\n\n");
    }
}
