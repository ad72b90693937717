package io.maestro.mcp;

import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRuntime;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolProgress;
import io.maestro.tools.ToolResult;
import java.util.List;
import java.util.Objects;

/** Tools that run in a tool runtime. */
final class RuntimeTools implements McpTools {
    private final ToolRuntime runtime;
    private final AgentTools tools;
    private final ToolInvocation.Caller caller;

    RuntimeTools(ToolRuntime runtime, AgentTools tools, ToolInvocation.Caller caller) {
        this.runtime = Objects.requireNonNull(runtime, "runtime");
        this.tools = Objects.requireNonNull(tools, "tools");
        this.caller = Objects.requireNonNull(caller, "caller");
    }

    @Override
    public List<ToolDefinition> list() {
        return tools.list();
    }

    @Override
    public ToolResult call(McpCall call) {
        return answer(call, ToolProgress.NOBODY).result();
    }

    @Override
    public McpAnswer answer(McpCall call, ToolProgress progress) {
        ToolInvocation invocation = new ToolInvocation(call.id(), call.tool(), call.input(), caller);
        return new McpAnswer(runtime.call(tools, invocation, progress), List.of());
    }
}
