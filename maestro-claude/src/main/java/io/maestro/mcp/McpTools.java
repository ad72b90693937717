package io.maestro.mcp;

import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRuntime;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolProgress;
import io.maestro.tools.ToolResult;
import java.util.List;

/** The tools behind a server. Safe for use by several threads. */
public interface McpTools {
    /**
     * The tools that the client may call.
     *
     * @return asked each time that the client lists them
     */
    List<ToolDefinition> list();

    /**
     * Calls a tool. Blocks until it has answered; the calling thread is interrupted when the client cancels the call, or when
     * its connection or the server is closed. Several calls run at the same time.
     *
     * @param call what the client asks for; neither the tool's name nor its arguments have been checked
     * @return the answer; an error of the tool is an answer, too
     */
    ToolResult call(McpCall call);

    /**
     * Calls a tool whose answer may be more than text; without an own implementation it is {@link #call} and nothing more.
     *
     * @param call what the client asks for
     * @return the answer
     */
    default McpAnswer answer(McpCall call) {
        return new McpAnswer(call(call), List.of());
    }

    /**
     * Calls a tool that may say how far it is. This is what the server asks for; without an own implementation it is {@link
     * #answer(McpCall)}, and nothing is said.
     *
     * @param call what the client asks for
     * @param progress told each step, a line; the server sends it where the client has asked for progress
     * @return the answer
     */
    default McpAnswer answer(McpCall call, ToolProgress progress) {
        return answer(call);
    }

    /**
     * Tools that run where all of Maestro's tools run, so that their calls are checked, recorded and freed of secrets.
     *
     * @param runtime where they run
     * @param tools what the client may call
     * @param caller who the record says has asked
     * @return asks the provider each time
     */
    static McpTools of(ToolRuntime runtime, AgentTools tools, ToolInvocation.Caller caller) {
        return new RuntimeTools(runtime, tools, caller);
    }
}
