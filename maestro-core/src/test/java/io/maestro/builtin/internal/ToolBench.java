package io.maestro.builtin.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.exec.ExecOutput;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.internal.RawName;
import io.maestro.project.internal.ProjectTests;
import io.maestro.runtime.RecordedCalls;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.ToolRuntime;
import io.maestro.runtime.internal.ContextParts;
import io.maestro.runtime.internal.DefaultCoder;
import io.maestro.runtime.internal.DefaultToolContext;
import io.maestro.runtime.internal.PhaseNetwork;
import io.maestro.runtime.internal.WorkspaceView;
import io.maestro.secrets.Redactor;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolResult;
import io.maestro.web.SearchProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Calls the built-in tools as agents do: through a runtime that records, on a real directory, with real commands. */
final class ToolBench implements AutoCloseable {
    static final String CODER = "coder-001";

    /** What it hides: {@code pw=…} up to the end of the word, and a block between BEGIN and END. */
    static final Redactor REDACTOR = text -> Pattern.compile("BEGIN.*?END", Pattern.DOTALL)
            .matcher(text.replaceAll("\\bpw=(?!\\[REDACTED:)[^\\s@]+", "pw=[REDACTED:password]"))
            .replaceAll("[REDACTED:block]");

    final Path workspace;
    final RecordedCalls record = new RecordedCalls();
    final Map<Class<?>, Object> services = new HashMap<>();
    /** What the architect's reading tools look at when it names nobody. */
    String waiting = CODER;
    /** As while planning. */
    boolean readOnly;

    /** Whether calls are made with the tools of the call before, as in one state; else each has new ones. */
    boolean inOneState;

    @Nullable
    private AgentTools last;

    /** Runs commands; null for this machine. */
    @Nullable
    Executor executor;

    /** What {@code get_diff} was asked for. */
    @Nullable
    String diffAsked;

    String diff = "";

    SearchProvider search = (query, limit) -> List.of();

    private final ToolRuntime runtime;
    private final ToolRegistry registry = ToolRegistry.builder()
            .builtIn(BuiltinTools.all())
            .builtIn(BuiltinTools.web(true, (query, limit) -> search.search(query, limit)))
            .build();

    /** Makes the workspace of one coder in a directory. */
    ToolBench(Path directory, ToolPolicy... policies) throws IOException {
        ToolRuntime.Builder calls = ToolRuntime.builder().record(record).redactor(REDACTOR);
        List.of(policies).forEach(calls::policy);
        runtime = calls.build();
        workspace = Files.createDirectories(directory.resolve(CODER));
        services.put(Redactor.class, REDACTOR);
        services.put(ProjectTests.class, new ProjectTests(null, null, Duration.ofSeconds(30)));
        services.put(WorkspaceView.class, new WorkspaceView() {
            @Override
            public Set<String> coders() {
                return Set.of(CODER);
            }

            @Override
            public Optional<Path> directory(String coderId) {
                return Optional.of(workspace);
            }

            @Override
            public Optional<String> diff(String coderId, @Nullable String path, long firstLine, int maxCharacters) {
                diffAsked = coderId + " " + path + " " + firstLine + " " + maxCharacters;
                return Optional.of(diff);
            }
        });
    }

    /** Runs nothing: each command has this end. */
    static Executor ending(ExecResult.Ending ending, OptionalInt exitCode, String stdout) {
        return new Executor() {
            @Override
            public ExecResult run(ExecRequest request) {
                return new ExecResult(ending, exitCode, ExecOutput.of(stdout), ExecOutput.of(""), Duration.ZERO);
            }

            @Override
            public String workingDirectory() {
                return "/workspace";
            }
        };
    }

    /** A file of the workspace. Not by the text: the JVM of the tests may have a locale without umlauts. */
    Path path(String path) {
        return workspace.resolve(RawName.path(RawName.ofText(path)));
    }

    /** Puts a file into the workspace. */
    Path file(String path, String content) throws IOException {
        Path file = path(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    /** Calls as the coder while coding. */
    ToolResult call(String tool, Object... namesAndValues) {
        return callAs(ToolAudience.CODER_CODING, tool, namesAndValues);
    }

    ToolResult callAs(ToolAudience audience, String tool, Object... namesAndValues) {
        Map<String, Object> arguments = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            arguments.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        Map<Class<?>, Object> all = new HashMap<>(services);
        all.put(DefaultCoder.class, new DefaultCoder(waiting));
        DefaultToolContext.Builder context = DefaultToolContext.builder(
                        audience.name().startsWith("ARCHITECT") ? "architect-001" : CODER, audience)
                .storyId("042")
                .executor(
                        executor != null
                                ? executor
                                : LocalExecutor.builder(workspace).build())
                .services(all);
        if (!readOnly) {
            context.writable();
        }
        if (services.get(PhaseNetwork.class) instanceof PhaseNetwork network) {
            context.network(network.of(ContextParts.phase(audience)));
        }
        AgentTools tools = inOneState && last != null ? last : registry.agentTools(context.build());
        last = tools;
        return runtime.call(
                tools,
                new ToolInvocation(
                        "call-1",
                        tool,
                        json(arguments),
                        new ToolInvocation.Caller("session", context.build().agentId(), "042", 1, audience.name())));
    }

    private static String json(Map<String, Object> arguments) {
        try {
            return new JsonMapper().writeValueAsString(arguments);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Override
    public void close() {
        if (last != null) {
            last.close();
        }
        runtime.close();
    }
}
