package io.maestro.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.testkit.ToolTester;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolProvider;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a tool must do to be of use to agents, as tests. A subclass names the tool and a call of it that succeeds.
 */
@Timeout(120)
public abstract class ToolContract {
    /** Must not be in any answer. */
    private static final String SECRET = "planted-4711-secret";

    /** A new directory: the tool's {@linkplain ToolTester.Builder#workspace workspace}. */
    @TempDir
    protected Path directory;

    /** The tool under test. */
    protected ToolTester tool;

    private final WatchedTools watched = new WatchedTools();

    /** For subclasses. */
    protected ToolContract() {}

    /**
     * Makes the tool that is tested.
     *
     * @return a new factory
     */
    protected abstract ToolFactory factory();

    /**
     * Arguments with which the tool succeeds, again and again.
     *
     * @return a JSON object
     */
    protected abstract String validArguments();

    /**
     * Arguments with which the tool takes so long that it can be stopped, 5 seconds or more.
     *
     * @return a JSON object; empty for a tool that never takes long
     */
    protected Optional<String> slowArguments() {
        return Optional.empty();
    }

    /**
     * Whether calls can succeed here. Where what the tool works with is not there, only what goes before a call, and its
     * refusals, are tested.
     *
     * @return true unless something is missing, such as a container engine
     */
    protected boolean available() {
        return true;
    }

    /**
     * Whether models of OpenAI can be held to the tool's schema by their strict mode.
     *
     * @return true unless the schema is such that they cannot
     */
    protected boolean strict() {
        return true;
    }

    /**
     * Adds what the tool needs, such as a service of the host, or files in {@link #directory}.
     *
     * @param builder makes the tester
     */
    protected void prepare(ToolTester.Builder builder) {}

    /**
     * Whether the tool is announced to {@link ServiceLoader}, as in a tool jar.
     *
     * @return true unless the host registers it by hand
     */
    protected boolean announced() {
        return true;
    }

    @BeforeEach
    void open() {
        tool = builder().build();
    }

    private ToolTester.Builder builder() {
        ToolTester.Builder builder = ToolTester.of(watched.of(factory())).workspace(directory);
        prepare(builder);
        return builder;
    }

    @AfterEach
    void close() {
        tool.close();
    }

    @Test
    void isFoundByTheServiceLoader() {
        Class<?> type = factory().origin();
        boolean alone = ServiceLoader.load(ToolFactory.class, type.getClassLoader()).stream()
                .anyMatch(provider -> provider.type() == type);
        assertThat(alone || isOfAProvider(type.getClassLoader()))
                .as("%s, or a provider of it, is in META-INF/services", type.getName())
                .isEqualTo(announced());
    }

    private boolean isOfAProvider(@Nullable ClassLoader loader) {
        return ServiceLoader.load(ToolProvider.class, loader).stream()
                .flatMap(provider -> provider.get().tools().stream())
                .anyMatch(found ->
                        found.definition().name().equals(tool.definition().name()));
    }

    @Test
    void hasOneDefinition() {
        ToolDefinition first = factory().definition();
        ToolDefinition second = factory().definition();
        assertThat(second.name())
                .isEqualTo(first.name())
                .isEqualTo(tool.definition().name());
        assertThat(second.description()).isEqualTo(first.description());
        assertThat(second.input()).isEqualTo(first.input());
    }

    @Test
    void tellsAModelWhatItDoes() {
        ToolDefinition definition = tool.definition();
        assertThat(definition.description()).as("a description of some words").contains(" ");
        assertThat(definition.name()).isEqualTo(definition.name().toLowerCase(Locale.ROOT));
        describesEachProperty(definition.input().asMap(), "$");
    }

    private static void describesEachProperty(Map<?, ?> schema, String path) {
        if (schema.get("properties") instanceof Map<?, ?> properties) {
            properties.forEach((name, property) -> {
                String at = path + "." + name;
                assertThat(property)
                        .as("the description of the property %s", at)
                        .asInstanceOf(InstanceOfAssertFactories.MAP)
                        .containsKey("description");
                describesEachProperty((Map<?, ?>) property, at);
            });
        }
        if (schema.get("items") instanceof Map<?, ?> items) {
            describesEachProperty(items, path + "[]");
        }
    }

    @Test
    void hasASchemaForEachWireFormat() {
        assertThat(WireFormats.faults(tool.definition(), strict(), validArguments()))
                .isEmpty();
    }

