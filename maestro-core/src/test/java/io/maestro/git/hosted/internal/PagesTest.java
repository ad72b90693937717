package io.maestro.git.hosted.internal;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.maestro.git.hosted.internal.gitlab.GitLab;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists that strangers make long. */
class PagesTest {
    private static final Pattern PAGE = Pattern.compile("per_page=(\\d+)&page=(\\d+)");

    private final AtomicInteger requests = new AtomicInteger();
    private HttpServer server;
    private int entries;
    private boolean tells = true;
    private IntUnaryOperator length = entry -> 1;

    @BeforeEach
    void open() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            requests.incrementAndGet();
            Matcher page = PAGE.matcher(exchange.getRequestURI().getQuery());
            assertThat(page.find()).isTrue();
            int size = Integer.parseInt(page.group(1));
            int from = (Integer.parseInt(page.group(2)) - 1) * size;
            StringBuilder body = new StringBuilder("[");
            for (int i = from; i < Math.min(from + size, entries) && body.length() < 10_000_000; i++) {
                body.append(i == from ? "" : ",").append("{\"id\":").append(i).append(",\"body\":\"");
                body.append("x".repeat(length.applyAsInt(i))).append("\"}");
            }
            if (tells) {
                exchange.getResponseHeaders().set("X-Total", Integer.toString(entries));
            }
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(body.append(']').toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // Whoever has asked has read enough.
        }
    }

    private Listed<JsonNode> latest() {
        URI base = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        Timing timing =
                new Timing(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ofMillis(1), Duration.ofMinutes(1));
        ForgeHttp http = new ForgeHttp(
                HttpClient.newHttpClient(), "127.0.0.1", host -> Optional.of("token"), "", "base", timing.call());
        return new ForgeApi(http, base, new GitLab(), timing).latest("/list");
    }

    private static List<Integer> ids(Listed<JsonNode> list) {
        return list.items().stream().map(item -> item.path("id").asInt()).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 49, 50, 51, 100, 101, 249})
    void aListIsReadAsAWholeAndInItsOrder(int count) {
        entries = count;
        Listed<JsonNode> found = latest();
        assertThat(found.whole()).isTrue();
        assertThat(ids(found)).isEqualTo(IntStream.range(0, count).boxed().toList());
    }

    @Test
    void aServerThatDoesNotTellHowLongAListIsIsReadForwards() {
        tells = false;
        entries = 120;
        Listed<JsonNode> found = latest();
        assertThat(found.whole()).isTrue();
        assertThat(ids(found)).isEqualTo(IntStream.range(0, 120).boxed().toList());
    }

    @Test
    void ofAListWithTooManyEntriesTheFirstAndTheNewestAreRead() {
        entries = 10_000;
        Listed<JsonNode> found = latest();
        assertThat(found.whole()).isFalse();
        assertThat(ids(found)).contains(0, 49, 9_999, 8_100).isSorted().hasSizeLessThan(2_050);
        assertThat(requests.get()).isLessThan(45);
    }

    /** Some of them are too long by themselves, and some only together. */
    @ParameterizedTest
    @ValueSource(ints = {9_000_000, 1_800_000, 700_000})
    void theNewestAreReadOfAListThatIsTooLong(int each) {
        entries = 101;
        length = entry -> entry == 100 ? 1 : each;
        Listed<JsonNode> found = latest();
        assertThat(found.whole()).isFalse();
        assertThat(ids(found)).contains(100).isSorted();
        assertThat(requests.get()).as("about 64 MiB").isLessThan(45);
    }

    @Test
    void anEntryThatIsTooLongHidesNoOther() {
        entries = 120;
        length = entry -> entry == 70 ? 9_000_000 : 1;
        Listed<JsonNode> found = latest();
        assertThat(found.whole()).isFalse();
        assertThat(ids(found)).contains(0, 49, 71, 119).doesNotContain(70).isSorted();
    }
}
