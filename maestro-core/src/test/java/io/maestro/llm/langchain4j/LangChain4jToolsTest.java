package io.maestro.llm.langchain4j;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.agent.tool.ToolMemoryId;
import dev.langchain4j.invocation.InvocationParameters;
import io.maestro.testkit.ToolTester;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Objects with LangChain4j's annotation. */
class LangChain4jToolsTest {
    enum Level {
        LOW,
        HIGH
    }

    record Node(String text, List<Node> children) {}

    static class Base {
        @Tool(name = "of_the_base", value = "Comes from the superclass")
        String inherited() {
            return "inherited";
        }
    }

    static final class Tools extends Base {
        @Tool({"Adds a ticket.", "Asks nobody."})
        String add(
                @P("the key") String key,
                @P(value = "how many", required = false) Integer count,
                @P(value = "how often", defaultValue = "3") int times,
                @P(value = "a note", defaultValue = "none") String note,
                Level level,
                Optional<String> owner,
                @ToolMemoryId String agent) {
            return String.join(" ", key, "" + count, "" + times, note, level.name(), "" + owner, agent);
        }

        @Tool
        Node tree(@P(name = "root", description = "the root") Node node) {
            return node;
        }

        @Tool("Returns nothing")
        static void nothing() {}

        @Tool("Fails")
        String fails() throws IOException {
            throw new IOException("the tracker is away");
        }
    }

    private static ToolResult call(String name, Map<String, ?> arguments) {
        ToolFactory factory = LangChain4jTools.of(new Tools()).stream()
                .filter(tool -> tool.definition().name().equals(name))
                .findFirst()
                .orElseThrow();
        try (ToolTester tester = ToolTester.of(factory).build()) {
            return tester.call(arguments);
        }
    }

    @Test
    void namesDescriptionsAndSchemasAreThoseOfTheLibrary() {
        List<ToolFactory> tools = LangChain4jTools.of(new Tools());
        assertThat(tools)
                .extracting(tool -> tool.definition().name())
                .containsExactly("add", "fails", "nothing", "of_the_base", "tree");
        Map<String, Object> schema = tools.get(0).definition().input().asMap();
        assertThat(tools.get(0).definition().description()).isEqualTo("Adds a ticket.\nAsks nobody.");
        assertThat(tools.get(4).definition().description()).isEqualTo("tree");
        assertThat(schema.get("required")).isEqualTo(List.of("key", "level"));
        assertThat(schema.get("additionalProperties")).isEqualTo(false);
        assertThat(schema.get("properties"))
                .hasToString("{key={type=string, description=the key}, count={type=integer, description=how many},"
                        + " times={type=integer, description=how often}, note={type=string, description=a note},"
                        + " level={type=string, enum=[LOW, HIGH]}, owner={type=string}}");
        assertThat(tools.get(0).origin()).isEqualTo(Tools.class);
    }

    @Test
    void argumentsArriveAndAnswersAreText() {
        assertThat(call("add", Map.of("key", "K", "level", "HIGH")).text())
                .isEqualTo("K null 3 none HIGH Optional.empty coder-001");
        assertThat(call("add", Map.of("key", "3", "level", "LOW", "count", 2, "times", 1, "note", "n", "owner", "o"))
                        .text())
                .isEqualTo("3 2 1 n LOW Optional[o] coder-001");
        ToolResult tree = call(
                "tree",
                Map.of("root", Map.of("text", "a", "children", List.of(Map.of("text", "b", "children", List.of())))));
        assertThat(tree.text().replaceAll("\\s", ""))
                .isEqualTo("{\"text\":\"a\",\"children\":[{\"text\":\"b\",\"children\":[]}]}");
        assertThat(call("nothing", Map.of()).text()).isEqualTo("Success");
        assertThat(call("of_the_base", Map.of()).text()).isEqualTo("inherited");
    }

    @Test
    void faultsAreToldToTheModel() {
        assertThat(call("add", Map.of("key", "K", "level", "HIGHEST")).text()).contains("$.level");
        assertThat(call("add", Map.of("kye", "K", "level", "LOW")).text()).contains("$.kye");
        ToolResult tooLarge = call("add", Map.of("key", "K", "level", "LOW", "count", 3_000_000_000L));
        assertThat(tooLarge.isError()).isTrue();
        assertThat(tooLarge.text()).contains("nothing was run", "$.count: ");
        assertThat(call(
                                "tree",
                                Map.of(
                                        "root",
                                        Map.of("text", "a", "children", List.of(Map.of("text", 7, "children", 8)))))
                        .isError())
                .isTrue();
        ToolResult failed = call("fails", Map.of());
        assertThat(failed.isError()).isTrue();
        assertThat(failed.text()).isEqualTo("'fails' failed: java.io.IOException: the tracker is away");
    }

    static final class OfAService {
        @Tool("Takes what only a service has")
        void of(InvocationParameters parameters) {}
    }

    static final class Primitive {
        @Tool("Takes a number or none")
        void of(@P(value = "n", required = false) int n) {}
    }

    static final class Memory {
        @Tool("Takes a number for the memory")
        void of(@ToolMemoryId int id) {}
    }

    static final class Twice {
        @Tool(name = "same", value = "One")
        void one() {}

        @Tool(name = "same", value = "Two")
        void two() {}
    }

    @Test
    void whatCannotBeCalledIsRefused() {
        refused(new Object(), "java.lang.Object has no method with @dev.langchain4j.agent.tool.Tool");
        refused(new OfAService(), "InvocationParameters", "only an AI service");
        refused(new Primitive(), "'n' may be left out", "defaultValue");
        refused(new Memory(), "@ToolMemoryId that is no String");
        refused(new Twice(), "'same' is taken twice", "one()", "two()");
    }

    private static void refused(Object object, String... parts) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LangChain4jTools.of(object))
                .satisfies(e -> assertThat(e.getMessage()).contains(parts));
    }
}
