package io.maestro.llm;

import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.contract.LlmClientContract;
import java.util.concurrent.CountDownLatch;

class ScriptedLlmContractTest extends LlmClientContract {
    @Override
    protected LlmClient answering(LlmResponse... answers) {
        ScriptedLlm.Builder script = ScriptedLlm.builder("m");
        for (LlmResponse answer : answers) {
            Reply reply = Reply.nothing().stopReason(answer.stopReason()).usage(answer.usage());
            for (LlmContent part : answer.content()) {
                reply = part instanceof LlmContent.ToolUse use
                        ? reply.andRawToolCall(use.name(), use.input())
                        : reply.andText(((LlmContent.Text) part).text());
            }
            script.turn(reply);
        }
        return script.build();
    }

    @Override
    protected LlmClient hanging(CountDownLatch asked) {
        return ScriptedLlm.builder("m")
                .turn(request -> {
                    asked.countDown();
                    return Reply.hang();
                })
                .build();
    }
}
