package io.maestro.runtime;

import static io.maestro.runtime.TestTools.CODING;
import static io.maestro.runtime.TestTools.made;
import static io.maestro.runtime.TestTools.tool;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.runtime.internal.DefaultToolContext;
import io.maestro.tools.AgentTools;
import io.maestro.tools.InputSchema;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToolRegistryTest {
    private static final Tool NOTHING = call -> ToolResult.ok("");

    private final ToolRegistry registry =
            ToolRegistry.builder().builtIn(List.of(tool("shell", NOTHING))).build();

    @Test
    void listsByNameWhateverTheOrderOfRegistration() {
        registry.register(tool("zeta", NOTHING))
                .register(tool("alpha", NOTHING))
                .register(tool("Middle", NOTHING));

        assertThat(registry.definitions())
                .extracting(ToolDefinition::name)
                .containsExactly("Middle", "alpha", "shell", "zeta");
        assertThat(registry.agentTools(CODING).list()).isEqualTo(registry.definitions());
    }

    @Test
    void asksOnceForTheDefinition() {
        AtomicInteger asked = new AtomicInteger();
        registry.register(tool(
                "counted",
                definition -> {
                    asked.incrementAndGet();
                    return definition;
                },
                NOTHING));
        registry.agentTools(CODING).list();
        registry.agentTools(CODING).documentation();

        assertThat(asked).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"maestro_x", "mcp__x", "MCP__x", "shell", "Shell"})
    void refusesReservedNames(String name) {
        assertThatThrownBy(() -> registry.register(tool(name, NOTHING)))
                .isInstanceOf(ToolException.class)
                .hasMessageContainingAll("'" + name + "'", "reserved", TestTools.class.getName(), "test-classes");
    }

    @Test
    void refusesANameThatIsTakenAndNamesBoth() {
        registry.register(tool("ticket", NOTHING));

        assertThatThrownBy(() -> registry.register(new Ticket()))
                .isInstanceOf(ToolException.class)
                .hasMessageContainingAll("'ticket'", "taken", Ticket.class.getName(), TestTools.class.getName());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "ü", "a.b"})
    void refusesInvalidNames(String name) {
        assertThatThrownBy(() -> registry.register(tool(name, NOTHING)))
                .isInstanceOf(ToolException.class)
                .hasMessageContainingAll("not a tool name: '" + name + "'", TestTools.class.getName(), "test-classes");
    }

    @Test
    void refusesAFactoryWithoutADefinition() {
        assertThatThrownBy(() -> registry.register(new NoDefinition()))
                .isInstanceOf(ToolException.class)
                .hasMessageContainingAll("definition() returned null", NoDefinition.class.getName());
    }

    @Test
    void refusesASchemaThatIsNone() {
        assertThatThrownBy(() -> registry.register(tool("odd", d -> d.input(schema("type", "objekt")), NOTHING)))
                .isInstanceOf(ToolException.class)
                .hasMessageContainingAll(
                        "'odd'", "is no JSON Schema", "$.properties.x.type", TestTools.class.getName());
        assertThatThrownBy(() -> registry.register(tool("odd", d -> d.input(schema("pattern", "[")), NOTHING)))
                .isInstanceOf(ToolException.class)
                .hasMessageContainingAll("'odd'", "can't be used", "Unclosed character class");
    }

    /** The rules of a draft say what fits; a vendor asks for those of the newest. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://json-schema.org/draft-04/schema#",
                "http://json-schema.org/draft-06/schema#",
                "http://json-schema.org/draft-07/schema#",
                "https://json-schema.org/draft/2019-09/schema",
                "https://json-schema.org/draft/2020-12/schema#",
            })
    void refusesWhatAVendorWouldRefuseOfAnyDraft(String draft) {
        List<Map<String, Object>> broken = List.of(
                Map.of("properties", Map.of("x", Map.of("type", "strin"))),
                Map.of("properties", Map.of("größe", Map.of("type", "strin"))),
                Map.of("properties", Map.of("x", Map.of("required", true))),
                Map.of("anyOf", List.of(Map.of("properties", Map.of("x", Map.of("minLength", -1))))),
                Map.of("allOf", List.of(Map.of("properties", Collections.singletonMap("x", null)))));
        for (Map<String, Object> keywords : broken) {
            Map<String, Object> schema = new LinkedHashMap<>(keywords);
            schema.putAll(Map.of("$schema", draft, "type", "object"));
            ToolFactory odd = tool("odd", d -> d.input(InputSchema.ofMap(schema)), NOTHING);
            assertThatThrownBy(() -> registry.register(odd))
                    .as("%s", schema)
                    .isInstanceOf(ToolException.class)
                    .hasMessageContainingAll("'odd'", "its input schema");
            registry.borrow("files", List.of(odd));
        }
        assertThat(registry.problems()).hasSize(broken.size());
    }

    @Test
    void refusesASchemaThatIsTooDeep() {
        for (int levels : List.of(101, 300, 400)) {
            Map<String, Object> schema = Map.of("type", "string");
            for (int i = 0; i < levels; i++) {
                schema = Map.of("type", "object", "properties", Map.of("x", schema));
            }
            InputSchema input = InputSchema.ofMap(schema);
            ToolFactory deep = tool("deep", d -> d.input(input), NOTHING);
            assertThatThrownBy(() -> registry.register(deep))
                    .isInstanceOf(ToolException.class)
                    .hasMessageContainingAll("'deep'", "nesting depth");
            registry.borrow("files", List.of(deep));
        }
        assertThat(registry.problems()).hasSize(3);
    }

    private static InputSchema schema(String keyword, Object value) {
        return InputSchema.of(schema -> schema.optional("x", Property.string("").with(keyword, value)));
    }

    @Test
    void isSealedByTheFirstProvider() {
        registry.agentTools(CODING, Set.of());

        assertThatThrownBy(() -> registry.register(tool("late", NOTHING)))
                .isInstanceOf(ToolException.class)
                .hasMessageContainingAll("'late'", "sealed");
    }

    @Test
    void offersByAudienceOrByName() {
        registry.register(tool("look", ToolDefinition.Builder::readOnly, NOTHING))
                .register(tool("judge", d -> d.offeredTo(ToolAudience.ARCHITECT), NOTHING));
        ToolContext planning = DefaultToolContext.builder("coder-001", ToolAudience.CODER_PLANNING)
                .build();
        ToolContext architect =
                DefaultToolContext.builder("architect", ToolAudience.ARCHITECT).build();

        assertThat(names(registry.agentTools(CODING))).containsExactly("look", "shell");
        assertThat(names(registry.agentTools(planning))).containsExactly("look");
        assertThat(names(registry.agentTools(architect))).containsExactly("judge");
        assertThat(names(registry.agentTools(architect, Set.of("shell", "not_on_the_classpath"))))
                .containsExactly("shell");
    }

    @Test
    void saysWhichToolsThereAre() {
        registry.register(tool("read_file", NOTHING));
        AgentTools provider = registry.agentTools(CODING);

        assertThatThrownBy(() -> provider.get("read-fil"))
                .isInstanceOf(ToolException.class)
                .hasMessage(
                        "there is no tool 'read-fil' here; did you mean 'read_file'? available are: read_file, shell");
        assertThatThrownBy(
                        () -> registry.agentTools(CODING, Set.of("read_file")).get("shell"))
                .isInstanceOf(ToolException.class)
                .hasMessage("there is no tool 'shell' here; available are: read_file");
    }

    @Test
    void makesOneInstanceEvenForConcurrentFirstCalls() throws Exception {
        AtomicInteger made = new AtomicInteger();
        registry.register(made("lazy", d -> d, context -> {
            made.incrementAndGet();
            return call -> ToolResult.ok("");
        }));
        AgentTools provider = registry.agentTools(CODING);
        assertThat(made).hasValue(0);

        int callers = 8;
        CyclicBarrier start = new CyclicBarrier(callers);
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            List<Future<Tool>> tools = IntStream.range(0, callers)
                    .mapToObj(i -> threads.submit(() -> {
                        start.await();
                        return provider.get("lazy");
                    }))
                    .toList();
            Tool first = tools.get(0).get();
            for (Future<Tool> tool : tools) {
                assertThat(tool.get()).isSameAs(first);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(made).hasValue(1);

        registry.agentTools(CODING).get("lazy");
        assertThat(made).as("another provider has an instance of its own").hasValue(2);
    }

    @Test
    void aFactoryThatFailsIsNamedAndTriedAgain() {
        AtomicInteger tries = new AtomicInteger();
        registry.register(made("shaky", d -> d, context -> {
            if (tries.incrementAndGet() == 1) {
                throw new NoClassDefFoundError("com/example/Gone");
            }
            return NOTHING;
        }));
        AgentTools provider = registry.agentTools(CODING);

        assertThatThrownBy(() -> provider.get("shaky"))
                .isInstanceOf(ToolException.class)
                .hasMessageContainingAll("'shaky'", TestTools.class.getName(), "test-classes", "com/example/Gone");
        assertThat(provider.get("shaky")).isSameAs(NOTHING);
    }

    @Test
    void aToolWithoutAnExecutorIsToldSo() {
        registry.register(made("runner", d -> d, context -> {
            context.executor();
            return NOTHING;
        }));

        assertThatThrownBy(() -> registry.agentTools(CODING).get("runner"))
                .isInstanceOf(ToolException.class)
                .hasMessageContainingAll("'runner'", "coder-001 (CODER_CODING) has no workspace");
    }

    private static List<String> names(AgentTools provider) {
        return provider.list().stream().map(ToolDefinition::name).toList();
    }

    private static final class Ticket implements ToolFactory {
        @Override
        public ToolDefinition definition() {
            return ToolDefinition.builder("ticket")
                    .description("Reads a ticket")
                    .build();
        }

        @Override
        public Tool create(ToolContext context) {
            return NOTHING;
        }
    }

    private static final class NoDefinition implements ToolFactory {
        @Override
        public ToolDefinition definition() {
            return null;
        }

        @Override
        public Tool create(ToolContext context) {
            return NOTHING;
        }
    }
}
