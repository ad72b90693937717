package io.maestro.tools.typed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.tools.InputSchema;
import io.maestro.tools.Property;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A record as the arguments of a tool. */
class RecordToolTest {
    enum Priority {
        LOW,
        HIGH {
            @Override
            public String toString() {
                return "a constant with a body";
            }
        }
    }

    record Item(
            @Argument("What is wrong") String text,
            @Argument(value = "Where", min = 1, max = 1000) Optional<Integer> line) {}

    record Everything(
            @Argument(value = "Ticket key", min = 1, max = 9)
            String key,

            int number,
            Long large,
            double share,
            BigDecimal exact,
            boolean urgent,
            Priority priority,
            @Argument(value = "What was found", min = 1) List<Item> items,
            Set<String> labels,
            Map<String, Integer> counts,
            Item first,
            @Argument(name = "due-date") @Nullable String due,
            Optional<List<Priority>> others) {}

    private static <T extends Record> ToolFactory tool(Class<T> type, List<T> seen) {
        return TypedTools.ofRecord(
                ToolDefinition.builder("x").description("does it").readOnly(), type, (context, arguments) -> {
                    seen.add(arguments);
                    return ToolResult.ok(context.agentId());
                });
    }

    private static <T extends Record> ToolFactory tool(Class<T> type) {
        return tool(type, new ArrayList<>());
    }

    @Test
    void theSchemaSaysWhatTheRecordSays() {
        assertThat(tool(Everything.class).definition().input())
                .isEqualTo(InputSchema.of(schema -> schema.required(
                                "key",
                                Property.string("Ticket key").minLength(1).maxLength(9))
                        .required("number", Property.integer(""))
                        .required("large", Property.integer(""))
                        .required("share", Property.number(""))
                        .required("exact", Property.number(""))
                        .required("urgent", Property.bool(""))
                        .required("priority", Property.oneOf("", "LOW", "HIGH"))
                        .required(
                                "items",
                                Property.array("What was found", item("")).minItems(1))
                        .required("labels", Property.array("", Property.string("")))
                        .required(
                                "counts",
                                Property.object("", none -> {}).with("additionalProperties", Map.of("type", "integer")))
                        .required("first", item(""))
                        .optional("due-date", Property.string(""))
                        .optional("others", Property.array("", Property.oneOf("", "LOW", "HIGH")))));
        assertThat(tool(Everything.class).definition().readOnly()).isTrue();
        assertThat(tool(Everything.class).origin()).isEqualTo(Everything.class);
    }

    private static Property item(String description) {
        return Property.object(
                description,
                item -> item.requiredString("text", "What is wrong")
                        .optional("line", Property.integer("Where").between(1, 1000)));
    }

    private static Map<String, Object> arguments() {
        Map<String, Object> json = new HashMap<>();
        json.put("key", "APP-1");
        json.put("number", 2.0);
        json.put("large", Long.MAX_VALUE);
        json.put("share", 3);
        json.put("exact", new BigDecimal("0.10000000000000000001"));
        json.put("urgent", true);
        json.put("priority", "HIGH");
        json.put("items", List.of(Map.of("text", "a"), Map.of("text", "b", "line", BigInteger.TEN)));
        json.put("labels", List.of("x", "y", "x"));
        json.put("counts", Map.of("z", 1));
        json.put("first", Map.of("text", "c"));
        return json;
    }

    @Test
    void theRecordHasTheValuesOfTheCall() throws Exception {
        List<Everything> seen = new ArrayList<>();
        Map<String, Object> json = arguments();
        json.put("others", List.of("LOW"));
        json.put("due-date", null);
        assertThat(Calls.call(tool(Everything.class, seen), json).text()).isEqualTo("coder-007");
        assertThat(seen)
                .containsExactly(new Everything(
                        "APP-1",
                        2,
                        Long.MAX_VALUE,
                        3.0,
                        new BigDecimal("0.10000000000000000001"),
                        true,
                        Priority.HIGH,
                        List.of(new Item("a", Optional.empty()), new Item("b", Optional.of(10))),
                        Set.of("x", "y"),
                        Map.of("z", 1),
                        new Item("c", Optional.empty()),
                        null,
                        Optional.of(List.of(Priority.LOW))));
    }

