package io.maestro.hosts;

import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.langchain4j.LangChain4jClient;
import io.maestro.llm.langchain4j.LangChain4jTools;
import java.util.List;
import java.util.OptionalDouble;

/** A host on the class path, in a package that Maestro's module does not have. */
public final class LangChain4jHost {
    private LangChain4jHost() {}

    /** Asks a model, and prints which module asked it and what it said, and a tool. */
    public static void main(String[] args) {
        ChatModel model = new ChatModel() {
            @Override
            public ChatResponse doChat(ChatRequest request) {
                return ChatResponse.builder().aiMessage(AiMessage.from("hello")).build();
            }
        };
        LlmRequest request = new LlmRequest(
                new LlmRequest.Origin("coder-001", "042", "CODING"),
                "",
                List.of(LlmMessage.user("go")),
                List.of(),
                1000,
                OptionalDouble.empty());
        System.out.println(LangChain4jClient.class.getModule().getName() + " "
                + LangChain4jClient.builder(model)
                        .model("m")
                        .build()
                        .complete(request)
                        .content());
        LangChain4jTools.of(new Greeter())
                .forEach(tool -> System.out.println(
                        tool.definition().name() + " of " + tool.origin().getSimpleName()));
    }

    /** Has a tool. */
    static final class Greeter {
        @Tool("Greets somebody")
        String greet(@P("who") String name) {
            return "hello, " + name;
        }
    }
}
