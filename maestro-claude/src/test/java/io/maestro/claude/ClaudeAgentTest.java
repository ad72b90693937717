package io.maestro.claude;

import io.maestro.AgentBuilder;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.StubApi;
import io.maestro.testkit.contract.AgentContract;
import io.maestro.testkit.contract.PlayedModel;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The real Claude Code CLI as an agent that works alone, with a stub of the API. */
@RequiresClaude
@Full("a start of the CLI for each case; ModelAgentTest has them with Maestro's own loop")
@Execution(ExecutionMode.CONCURRENT)
class ClaudeAgentTest extends AgentContract {
    private static final String MODEL = "claude-sonnet-4-5";
    private static final String PREFIX = "mcp__maestro__";

    private final List<StubApi> apis = new ArrayList<>();

    @AfterEach
    void stopApis() {
        apis.forEach(StubApi::close);
    }

    @Override
    protected String model() {
        return MODEL;
    }

    @Override
    protected AgentBuilder withModel(AgentBuilder builder, PlayedModel model) {
        StubApi api = StubApi.start(request -> reply(model.say(asked(request))));
        apis.add(api);
        return builder.program(ClaudeCodeMode.builder()
                .model(MODEL)
                .program(RealClaude.program().toString())
                .apiKey("sk-ant-fake-planted-2b9e44")
                .baseUrl(URI.create(api.baseUrl()))
                .build());
    }

    private static PlayedModel.Asked asked(ApiRequest request) {
        return new PlayedModel.Asked(
                request.turns(),
                request.system(),
                request.userTexts(),
                request.answers().stream()
                        .map(answer -> new PlayedModel.Result(answer.text(), answer.isError()))
                        .toList(),
                request.tools().stream().map(name -> name.replace(PREFIX, "")).toList());
    }

    private static ApiReply reply(PlayedModel.Said said) {
        if (said.hangs()) {
            return ApiReply.hang();
        }
        return said.tool().isEmpty()
                ? ApiReply.text(said.text())
                : ApiReply.text("I go on.").andUseWithId("", PREFIX + said.tool(), said.input());
    }
}