    @Test
    void whatTheSchemaCannotSayIsToldWithItsPlace() throws Exception {
        for (Map.Entry<String, Object> wrong : Map.of(
                        "number", (Object) 3_000_000_000L, "large", new BigDecimal("1e30"), "priority", "lowest")
                .entrySet()) {
            Map<String, Object> json = arguments();
            json.put(wrong.getKey(), wrong.getValue());
            ToolResult answer = Calls.call(tool(Everything.class), json);
            assertThat(answer.isError()).isTrue();
            assertThat(answer.text()).contains("nothing was run", "\n- $." + wrong.getKey() + ": ");
        }
        Map<String, Object> missing = arguments();
        missing.put("items", List.of(Map.of("text", "a"), Map.of()));
        assertThat(Calls.call(tool(Everything.class), missing).text())
                .contains("$.items[1].text: is missing but required");
    }

    record Range(int from, int to) {
        Range {
            if (from > to) {
                throw new IllegalArgumentException("'from' must not be greater than 'to'");
            }
        }
    }

    record Ranges(List<Range> ranges) {}

    @Test
    void theRecordsOwnChecksAreFaultsOfTheArguments() throws Exception {
        ToolResult answer = Calls.call(
                tool(Ranges.class), Map.of("ranges", List.of(Map.of("from", 1, "to", 2), Map.of("from", 2, "to", 1))));
        assertThat(answer.isError()).isTrue();
        assertThat(answer.text()).endsWith("- $.ranges[1]: 'from' must not be greater than 'to'");
    }

    @Test
    void whatTheToolThrowsPasses() {
        ToolFactory failing = TypedTools.ofRecord(
                ToolDefinition.builder("x").description("fails"), Ranges.class, (context, arguments) -> {
                    throw new java.io.IOException("the tracker is away");
                });
        assertThatThrownBy(() -> Calls.call(failing, Map.of("ranges", List.of())))
                .isInstanceOf(java.io.IOException.class)
                .hasMessage("the tracker is away");
    }

    record Child(List<Parent> parents) {}

    record Parent(Map<String, Child> children) {}

    record Generic<T>(T value) {}

    record OfGeneric(Generic<String> value) {}

    enum Nothing {}

    record WithFloat(float x) {}

    record WithObject(Object x) {}

    record WithRawList(@SuppressWarnings("rawtypes") List x) {}

    record WithWildcard(List<? extends String> x) {}

    record WithCollection(Collection<String> x) {}

    record WithKeys(Map<Integer, String> x) {}

    record WithArray(String[] x) {}

    record WithOptionalInt(OptionalInt x) {}

    record WithOptionalItems(List<Optional<String>> x) {}

    record WithNothing(Nothing x) {}

    record WithNullablePrimitive(@Absent.Nullable int x) {}

    record WithStrangeName(int größe) {}

    record Twice(int a, @Argument(name = "a") int b) {}

    record Backwards(@Argument(min = 2, max = 1) int x) {}

    record Short(@Argument(max = 0) String x) {}

    record Negative(@Argument(min = -1) String x) {}

    record Unbounded(@Argument(max = 1) boolean x) {}

    /** An annotation of a library of nobody's. */
    static final class Absent {
        @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
        @interface Nullable {}

        private Absent() {}
    }

    @Test
    void otherTypesAreRefusedWithThePlaceAndWhatToUseInstead() {
        refused(WithFloat.class, "component 'x' of " + WithFloat.class.getName() + " has the type float", "use double");
        refused(WithObject.class, "java.lang.Object", "use a record");
        refused(WithRawList.class, "java.util.List", "use String, int");
        refused(WithWildcard.class, "an item of component 'x'", "? extends java.lang.String");
        refused(WithCollection.class, "Collection<java.lang.String>", "use List");
        refused(WithKeys.class, "Map<java.lang.Integer, java.lang.String>", "the keys of a Map are Strings");
        refused(WithArray.class, "java.lang.String[]", "List");
        refused(WithOptionalInt.class, "OptionalInt", "use Optional<Integer>");
        refused(WithOptionalItems.class, "an item of component 'x'", "only a whole parameter");
        refused(WithNothing.class, "Nothing", "needs a constant");
        refused(WithNullablePrimitive.class, "type int", "Integer for int");
        refused(OfGeneric.class, "Generic<java.lang.String>", "use String");
        refused(Generic.class, "component 'value'", "type T");
        refused(Parent.class, "Parent → Child → Parent", "would have no end");
        refused(WithStrangeName.class, "'größe'", "@Argument(name = …)");
        refused(Twice.class, "has the name 'a' twice");
        refused(Backwards.class, "component 'x'", "min is 2, max is 1");
        refused(Short.class, "component 'x'", "min is 1, max is 0");
        refused(Negative.class, "component 'x'", "no negative length");
        refused(Unbounded.class, "component 'x'", "only numbers, texts, lists");
    }

    private static void refused(Class<? extends Record> type, String... parts) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tool(type))
                .satisfies(e -> assertThat(e.getMessage()).contains(parts));
    }
}
