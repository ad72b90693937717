package io.maestro.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.maestro.exec.ExecRequest;
import io.maestro.tools.NetworkAccess;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ToolTesterTest {
    private static ToolFactory factory(String name, Function<ToolContext, Tool> tool) {
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder(name)
                        .description("For a test")
                        .input(schema -> schema.optionalString("value", "A value"))
                        .offeredTo(ToolAudience.ARCHITECT, ToolAudience.CODER_PLANNING)
                        .timeLimit(Duration.ofMillis(200))
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return tool.apply(context);
            }
        };
    }

    @Test
    void aToolGetsAContext() {
        ToolFactory asks = factory(
                "asks",
                context -> call -> ToolResult.ok(context.audience() + " " + context.readOnly() + " " + context.agentId()
                        + " " + context.storyId().orElseThrow() + " "
                        + context.service(StringBuilder.class).orElseThrow()));
        try (ToolTester tester = ToolTester.of(asks)
                .story("7")
                .service(StringBuilder.class, new StringBuilder("service"))
                .build()) {
            assertThat(tester.definition().name()).isEqualTo("asks");
            assertThat(tester.call("{}").text()).isEqualTo("CODER_PLANNING true coder-001 7 service");
        }
        try (ToolTester tester = ToolTester.of(asks)
                .audience(ToolAudience.CODER_CODING)
                .service(StringBuilder.class, new StringBuilder())
                .build()) {
            assertThat(tester.call("{}").text()).startsWith("CODER_CODING false");
        }
    }

    @Test
    void commandsRunInTheDirectory(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("a.txt"), "content");
        ToolFactory cat = factory(
                "cat",
                context -> call -> ToolResult.ok(context.executor()
                        .run(ExecRequest.command("cat", "a.txt").build())
                        .stdout()
                        .text()));
        try (ToolTester tester = ToolTester.of(cat)
                .directory(directory)
                .timeLimit(Duration.ofSeconds(30))
                .build()) {
            assertThat(tester.call(Map.of()).text()).isEqualTo("content");
        }
        try (ToolTester tester = ToolTester.of(cat).build()) {
            ToolResult answer = tester.call("");
            assertThat(answer.isError()).isTrue();
            assertThat(answer.text()).contains("has no workspace to run commands in");
        }
    }

    @Test
    void answersAreThoseThatAModelGets() throws Exception {
        ToolFactory echo = factory(
                "echo", context -> call -> ToolResult.ok(call.arguments().string("value")));
        try (ToolTester tester = ToolTester.of(echo).secret("planted-4711").build()) {
            assertThat(tester.call(Map.of("value", "a planted-4711 b")).text()).doesNotContain("planted-4711");
            assertThat(tester.call(Map.of("valeu", 1)).text()).contains("valeu");
            assertThat(tester.call("{").isError()).isTrue();
            assertThatIllegalArgumentException().isThrownBy(() -> tester.call(Map.of("value", new Object())));
        }
        CountDownLatch never = new CountDownLatch(1);
        try (ToolTester tester = ToolTester.of(factory("hangs", context -> call -> {
                    never.await();
                    return ToolResult.ok("");
                }))
                .build()) {
            assertThat(tester.call("{}").text()).contains("timed out after");
        }
    }

    @Test
    void aWorkspaceHasFilesADiffAndMaestrosTools(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("a.txt"), "old\n");
        ToolFactory works = new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder("works").description("Works").build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> {
                    context.files().write("a.txt", "new\n");
                    context.post("written");
                    ToolResult read = call.tools().call("read_file", Map.of("path", "a.txt"));
                    ToolResult other = call.tools().call("asks", Map.of());
                    ToolResult diff = call.tools().call("get_diff", Map.of("path", "a.txt"));
                    return ToolResult.ok(context.state().orElseThrow() + " " + context.network() + " " + read.text()
                            + other.text() + diff.text().equals(context.diff()) + context.diff());
                };
            }
        };
        ToolFactory asks = factory("asks", context -> call -> ToolResult.ok("for planning"));
        try (ToolTester tester = ToolTester.of(works)
                .workspace(directory)
                .tool(asks)
                .network(NetworkAccess.LISTED)
                .build()) {
            ToolResult answer = tester.call("{}");
            assertThat(answer.text())
                    .startsWith("CODING LISTED new\nthere is no tool 'asks' here")
                    .contains("get_diff", "truediff --git", "-old\n+new\n");
            assertThat(tester.posts()).containsExactly("written");
        }
        // A repository that is there stays: its commit is what the work is compared with.
        try (ToolTester tester = ToolTester.of(works).workspace(directory).build()) {
            assertThat(tester.call("{}").text()).contains("-old\n+new\n");
        }
    }

    @Test
    void whatCannotBeRegisteredIsSaid() {
        assertThatExceptionOfType(ToolException.class)
                .isThrownBy(() -> ToolTester.of(factory("maestro_x", context -> call -> ToolResult.ok("")))
                        .build())
                .withMessageContaining("reserved");
        assertThatExceptionOfType(ToolException.class)
                .isThrownBy(() -> ToolTester.of(new ToolFactory() {
                            @Override
                            public ToolDefinition definition() {
                                throw new IllegalStateException("no definition today");
                            }

                            @Override
                            public Tool create(ToolContext context) {
                                throw new AssertionError();
                            }
                        })
                        .build())
                .withMessageContaining("no definition today");
    }
}
