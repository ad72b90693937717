package io.maestro;

import dev.langchain4j.agent.tool.P;
import io.maestro.command.CommandTool;
import io.maestro.llm.langchain4j.LangChain4jTools;
import io.maestro.testkit.contract.ToolContract;
import io.maestro.tools.Property;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import io.maestro.tools.typed.Argument;
import io.maestro.tools.typed.ToolMethod;
import io.maestro.tools.typed.TypedTools;
import org.junit.jupiter.api.Nested;

/** What every tool must do, of one tool of each kind that nobody wrote as a {@link ToolFactory}. */
class BorrowedKindsContractTest {
    record Key(@Argument("Ticket key") String key) {}

    static final class Annotated {
        @ToolMethod(name = "ticket", description = "Reads a ticket", readOnly = true)
        String read(@Argument("Ticket key") String key) {
            return "ticket " + key;
        }
    }

    static final class OfTheLibrary {
        @dev.langchain4j.agent.tool.Tool(name = "ticket", value = "Reads a ticket")
        String read(@P("Ticket key") String key) {
            return "ticket " + key;
        }
    }

    abstract static class Kind extends ToolContract {
        @Override
        protected String validArguments() {
            return "{\"key\": \"APP-1\"}";
        }

        @Override
        protected boolean announced() {
            return false;
        }
    }

    @Nested
    class OfARecord extends Kind {
        @Override
        protected ToolFactory factory() {
            return TypedTools.ofRecord(
                    ToolDefinition.builder("ticket")
                            .description("Reads a ticket")
                            .readOnly(),
                    Key.class,
                    (context, arguments) -> ToolResult.ok("ticket " + arguments.key()));
        }
    }

    @Nested
    class OfAMethod extends Kind {
        @Override
        protected ToolFactory factory() {
            return TypedTools.ofMethods(new Annotated()).get(0);
        }
    }

    @Nested
    class OfLangChain4j extends Kind {
        @Override
        protected ToolFactory factory() {
            return LangChain4jTools.of(new OfTheLibrary()).get(0);
        }
    }

    @Nested
    class OfACommand extends Kind {
        @Override
        protected ToolFactory factory() {
            return CommandTool.builder("ticket", "echo", "ticket", "{key}")
                    .description("Reads a ticket")
                    .argument("key", Property.string("Ticket key"))
                    .build();
        }
    }
}
