package io.maestro.mcp;

/** A program that serves its standard streams. */
final class StdioMain {
    private StdioMain() {}

    public static void main(String[] args) {
        try (McpServer server = McpServer.builder(new LabTools()).build()) {
            server.stdio(System.in, System.out);
        }
    }
}
