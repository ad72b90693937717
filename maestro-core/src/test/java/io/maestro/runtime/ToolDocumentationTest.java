package io.maestro.runtime;

import static io.maestro.runtime.TestTools.CODING;
import static io.maestro.runtime.TestTools.tool;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.tools.Property;
import io.maestro.tools.ToolResult;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ToolDocumentationTest {
    private final ToolRegistry registry = ToolRegistry.builder().build();

    @Test
    void describesToolsInMarkdown() {
        registry.register(tool(
                "submit_stories",
                d -> d.input(schema -> schema.required(
                                        "requirements",
                                        Property.array(
                                                        "What is\n to be done",
                                                        Property.object(
                                                                "",
                                                                item -> item.requiredString("title", "One line")
                                                                        .optional(
                                                                                "criteria",
                                                                                Property.array(
                                                                                        "How to test it",
                                                                                        Property.string("")))))
                                                .minItems(1)
                                                .maxItems(20))
                                .optional("urgency", Property.oneOf("How soon", "low", "high"))
                                .optional("timeout", Property.integer("Seconds").between(1, 600))
                                .optional("value", Property.string("").with("type", List.of("string", "null"))))
                        .usage("Call it once.\n"),
                call -> ToolResult.ok("")));
        registry.register(tool("done", call -> ToolResult.ok("")));

        assertThat(registry.agentTools(CODING).documentation()).isEqualTo("""
                        ## Tools

                        ### done

                        Does done

                        No parameters.

                        ### submit_stories

                        Does submit_stories

                        Parameters:
                        - `requirements` (array of object, 1 to 20 items, required): What is to be done
                          - `title` (string, required): One line
                          - `criteria` (array of string, optional): How to test it
                        - `urgency` (string, one of low, high, optional): How soon
                        - `timeout` (integer, 1 to 600, optional): Seconds
                        - `value` (string or null, optional)

                        Call it once.
                        """);
    }

    @Test
    void saysSoWhenThereAreNone() {
        assertThat(registry.agentTools(CODING, Set.of()).documentation())
                .isEqualTo("## Tools\n\nNo tools are available.\n");
    }
}