    @Test
    void answersAValidCall() {
        if (!available()) {
            return;
        }
        ToolResult answer = tool.call(validArguments());
        assertThat(answer.isError()).as(answer.text()).isFalse();
        assertThat(answer.text()).isNotBlank();
        assertThat(answer.text().length()).isLessThanOrEqualTo(tool.definition().resultLimit());
        assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(answer.text()))
                .as("the answer is text that can be sent")
                .isTrue();
        assertThatNoException().isThrownBy(() -> new ObjectMapper().writeValueAsString(answer.data()));
    }

    @Test
    void answersASecondCall() {
        if (!available()) {
            return;
        }
        assertThat(tool.call(validArguments()).isError()).isFalse();
        assertThat(tool.call(validArguments()).isError()).isFalse();
    }

    @Test
    void refusesArgumentsThatAreNoJson() {
        assertThat(tool.call("{\"").isError()).isTrue();
        assertThat(tool.call("[]").isError()).isTrue();
    }

    @Test
    void saysWhichArgumentIsMissing() {
        if (tool.definition().input().asMap().get("required") instanceof List<?> required && !required.isEmpty()) {
            ToolResult answer = tool.call("{}");
            assertThat(answer.isError()).isTrue();
            assertThat(answer.text()).contains(String.valueOf(required.get(0)));
        }
    }

    @Test
    void refusesWhatItsSchemaRefuses() {
        WrongArguments.of(tool.definition().input(), validArguments()).forEach((property, arguments) -> {
            ToolResult answer = tool.call(arguments);
            assertThat(answer.isError()).as("the answer to %s", arguments).isTrue();
            assertThat(answer.text()).contains(property);
        });
        assertThat(watched.calls())
                .as("calls with wrong arguments that were run")
                .isZero();
    }

    @Test
    void tellsNoSecret() {
        try (ToolTester knowing = builder().secret(SECRET).build()) {
            WrongArguments.with(knowing.definition().input(), validArguments(), SECRET)
                    .forEach(arguments -> {
                        ToolResult answer = knowing.call(arguments);
                        assertThat(answer.text() + answer.data())
                                .as("the answer to %s", arguments)
                                .doesNotContain(SECRET);
                    });
        }
    }

    @Test
    void stopsWhenItIsCancelledAndAtItsTimeLimit() throws InterruptedException {
        if (slowArguments().isPresent()) {
            String slow = slowArguments().get();
            AtomicReference<@Nullable ToolResult> answer = new AtomicReference<>();
            Thread caller = new Thread(() -> answer.set(tool.call(slow)));
            caller.start();
            watched.awaitCall();
            caller.interrupt();
            caller.join(TimeUnit.SECONDS.toMillis(60));
            assertThat(answer.get()).asString().contains("was cancelled and has stopped");

            try (ToolTester limited =
                    builder().timeLimit(Duration.ofMillis(300)).build()) {
                // It may end a little before, to tell what it has done.
                ToolResult end = limited.call(slow);
                assertThat(end.isError()).as(end.text()).isTrue();
                assertThat(end.text()).doesNotContain("has not stopped within");
            }
        }
    }

    @Test
    void closesWithItsAgent() {
        tool.call(validArguments());
        tool.close();
        tool.close();
        assertThat(watched.closed()).as("how often the tool was closed").isEqualTo(watched.made());
        assertThat(watched.closingFaults()).isEmpty();
        assertThat(tool.call(validArguments()).isError()).isTrue();
    }

    @Test
    void leavesTheWorkspaceAsItIsWhenItOnlyReads() throws IOException {
        if (tool.definition().readOnly()) {
            Files.writeString(directory.resolve("a-file.txt"), "as it was");
            Map<String, String> before = files();
            tool.call(validArguments());
            assertThat(files()).isEqualTo(before);
        }
    }

    @Test
    void answersSeveralCallsAtOnce() throws Exception {
        if (available() && tool.definition().readOnly()) {
            ExecutorService callers = Executors.newFixedThreadPool(4);
            try {
                List<Future<ToolResult>> answers = new ArrayList<>();
                for (int i = 0; i < 12; i++) {
                    answers.add(callers.submit(() -> tool.call(validArguments())));
                }
                for (Future<ToolResult> answer : answers) {
                    ToolResult result = answer.get(60, TimeUnit.SECONDS);
                    assertThat(result.isError()).as(result.text()).isFalse();
                }
            } finally {
                callers.shutdownNow();
            }
        }
    }

    @Test
    void worksForTwoAgents() {
        try (ToolTester other = builder().story("043").build()) {
            assertThat(tool.call(validArguments()).isError()).isEqualTo(!available());
            assertThat(other.call(validArguments()).isError()).isEqualTo(!available());
        }
    }

    @Test
    void worksAfterACallThatWasCancelled() throws InterruptedException {
        Thread caller = new Thread(() -> tool.call(validArguments()));
        caller.start();
        caller.interrupt();
        caller.join(TimeUnit.SECONDS.toMillis(60));
        assertThat(caller.isAlive()).as("a call that was cancelled goes on").isFalse();
        assertThat(tool.call(validArguments()).isError()).isEqualTo(!available());
    }

    /** Every file with its content, but those of git. */
    private Map<String, String> files() throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                String name = directory.relativize(path).toString();
                if (!name.startsWith(".git/")) {
                    found.put(name, Files.readString(path, StandardCharsets.ISO_8859_1));
                }
            }
        }
        return found;
    }
}
