package io.maestro.tools.typed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.tools.InputSchema;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.lang.reflect.Parameter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Annotated methods as tools. */
class MethodToolTest {
    enum Level {
        LOW,
        HIGH
    }

    record Found(String key, @Nullable String owner, List<Level> levels, Optional<URI> link, double share) {}

    static class Base {
        @ToolMethod(description = "Says what a subclass overrides")
        String overridden() {
            return "base";
        }

        @ToolMethod(description = "Is not a tool in the subclass")
        String dropped() {
            return "base";
        }

        @ToolMethod(name = "inherited", description = "Comes from the superclass")
        String ofTheBase() {
            return "inherited";
        }
    }

    static final class Tools extends Base {
        @Override
        @ToolMethod(description = "Says what a subclass overrides")
        String overridden() {
            return "sub";
        }

        @Override
        String dropped() {
            return "sub";
        }

        @ToolMethod(
                name = "find",
                description = "Finds a ticket",
                readOnly = true,
                audiences = {ToolAudience.ARCHITECT, ToolAudience.CODER_PLANNING},
                seconds = 7)
        Found find(ToolContext context, @Argument("Ticket key") String key, ToolCall call, @Nullable Integer limit) {
            return new Found(
                    key,
                    limit == null ? null : context.agentId() + call.id(),
                    List.of(Level.HIGH),
                    Optional.of(URI.create("a:b")),
                    Double.NaN);
        }

        @ToolMethod(description = "Returns nothing")
        static void nothing(Optional<String> text) {
            assertThat(text).isEmpty();
        }

        @ToolMethod(description = "Fails")
        int fails(boolean checked) throws IOException {
            if (checked) {
                throw new IOException("no space");
            }
            throw new AssertionError("broken");
        }

        @ToolMethod(description = "Ends with a signal")
        ToolResult result() {
            return ToolResult.error("as it is");
        }

        @ToolMethod(description = "Returns a list")
        List<Object> list() {
            return List.of(1, "a\"\n\u0001\ud800", Map.of("k", true), Optional.empty());
        }

        @ToolMethod(description = "Returns a map")
        Map<Level, Object> map() {
            return new EnumMap<>(Map.of(Level.LOW, 2));
        }

        @ToolMethod(description = "Returns what holds itself")
        List<Object> endless() {
            List<Object> list = new ArrayList<>();
            list.add(list);
            return list;
        }

        @ToolMethod(description = "Returns what is no data")
        List<Object> odd() {
            return List.of(new Tools());
        }
    }

    private static final Map<String, ToolFactory> TOOLS = TypedTools.ofMethods(new Tools()).stream()
            .collect(Collectors.toMap(tool -> tool.definition().name(), tool -> tool));

    private static ToolResult call(String tool, Map<String, ?> arguments) throws Exception {
        ToolFactory factory = TOOLS.get(tool);
        assertThat(factory).as(tool).isNotNull();
        return Calls.call(factory, arguments);
    }

    @Test
    void eachAnnotatedMethodIsATool() {
        assertThat(TypedTools.ofMethods(new Tools()))
                .extracting(tool -> tool.definition().name())
                .containsExactly(
                        "endless",
                        "fails",
                        "find",
                        "inherited",
                        "list",
                        "map",
                        "nothing",
                        "odd",
                        "overridden",
                        "result");
        ToolDefinition find = TypedTools.ofMethods(new Tools()).get(2).definition();
        assertThat(find.description()).isEqualTo("Finds a ticket");
        assertThat(find.readOnly()).isTrue();
        assertThat(find.audiences()).containsExactlyInAnyOrder(ToolAudience.ARCHITECT, ToolAudience.CODER_PLANNING);
        assertThat(find.timeLimit()).isEqualTo(Duration.ofSeconds(7));
        assertThat(find.input())
                .isEqualTo(InputSchema.of(
                        schema -> schema.requiredString("key", "Ticket key").optionalInteger("limit", "")));
        ToolFactory other = TypedTools.ofMethods(new Tools()).get(9);
        assertThat(other.definition().audiences()).containsExactly(ToolAudience.CODER_CODING);
        assertThat(other.definition().timeLimit()).isEqualTo(ToolDefinition.DEFAULT_TIME_LIMIT);
        assertThat(other.origin()).isEqualTo(Tools.class);
    }

