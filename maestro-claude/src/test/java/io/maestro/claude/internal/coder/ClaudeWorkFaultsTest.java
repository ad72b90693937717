package io.maestro.claude.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an API that fails, a model that refuses and a sub-agent make of the work, with a fake of the CLI. */
class ClaudeWorkFaultsTest {
    private final FakeTask task = new FakeTask();
    private FakeCli cli;
    private Parts parts;
    private ClaudeWork work;

    private ClaudeWork work(FakeCli.Act... acts) {
        work = new ClaudeWork(
                task,
                new EndedSessions(),
                given -> {
                    parts = given;
                    cli = new FakeCli(given, List.of(acts));
                    return cli;
                },
                closed -> {});
        return work;
    }

    /** Somebody may be asked about it. */
    @Test
    void aCallThatAPolicyDecidesOnStopsTheClock() {
        task.decides = true;
        List<String> limits = new CopyOnWriteArrayList<>();
        work(run -> {
            run.call("shell", "{}");
            limits.addAll(run.limits);
            run.call("submit_plan", "{}");
        });
        work.run(new AgentTask(List.of()));
        assertThat(limits).containsExactly("suspended", "resumed");
    }

    @AfterEach
    void nothingFailedInThePlay() {
        work.close();
        assertThat(cli.failures).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "529, server_error, Overloaded",
        "429, rate_limit, slow down",
        "500, '', Internal server error",
        "0, server_error, Request timed out",
        "0, server_error, API Error: Unable to connect to API (ConnectionRefused)"
    })
    void anApiThatIsDownIsWaitedFor(int status, String kind, String text) {
        work(run -> run.ends(Ending.FAILED, text, status, kind));

        assertThatThrownBy(() -> work.run(new AgentTask(List.of())))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining(text);
    }

    @Test
    void theTimeThatTheApiHasNamedIsWaitedFor() {
        work(run -> run.ends(Ending.FAILED, "slow down", 429, "rate_limit"));
        cli.retryAfter = Duration.ofHours(5);

        assertThatThrownBy(() -> work.run(new AgentTask(List.of())))
                .isInstanceOfSatisfying(
                        RetriableException.class,
                        failure -> assertThat(failure.retryAfter()).contains(Duration.ofHours(5)));
    }

    @ParameterizedTest
    @CsvSource({
        "401, authentication_failed, Invalid API key · Fix external API key, ANTHROPIC_API_KEY",
        "403, authentication_failed, Failed to authenticate, ANTHROPIC_API_KEY",
        "0, authentication_failed, Not logged in · Please run /login, ANTHROPIC_API_KEY",
        "402, unknown, API Error: 402 credit balance too low, billing",
        "400, billing_error, Credit balance is too low, billing"
    })
    void whatWillNeverWorkIsSaidAtOnce(int status, String kind, String text, String advice) {
        work(run -> run.ends(Ending.FAILED, text, status, kind));

        assertThatThrownBy(() -> work.run(new AgentTask(List.of())))
                .isInstanceOf(MaestroException.class)
                .isNotInstanceOf(RetriableException.class)
                .hasMessageContainingAll(text, advice);
        assertThat(cli.said).hasSize(1);
    }

    @Test
    void aKeyThatIsRefusedTwiceIsNotTriedTenTimes() {
        List<FakeCli.Run> runs = new CopyOnWriteArrayList<>();
        work(run -> {
            runs.add(run);
            parts.listener().onEvent(new ClaudeEvent.ApiRetry(1, 401, 500));
            parts.listener().onEvent(new ClaudeEvent.ApiRetry(2, 401, 1000));
        });

        assertThatThrownBy(() -> work.run(new AgentTask(List.of())))
                .isInstanceOf(MaestroException.class)
                .isNotInstanceOf(RetriableException.class)
                .hasMessageContainingAll("401", "ANTHROPIC_API_KEY");
        assertThat(runs.get(0).closed).isTrue();
    }

    @Test
    void aRefusalBeginsANewSessionOnce() {
        work(run -> run.ends(Ending.REFUSED, "start a new session"), run -> run.call("submit_plan", "{}"));
        assertThat(work.run(new AgentTask(List.of())))
                .extracting(AgentResult::ending)
                .isEqualTo(AgentResult.Ending.COMPLETED);
        assertThat(cli.said).hasSize(2).allMatch(said -> said.startsWith("start: the story"));
        work.close();

        task.session = null;
        work(run -> run.ends(Ending.REFUSED, "no"), run -> run.ends(Ending.REFUSED, "no, never"));
        assertThat(work.run(new AgentTask(List.of())))
                .satisfies(stuck -> assertThat(stuck.ending()).isEqualTo(AgentResult.Ending.STUCK))
                .satisfies(stuck -> assertThat(stuck.text()).contains("refuses", "no, never"));
    }

    @Test
    void aSubAgentEndsNoStateAndMovesNoContainerAndAsksNothing() {
        task.terminal = List.of("submit_plan", "ask_question");
        List<ToolResult> results = new CopyOnWriteArrayList<>();
        work(run -> {
            results.add(run.callOfSubAgent("submit_plan", "{}"));
            results.add(run.callOfSubAgent("ask_question", "{}"));
            results.add(run.callOfSubAgent("container_switch", "{}"));
            results.add(run.callOfSubAgent("shell", "{}"));
            run.call("submit_plan", "{\"plan\":\"of the main conversation\"}");
        });

        assertThat(work.run(new AgentTask(List.of())))
                .extracting(AgentResult::ending)
                .isEqualTo(AgentResult.Ending.COMPLETED);
        assertThat(results.subList(0, 3))
                .allMatch(ToolResult::isError)
                .allMatch(result -> result.text().contains("sub-agent"));
        assertThat(results.get(3).isError()).isFalse();
        assertThat(task.calls).containsExactly("shell {}", "submit_plan {\"plan\":\"of the main conversation\"}");
    }
}
