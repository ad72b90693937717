package io.maestro.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.maestro.testing.Full;
import io.maestro.tools.InputSchema;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of tools finds what is wrong with a tool. */
class ToolContractTest {
    @TempDir
    Path directory;

    private interface Check {
        void run(ToolContract contract) throws Exception;
    }

    private static ToolFactory factory(UnaryOperator<ToolDefinition.Builder> definition, Tool tool) {
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return definition
                        .apply(ToolDefinition.builder("faulty").description("Has a fault"))
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return tool;
            }
        };
    }

    private void finds(ToolFactory factory, Check check, String... messages) throws Exception {
        ToolContract contract = new ToolContract() {
            @Override
            protected ToolFactory factory() {
                return factory;
            }

            @Override
            protected String validArguments() {
                return "{}";
            }

            @Override
            protected Optional<String> slowArguments() {
                return Optional.of("{}");
            }
        };
        contract.directory = directory;
        contract.open();
        try {
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> check.run(contract))
                    .satisfies(e -> assertThat(e.getMessage()).contains(messages));
        } finally {
            contract.close();
        }
    }

    @Full("waits until the runtime leaves a tool behind, 2 s twice")
    @Test
    void aToolThatIgnoresACancellation() throws Exception {
        Tool stubborn = call -> {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            return ToolResult.ok("done");
        };
        finds(
                factory(d -> d, stubborn),
                ToolContract::stopsWhenItIsCancelledAndAtItsTimeLimit,
                "has not stopped within");
    }

    @Test
    void aToolThatCannotBeClosed() throws Exception {
        Tool leaks = new Tool() {
            @Override
            public ToolResult execute(ToolCall call) {
                return ToolResult.ok("fine");
            }

            @Override
            public void close() {
                throw new IllegalStateException("still connected");
            }
        };
        finds(factory(d -> d, leaks), ToolContract::closesWithItsAgent, "still connected");
    }

    @Test
    void aToolThatSaysThatItOnlyReads() throws Exception {
        ToolFactory writes = new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder("faulty")
                        .description("Has a fault")
                        .readOnly()
                        .offeredTo(ToolAudience.CODER_CODING)
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> {
                    context.files().write("written.txt", "x");
                    return ToolResult.ok("fine");
                };
            }
        };
        finds(writes, ToolContract::leavesTheWorkspaceAsItIsWhenItOnlyReads, "written.txt");
    }

    @Test
    void aPropertyWithoutADescription() throws Exception {
        Property item = Property.object("A thing", thing -> thing.optional("deep", Property.string("")));
        finds(
                factory(
                        d -> d.input(schema -> schema.optional("things", Property.array("Things", item))),
                        call -> ToolResult.ok("fine")),
                ToolContract::tellsAModelWhatItDoes,
                "$.things[].deep");
    }

    @Test
    void anAnswerThatCannotBeSent() throws Exception {
        finds(
                factory(d -> d, call -> ToolResult.ok("half a character: \ud83d")),
                ToolContract::answersAValidCall,
                "the answer is text that can be sent");
    }

    @Test
    void aSchemaThatAWireDoesNotCarry() {
        Map<String, Object> name = Map.of("type", "object", "properties", Map.of("a b", Map.of("type", "string")));
        Map<String, Object> top = Map.of("type", "object", "anyOf", List.of(Map.of("required", List.of("a"))));
        Map<String, Object> open = Map.of(
                "type",
                "object",
                "properties",
                Map.of("a", Map.of("type", "object", "additionalProperties", Map.of("type", "string"))));

        assertThat(faults(name)).containsExactly("the property 'a b' is not of 1 to 64 letters, digits, _, . and -");
        assertThat(faults(top)).contains("anyOf at the top of the schema");
        assertThat(faults(open)).singleElement().asString().startsWith("the schema has no strict form");
        assertThat(WireFormats.faults(definition(open), false, "{}")).isEmpty();
    }

    private static List<String> faults(Map<String, Object> schema) {
        return WireFormats.faults(definition(schema), true, "{}");
    }

    private static ToolDefinition definition(Map<String, Object> schema) {
        return ToolDefinition.builder("faulty")
                .description("Has a fault")
                .input(InputSchema.ofMap(schema))
                .build();
    }

    @Test
    void wrongArgumentsAreMadeOfValidOnes() {
        InputSchema schema = InputSchema.of(properties -> properties
                .requiredString("text", "A text")
                .optionalInteger("number", "A number")
                .optional("list", Property.array("A list", Property.string("One"))));

        assertThat(WrongArguments.of(schema, "{\"text\":\"x\"}"))
                .isEqualTo(Map.of(
                        "text", "{\"text\":[]}",
                        "number", "{\"text\":\"x\",\"number\":[]}",
                        "list", "{\"text\":\"x\",\"list\":true}",
                        "no_such_property", "{\"text\":\"x\",\"no_such_property\":1}"));
    }
}
