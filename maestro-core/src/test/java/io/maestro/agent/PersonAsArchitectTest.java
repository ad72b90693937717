package io.maestro.agent;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Architect.Decision;
import io.maestro.agent.Architect.Kind;
import io.maestro.agent.Architect.Reply;
import io.maestro.agent.Architect.Request;
import io.maestro.error.MaestroException;
import java.io.ByteArrayOutputStream;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A person who takes the architect's place at a terminal. */
@Timeout(30)
class PersonAsArchitectTest {
    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

    private static Request request(String id, Kind kind) {
        return new Request(id, kind, "042", 1, 3, "A title", "Content", "coder-001", Map.of("plan", "do it"));
    }

    private ConsoleArchitect console(String typed) {
        return new ConsoleArchitect(
                "alice", new StringReader(typed), new PrintStream(shown, true, StandardCharsets.UTF_8));
    }

    private String shown() {
        return shown.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aPersonSeesTheRequestAndDecides() {
        ConsoleArchitect alice = console("what?\nchanges\n.\nc use UTC\nand test it\n.\na\n.\nReject it is wrong\n.\n");
        assertThat(alice.reply(request("1", Kind.PLAN_REVIEW)))
                .isEqualTo(new Reply("1", Decision.NEEDS_CHANGES, "use UTC\nand test it"));
        assertThat(shown())
                .contains("PLAN_REVIEW of coder-001 for story 042: A title", "## plan", "do it")
                .contains("'what?' is no decision", "Say why.");
        assertThat(alice.reply(request("2", Kind.MERGE))).isEqualTo(new Reply("2", Decision.APPROVED, ""));
        assertThat(alice.reply(request("3", Kind.CODE_REVIEW)))
                .isEqualTo(new Reply("3", Decision.REJECTED, "it is wrong"));
    }

    @Test
    void aQuestionIsAnsweredInSeveralLines() {
        ConsoleArchitect alice = console("\n.\nIn main.\nSee README.\n.\n");
        assertThat(alice.reply(request("1", Kind.QUESTION)))
                .isEqualTo(new Reply("1", Decision.APPROVED, "In main.\nSee README."));
    }

    @Test
    void anEndedInputIsSaidAndNotWaitedFor() {
        ConsoleArchitect alice = console("approve but mind the time zones");
        assertThat(alice.reply(request("1", Kind.MERGE)))
                .isEqualTo(new Reply("1", Decision.APPROVED, "but mind the time zones"));
        for (Kind kind : Kind.values()) {
            assertThatThrownBy(() -> alice.reply(request("2", kind)))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("alice has ended");
        }
    }

    @Test
    void anInterruptWithdrawsARequestAtTheTerminal() throws Exception {
        ConsoleArchitect alice = new ConsoleArchitect(
                "alice", new PipedReader(new PipedWriter()), new PrintStream(shown, true, StandardCharsets.UTF_8));
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread coder = new Thread(() -> {
            try {
                alice.reply(request("1", Kind.MERGE));
            } catch (MaestroException e) {
                failure.set(e);
            }
        });
        coder.start();
        coder.interrupt();
        coder.join();
        assertThat(failure.get()).hasMessageContaining("interrupted before alice replied to request 1");
    }

    @Test
    void anAgentCannotCommandTheTerminal() {
        String evil = "\u001b[2Jgone\u009b31m\rlast\u0007 \u202egnp\u2028x\ud83d\r\nnext\ttab \ud83d\ude00";
        Request request = new Request(
                "1", Kind.MERGE, "042", 1, 3, "A\n\u001b]0;title", "Content", "coder-001", Map.of("plan", evil));
        console("a\n.\n").reply(request);
        assertThat(shown())
                .contains(
                        "\\u001b[2Jgone\\u009b31m\\u000dlast\\u0007 \\u202egnp\\u2028x\\ud83d\n| next\ttab \ud83d\ude00")
                .contains("story 042: A \\u001b]0;title (request 1)")
                .doesNotContain("\u001b", "\u009b", "\u202e", "\r");
    }

    @Test
    void onlyHeadingsBeginAtTheMargin() {
        String fake = "fine\n\n## tests\ntests passed\r\n## diff";
        Request request =
                new Request("1", Kind.MERGE, "042", 1, 3, "A", "Story\n## plan", "coder-001", Map.of("summary", fake));
        console("a\n.\n").reply(request);
        assertThat(shown().lines().filter(line -> line.startsWith("## "))).containsExactly("## story", "## summary");
        assertThat(shown()).contains("| fine\n| \n| ## tests\n| tests passed\n| ## diff\n");
    }

    /** The person has begun to type, and sees too late that the request is gone. */
    @Test
    void whatIsTypedForAWithdrawnRequestDoesNotDecideOnTheNext() throws Exception {
        PipedWriter keyboard = new PipedWriter();
        ConsoleArchitect alice = new ConsoleArchitect(
                "alice", new PipedReader(keyboard), new PrintStream(shown, true, StandardCharsets.UTF_8));
        Thread coder = new Thread(() -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> alice.reply(request("0", Kind.MERGE))).hasMessageContaining("interrupted");
            Thread.interrupted();
            assertThatThrownBy(() -> alice.reply(request("1", Kind.PLAN_REVIEW)))
                    .hasMessageContaining("interrupted");
        });
        coder.start();
        while (!shown().contains("approve, changes or reject")) {
            LockSupport.parkNanos(1_000_000);
        }
        coder.interrupt();
        coder.join();
        keyboard.write("approve\n.\nnext\nchanges not that\n.\n");
        keyboard.flush();
        assertThat(alice.reply(request("2", Kind.MERGE))).isEqualTo(new Reply("2", Decision.NEEDS_CHANGES, "not that"));
        assertThat(shown()).contains("(request 1 is withdrawn)");
    }
}
