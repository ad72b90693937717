package io.maestro.mcpclient.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse.JSONRPCError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import reactor.core.publisher.Mono;

/** The session logs what it gets: it gets no text of the server's. */
class GuardedTransportTest {
    private static final String TEXT = "what the server says";

    private final McpClientTransport transport = mock(McpClientTransport.class);
    private final GuardedTransport guarded = new GuardedTransport(transport, "files", () -> {}, broken -> {});
    private final List<JSONRPCMessage> got = new ArrayList<>();

    @SuppressWarnings("unchecked") // a mock of a generic type
    private void send(JSONRPCMessage... messages) {
        ArgumentCaptor<Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>>> handler =
                ArgumentCaptor.forClass(Function.class);
        when(transport.connect(handler.capture())).thenReturn(Mono.empty());
        when(transport.sendMessage(any())).thenReturn(Mono.empty());
        when(transport.unmarshalFrom(any(), any())).thenAnswer(call -> call.getArgument(0));
        guarded.connect(received -> received.doOnNext(got::add)).block();
        for (JSONRPCMessage message : messages) {
            if (message instanceof JSONRPCResponse response) {
                guarded.sendMessage(new JSONRPCRequest("tools/call", response.id(), null))
                        .block();
            }
            handler.getValue().apply(Mono.just(message)).block();
        }
    }

    @Test
    void theSessionGetsNoTextOfTheServer() {
        send(
                JSONRPCResponse.result("1", Map.of("content", TEXT)),
                JSONRPCResponse.error("2", new JSONRPCError(-32_000, TEXT, Map.of("more", TEXT))),
                new JSONRPCRequest(TEXT, "3", Map.of("message", TEXT)),
                new JSONRPCRequest("ping", "4", Map.of("message", TEXT)));

        assertThat(got).hasSize(4);
        assertThat(got.toString()).doesNotContain(TEXT);
    }

    @Test
    void resultsAndErrorsArriveWhole() {
        send(
                JSONRPCResponse.result("1", Map.of("content", TEXT)),
                JSONRPCResponse.error("2", new JSONRPCError(-32_000, TEXT)));

        assertThat(guarded.unmarshalFrom(
                        ((JSONRPCResponse) got.get(0)).result(), new TypeRef<Map<String, Object>>() {}))
                .isEqualTo(Map.of("content", TEXT));
        JSONRPCError error = ((JSONRPCResponse) got.get(1)).error();
        assertThat(error.code()).isEqualTo(-32_000);
        assertThat(GuardedTransport.text(error)).isEqualTo(TEXT);
    }
}
