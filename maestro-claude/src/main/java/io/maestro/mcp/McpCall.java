package io.maestro.mcp;

/**
 * A call of a tool as it came over the protocol.
 *
 * @param id the model's own id of the call where the client sends one ({@code _meta["claudecode/toolUseId"]}), otherwise the id
 *     of the JSON-RPC request
 * @param tool the tool's name
 * @param input the arguments as JSON text; an empty object where there were none
 */
public record McpCall(String id, String tool, String input) {}
