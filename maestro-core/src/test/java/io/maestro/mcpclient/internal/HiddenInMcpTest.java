package io.maestro.mcpclient.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.mcpclient.McpSource;
import io.maestro.tools.ToolResult;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Characters that nobody sees, in what a server says. */
class HiddenInMcpTest {
    /** An override of direction, an isolate, no width, a byte order mark, a tag, an escape, a selector of a variant. */
    private static final String HIDDEN = "\u202e\u2066\u200b\ufeff\udb40\udc41\u001b[2J\udb40\udd01";

    private static final String SHOWN = "\\u202e\\u2066\\u200b\\ufeff\\ue0041\\u001b[2J\\ue0101";

    @Test
    void modelsReadThemAsCodesInAnswers() {
        Map<String, Object> text = Map.of("type", "text", "text", "a" + HIDDEN);
        Map<String, Object> resource =
                Map.of("type", "resource", "resource", Map.of("uri", "b" + HIDDEN, "text", "c" + HIDDEN));
        Map<String, Object> other = Map.of("type", "d" + HIDDEN);
        ToolResult answer = McpAnswer.of(
                "files",
                Map.of(
                        "content",
                        List.of(text, resource, other),
                        "structuredContent",
                        Map.of("e" + HIDDEN, List.of("f" + HIDDEN, 1))));
        assertThat(answer.text())
                .contains("a" + SHOWN, "b" + SHOWN, "c" + SHOWN, "d" + SHOWN)
                .doesNotContain(HIDDEN);
        assertThat(answer.data()).containsEntry("structured", Map.of("e" + SHOWN, List.of("f" + SHOWN, 1)));
        assertThat(McpAnswer.marked("files", HIDDEN)).contains(SHOWN);
    }

    @Test
    void modelsAndPeopleReadThemAsCodesInDescriptions() {
        McpSource source = McpSource.stdio("files", "true").build();
        Map<String, Object> schema = Map.of(
                "type", "object", "properties", Map.of("key", Map.of("type", "string", "description", "k" + HIDDEN)));
        Offers offers = Offers.of(
                source,
                List.of(
                        Map.of("name", "echo", "description", "Says" + HIDDEN, "inputSchema", schema),
                        Map.of("name", "bad" + HIDDEN, "inputSchema", schema)));
        assertThat(offers.good()).singleElement().satisfies(offer -> {
            assertThat(offer.description()).isEqualTo("Says" + SHOWN);
            assertThat(offer.input().asMap().toString()).contains("k" + SHOWN).doesNotContain(HIDDEN);
        });
        assertThat(offers.faults().toString()).contains(SHOWN).doesNotContain(HIDDEN);
    }
}
