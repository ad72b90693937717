package io.maestro.claude;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.mcp.McpEndpoint;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class SkeletonTest {
    @Test
    void aTokenIsNotShown() {
        assertThat(new McpEndpoint(new InetSocketAddress(0), "planted").toString())
                .doesNotContain("planted");
    }
}