    @Test
    void contextAndCallArePassedIn() throws Exception {
        ToolResult answer = call("find", Map.of("limit", 3, "key", "APP-1"));
        assertThat(answer.data())
                .isEqualTo(Map.of(
                        "key",
                        "APP-1",
                        "owner",
                        "coder-007call-1",
                        "levels",
                        List.of("HIGH"),
                        "link",
                        "a:b",
                        "share",
                        "NaN"));
    }

    @Test
    void whatIsReturnedIsTextAndData() throws Exception {
        ToolResult found = call("find", Map.of("key", "APP-1"));
        assertThat(found.text())
                .isEqualTo(
                        "{\"key\":\"APP-1\",\"owner\":null,\"levels\":[\"HIGH\"],\"link\":\"a:b\",\"share\":\"NaN\"}");
        assertThat(found.data()).doesNotContainKey("owner");
        assertThat(call("nothing", Map.of()).text()).isEqualTo("done");
        assertThat(call("overridden", Map.of()).text()).isEqualTo("sub");
        assertThat(call("inherited", Map.of()).text()).isEqualTo("inherited");
        assertThat(call("result", Map.of()).isError()).isTrue();
        assertThat(call("list", Map.of()).text()).isEqualTo("[1,\"a\\\"\\n\\u0001\\ud800\",{\"k\":true},null]");
        assertThat(call("list", Map.of()).data()).containsOnlyKeys("items");
        assertThat(call("map", Map.of()).text()).isEqualTo("{\"LOW\":2}");
        assertThatIllegalStateException()
                .isThrownBy(() -> call("endless", Map.of()))
                .withMessageContaining("100 levels");
        assertThatIllegalStateException()
                .isThrownBy(() -> call("odd", Map.of()))
                .withMessageContaining(Tools.class.getName());
    }

    @Test
    void whatAMethodThrowsComesOutAsItIs() throws Exception {
        assertThatThrownBy(() -> call("fails", Map.of("checked", true)))
                .isInstanceOf(IOException.class)
                .hasMessage("no space");
        assertThatThrownBy(() -> call("fails", Map.of("checked", false)))
                .isInstanceOf(AssertionError.class)
                .hasMessage("broken");
        assertThat(call("fails", Map.of()).text()).contains("$.checked: is missing");
    }

    static final class Same {
        @ToolMethod(name = "same", description = "One")
        void one() {}

        @ToolMethod(name = "same", description = "Two")
        void two() {}
    }

    static final class Odd {
        @ToolMethod(description = "Returns an object")
        Object returnsAnything() {
            return this;
        }
    }

    static final class Nameless {
        @ToolMethod(description = " ")
        void nameless() {}
    }

    @Test
    void whatCannotBeAToolIsRefused() {
        refused(new Object(), "java.lang.Object has no method with @ToolMethod");
        refused(new Same(), "'same' is taken twice", "one()", "two()");
        refused(new Odd(), "Odd.returnsAnything returns java.lang.Object", "return String");
        refused(new Nameless(), "'nameless' has no description");
    }

    @Test
    void aParameterWithoutANameMustBeGivenOne() throws Exception {
        Parameter parameter =
                Tools.class.getDeclaredMethod("fails", boolean.class).getParameters()[0];
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        Member.of(parameter, parameter.getAnnotatedType(), null, "parameter 'arg0' of X.y", Set.of()))
                .withMessageStartingWith(
                        "the name of parameter 'arg0' of X.y is not in its class file: compile with -parameters")
                .withMessageContaining("@Argument(name = …)");
    }

    private static void refused(Object object, String... parts) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TypedTools.ofMethods(object))
                .satisfies(e -> assertThat(e.getMessage()).contains(parts));
    }
}
