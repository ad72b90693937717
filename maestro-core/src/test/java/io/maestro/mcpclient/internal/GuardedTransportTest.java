package io.maestro.mcpclient.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse.JSONRPCError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class GuardedTransportTest {
    private static final String TEXT = "the server's words";

    private final List<JSONRPCMessage> sent = new ArrayList<>();
    private final List<JSONRPCMessage> seenBySession = new ArrayList<>();
    private Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> server = messages -> messages;
    private Mono<Void> sending = Mono.empty();

    private final GuardedTransport guard = new GuardedTransport(
            new McpClientTransport() {
                @Override
                public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
                    server = handler;
                    return Mono.empty();
                }

                @Override
                public Mono<Void> sendMessage(JSONRPCMessage message) {
                    sent.add(message);
                    return sending;
                }

                @Override
                public Mono<Void> closeGracefully() {
                    return Mono.empty();
                }

                @Override
                @SuppressWarnings("unchecked") // it is read as it was sent
                public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
                    return (T) data;
                }
            },
            "lab",
            () -> {},
            reason -> {});

    private void server(JSONRPCMessage message) {
        server.apply(Mono.just(message)).subscribe();
    }

    @Test
    void requestsOfTheServerAreAnsweredAndNeverReachTheSession() {
        guard.connect(messages -> messages.doOnNext(seenBySession::add)).subscribe();
        server(new JSONRPCRequest("ping", 1, null));
        server(new JSONRPCRequest("roots/list", 2, null));
        server(new JSONRPCNotification("notifications/message", null));
        server(JSONRPCResponse.result("nobody", 3));

        assertThat(sent).hasSize(2);
        assertThat(((JSONRPCResponse) sent.get(0)).error()).isNull();
        assertThat(((JSONRPCResponse) sent.get(1)).error().code()).isEqualTo(-32601);
        assertThat(seenBySession).isEmpty();
    }

    @Test
    void aFloodOfRequestsIsAnsweredNoFasterThanTheServerReads() {
        guard.connect(messages -> messages.doOnNext(seenBySession::add)).subscribe();
        sending = Mono.error(new IllegalStateException("it reads nothing"));
        for (int i = 0; i < 100; i++) {
            server(new JSONRPCRequest("ping", i, null));
        }
        assertThat(sent).as("what can't be sent takes no place").hasSize(100);
        sending = Mono.never();
        for (int i = 0; i < 1_000; i++) {
            server(new JSONRPCRequest(i % 2 == 0 ? "ping" : "roots/list", i, null));
        }
        assertThat(sent).hasSizeLessThan(120);
        assertThat(seenBySession).isEmpty();
    }

    @Test
    void noAnswerHasMoreOfTheServersThanAShortId() {
        guard.connect(messages -> messages).subscribe();
        for (Object id : List.of("i".repeat(201), "i".repeat(8 << 20))) {
            server(new JSONRPCRequest("ping", id, null));
            server(new JSONRPCRequest("roots/list", id, null));
        }
        assertThat(sent).isEmpty();
        for (Object id : List.of("i".repeat(200), 1, 2L)) {
            server(new JSONRPCRequest("ping", id, null));
        }
        assertThat(sent).hasSize(3);
    }

    private void answer(JSONRPCResponse response) {
        guard.sendMessage(new JSONRPCRequest("tools/call", response.id(), null)).block();
        server(response);
    }

    /** The session logs what it gets. */
    @Test
    void theSessionGetsNoTextOfTheServerAndCallersGetAllOfIt() {
        guard.connect(messages -> messages.doOnNext(seenBySession::add)).subscribe();
        answer(JSONRPCResponse.result("1", Map.of("content", TEXT)));
        answer(JSONRPCResponse.error("2", new JSONRPCError(-32_000, TEXT, Map.of("more", TEXT))));
        server(new JSONRPCRequest(TEXT, "3", Map.of("message", TEXT)));

        assertThat(seenBySession).hasSize(2);
        assertThat(seenBySession.toString()).doesNotContain(TEXT);
        assertThat(guard.unmarshalFrom(
                        ((JSONRPCResponse) seenBySession.get(0)).result(), new TypeRef<Map<String, Object>>() {}))
                .isEqualTo(Map.of("content", TEXT));
        JSONRPCError error = ((JSONRPCResponse) seenBySession.get(1)).error();
        assertThat(error.code()).isEqualTo(-32_000);
        assertThat(GuardedTransport.text(error)).isEqualTo(TEXT);
    }
}
