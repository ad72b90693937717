package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.llm.Usage;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that wants more of the API than is counted. */
class ApiGatewayMoneyTest extends GatewayBench {
    private static final String END =
            UpstreamStub.STREAM.substring(UpstreamStub.STREAM.indexOf("event: message_delta"));
    private static final String TEXT =
            UpstreamStub.STREAM.substring(0, UpstreamStub.STREAM.indexOf("event: message_delta"));

    private static void begin(com.sun.net.httpserver.HttpExchange exchange, String text) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().write(text.getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
    }

    /** All of the text has come, and only the count has not. */
    @Test
    void whoHangsUpBeforeTheCountIsCountedAllTheSame() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        api.script((exchange, seen) -> {
            begin(exchange, TEXT);
            gone.await();
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(END.replace("44", "30000").getBytes(StandardCharsets.UTF_8));
            }
        });
        ApiAccess access = open(Way.SOCKET);
        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            RawClient.readUntil(channel, "content_block_stop\"");
        }
        gone.countDown();

        until(() -> !host.used.isEmpty());
        assertThat(host.used).containsExactly("claude-test-1 " + new Usage(11, 30000, 33, 22));
    }

    @Test
    void anAnswerThatNobodyWaitsForAndThatDoesNotEndCountsWithTheMostItMayHave() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        api.script((exchange, seen) -> {
            begin(exchange, TEXT.replace("\"type\":\"text\"", "\"type\":\"thinking\""));
            end.await();
        });
        ApiAccess access = open(Way.SOCKET, gateway(open(4, Duration.ofMillis(300))));
        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            RawClient.readUntil(channel, "content_block_stop\"");
        }
        until(() -> !host.used.isEmpty());
        end.countDown();
        assertThat(host.used).containsExactly("claude-test-1 " + new Usage(11, 1000, 33, 22));
        assertThat(host.failed).isEmpty();
    }

    @Test
    void whoHangsUpBeforeTheAnswerBeginsIsCountedToo() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        api.script((exchange, seen) -> {
            asked.countDown();
            end.await();
        });
        ApiAccess access = open(Way.SOCKET, gateway(open(4, Duration.ofMillis(300))));
        try (SocketChannel channel = RawClient.connect(access)) {
            RawClient.write(channel, turn(access));
            asked.await();
        }
        until(() -> !host.used.isEmpty());
        end.countDown();
        assertThat(host.used)
                .containsExactly(
                        "claude-test-1 " + most(1000 + RawClient.body(true).length() / 2));
    }

    private static Usage most(long input) {
        return new Usage(0, 1000, 0, input, input);
    }

    @Test
    void noMoreThanAFewAreOpenAtATimeSoThatNoBudgetIsOutrun() throws Exception {
        AtomicInteger open = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch full = new CountDownLatch(4);
        CountDownLatch go = new CountDownLatch(1);
        api.script((exchange, seen) -> {
            most.accumulateAndGet(open.incrementAndGet(), Math::max);
            full.countDown();
            go.await();
            open.decrementAndGet();
            UpstreamStub.usual(exchange, seen);
        });
        ApiAccess access = open(Way.SOCKET);
        List<Future<RawClient.Response>> answers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            answers.add(threads.submit(() -> RawClient.message(access, true)));
        }
        full.await();
        until(() -> Thread.getAllStackTraces().values().stream()
                        .filter(stack -> List.of(stack).toString().contains("Relay.place("))
                        .count()
                >= 16);
        assertThat(host.begun).hasSize(4);
        go.countDown();
        for (Future<RawClient.Response> answer : answers) {
            assertThat(answer.get().status()).isEqualTo(200);
        }
        assertThat(most).hasValue(4);
        assertThat(host.used).hasSize(20);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'model':'claude-dear-9'",
                "'model':'claude-test-1','model':'claude-dear-9'",
                "'mod\\u0065l':'claude-dear-9'",
                "'model':['claude-test-1']",
                "'max_tokens':0",
                "'max_tokens':'1000'",
                "'max_tokens':99999999999999999999",
                "'max_tokens':1000000000",
                "'tools':[{'type':'web_search_20250305','name':'web_search'}]",
                "'tools':[{'name':'a','type':'custom'},{'name':'b','type':'code_execution_20250825'}]",
                "'mcp_servers':[{'type':'url','url':'https://evil.example'}]",
                "'container':'c1'",
                "'service_tier':'priority'",
                "'speed':'fast'",
                "'inference_geo':'us'",
                "'fallbacks':[{'model':'claude-dear-9'}]",
                "'context_management':{'edits':[{'type':'compact_20260112'}]}",
                "'messages':[{'role':'user','content':[{'type':'image','source':{'type':'url','url':'https://evil.example/?data'}}]}]",
                "'messages':[{'role':'user','content':[{'type':'image','source':{'type':'base64','type':'url'}}]}]",
                "'messages':[{'role':'user','content':[{'type':'document','source':{'type':'file','file_id':'f1'}}]}]",
                "'messages':[{'role':'user','content':[{'type':'container_upload','file_id':'f1'}]}]",
                "'messages':[{'role':'user','content':[{'type':'tool_result','content':[{'type':'image','source':{'type':'url'}}]}]}]",
                "'system':[{'type':'document','source':{'type':'content','content':[{'type':'image','source':{'type':'url'}}]}}]",
                "'a_field_of_tomorrow':1",
                "'messages':{}}{",
                "'messages':[",
            })
    void whatCouldCostWhatIsNotCountedIsNotForwarded(String more) throws IOException {
        ApiAccess access = models("claude-test-1");
        RawClient.Response response = send(access, "", body(more));
        assertThat(response.status()).as(response.body()).isEqualTo(400);
        assertThat(response.headers()).containsEntry("X-Should-Retry", "false");
        assertThat(api.seen).isEmpty();
        assertThat(host.begun).isEmpty();
    }

    @Test
    void whatCannotBeReadIsNotForwarded() throws IOException {
        ApiAccess access = models("claude-test-1");
        for (String body :
                List.of("", "no JSON", "[]", "{}", "{\"model\":\"claude-test-1\"}", "\ufeff" + RawClient.body(true))) {
            assertThat(send(access, "", body).status()).as(body).isEqualTo(400);
        }
        for (String coding : List.of("gzip", "identity", "")) {
            assertThat(send(access, "Content-Encoding: " + coding + "\r\n", RawClient.body(true))
                            .status())
                    .isEqualTo(415);
        }
        assertThat(send(access, "", "{\"a\":[" + "{},".repeat(600_000) + "{}]}").status())
                .isEqualTo(400);
        assertThat(api.seen).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'model':'claude-test-1-20270101'",
                "'service_tier':'standard_only','speed':null,'inference_geo':'global'",
                "'context_management':{'edits':[{'type':'clear_thinking_20251015','keep':'all','trigger':{'type':'x'}}]}",
                "'tools':[{'name':'a','type':'custom','input_schema':{'type':'object','properties':{'type':{'type':'string'}}}}]",
                "'messages':[{'role':'assistant','content':[{'type':'tool_use','id':'t','name':'fetch','input':"
                        + "{'source':{'type':'url','url':'https://example.org'},'content':[{'source':{'type':'url'}}]}}]}]",
                "'system':[{'type':'text','text':'x','cache_control':{'type':'ephemeral','ttl':'1h'}}]",
                "'stream':true,'metadata':{'user_id':'u'},'thinking':{'type':'adaptive'},'output_config':{'effort':'high'},"
                        + "'diagnostics':{},'temperature':1,'tool_choice':{'type':'auto'}",
            })
    void whatAnAgentNeedsIs(String more) throws IOException {
        ApiAccess access = models("claude-test-1");
        RawClient.Response response = send(access, "", body(more));
        assertThat(response.status()).as(response.body()).isEqualTo(200);
    }

    /** What is written to it for an hour costs more, and the answer of an older server does not say so. */
    @Test
    void whatIsToBeKeptForAnHourIsSeenWhereverItStands() throws IOException {
        ApiAccess access = models("claude-test-1");
        String cached = "'cache_control':{'ttl':'%s','type':'ephemeral'}";
        for (String more : List.of(
                cached,
                "'system':[{'type':'text','text':'x'," + cached + "}]",
                "'tools':[{'name':'a'," + cached + "}]",
                "'messages':[{'role':'user','content':[{'type':'tool_result','content':[{'type':'text','text':'x',"
                        + cached + "}]}]}]")) {
            for (String ttl : List.of("5m", "1h")) {
                send(access, "", body(more.formatted(ttl)));
            }
        }
        assertThat(host.begun)
                .extracting(GatewayClient.Request::cacheForAnHour)
                .containsExactly(false, true, false, true, false, true, false, true);
    }

    /** Its bytes say nothing of how many tokens a packed picture or page has. */
    @Test
    void imagesAndDocumentsAreReservedByTheirNumber() throws IOException {
        ApiAccess access = models("claude-test-1");
        String data = "'source':{'data':'" + "A".repeat(1_000_000) + "','type':'base64'}";
        send(
                access,
                "",
                body("'messages':[{'content':[{'type':'image'," + data + "},{'type':'image'," + data + "}]}]"));
        send(access, "", body("'messages':[{'content':[{'type':'document'," + data + "}]}]"));
        send(access, "", body("'messages':[{'content':[{'type':'text','text':'" + "A".repeat(1_000_000) + "'}]}]"));
        assertThat(host.begun)
                .extracting(GatewayClient.Request::inputTokens)
                .satisfiesExactly(
                        images -> assertThat(images).isBetween(11_000L, 12_000L),
                        document -> assertThat(document).isBetween(201_000L, 202_000L),
                        text -> assertThat(text).isBetween(501_000L, 502_000L));
    }

    @Test
    void aFamilyAllowsItsModelsAndTheLongContextIsAskedForOnlyByName() throws IOException {
        String beta = "anthropic-beta: a-1, context-1m-2025-08-07,b-2\r\n";
        ApiAccess family = models("sonnet", "haiku");
        assertThat(send(family, beta, body("'model':'claude-sonnet-4-5-20250929'"))
                        .status())
                .isEqualTo(200);
        assertThat(send(family, beta, body("'model':'claude-3-haiku-20240307'")).status())
                .isEqualTo(200);
        assertThat(send(family, beta, body("'model':'claude-opus-5'")).status()).isEqualTo(400);
        assertThat(send(family, beta, body("'model':'sonnet'")).status()).isEqualTo(400);
        ApiAccess named = models("claude-sonnet-5[1m]");
        assertThat(send(named, beta, body("'model':'claude-sonnet-5'")).status())
                .isEqualTo(200);
        assertThat(api.seen)
                .extracting(seen -> seen.headers().get("anthropic-beta"))
                .containsExactly(List.of("a-1,b-2"), List.of("a-1,b-2"), List.of("a-1, context-1m-2025-08-07,b-2"));
    }

    /** Those who have no token get neither a thread for long, nor a word to the API; whoever has it is served. */
    @Test
    void strangersAreBoundedInNumber() throws Exception {
        ApiAccess access = open(Way.HTTP);
        List<SocketChannel> strangers = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                SocketChannel stranger = RawClient.connect(access);
                strangers.add(stranger);
                RawClient.write(stranger, new byte[] {'P'});
            }
            assertThat(RawClient.message(access, true).status()).isEqualTo(200);
            until(() -> Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getName().startsWith("maestro-gateway"))
                            .filter(thread ->
                                    List.of(thread.getStackTrace()).toString().contains("ChannelConnection"))
                            .count()
                    <= 32);
        } finally {
            for (SocketChannel stranger : strangers) {
                stranger.close();
            }
        }
        assertThat(api.seen).hasSize(1);
        assertThat(host.asked).hasValue(1);
    }

    private ApiAccess models(String... names) {
        ApiGateway gateway = ApiGateway.builder(KEY)
                .upstream(api.uri())
                .client(host)
                .models(List.of(names))
                .build();
        gateways.add(gateway);
        return gateway.overHttp(InetAddress.getLoopbackAddress());
    }

    private static RawClient.Response send(ApiAccess access, String headers, String body) throws IOException {
        return RawClient.send(access, "POST /v1/messages", headers + "x-api-key: " + access.key() + "\r\n", body);
    }

    /** A request with more; what it has already comes first, and so does not win where only the last one counts. */
    private static String body(String more) {
        String start = more.contains("'model'") && !more.contains("dear") || more.contains("'max_tokens'")
                ? more.contains("'max_tokens'") ? "'model':'claude-test-1'," : "'max_tokens':1000,"
                : "'model':'claude-test-1','max_tokens':1000,";
        return ("{" + start + more + "}").replace('\'', '"');
    }
}
