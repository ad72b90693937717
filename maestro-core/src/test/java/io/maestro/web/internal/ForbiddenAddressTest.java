package io.maestro.web.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.llm.RawServer;
import io.maestro.web.WebAccess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ways to what must not be reached. A server on this machine waits for anybody who comes through. */
@Timeout(60)
class ForbiddenAddressTest {
    private static final RawServer SERVER = new RawServer(socket ->
            RawServer.write(socket, "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 6\r\n\r\nsecret"));
    private static final int PORT = SERVER.url().getPort();

    private final int before = SERVER.connections();
    private final List<Fetching> made = new ArrayList<>();

    @AfterAll
    static void end() throws Exception {
        SERVER.close();
    }

    private Fetching fetching(WebAccess access) {
        Fetching fetching = new Fetching(access);
        made.add(fetching);
        return fetching;
    }

    @AfterEach
    void nobodyCameThrough() {
        assertThat(made)
                .isNotEmpty()
                .allSatisfy(fetching -> assertThat(fetching.connected).isEmpty());
        assertThat(SERVER.connections()).isEqualTo(before);
    }

    private static WebAccess.Builder access() {
        return WebAccess.builder().ports(80, 443, PORT);
    }

    /** With this machine's own addresses allowed, so that only the way in which they are written is in the way. */
    private Fetching lenient() {
        return fetching(access().addresses("127.0.0.0/8", "::1").build());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.1.2.3",
                "10.0.0.1",
                "10.255.255.255",
                "100.64.0.1",
                "100.100.100.200",
                "127.0.0.1",
                "127.1.2.3",
                "127.255.255.254",
                "168.63.129.16",
                "169.254.169.254",
                "169.254.170.2",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.192",
                "192.0.2.1",
                "192.88.99.1",
                "192.168.0.1",
                "198.18.0.1",
                "198.51.100.1",
                "203.0.113.1",
                "224.0.0.1",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::127.0.0.1",
                "::ffff:0:127.0.0.1",
                "64:ff9b::7f00:1",
                "64:ff9b::a9fe:a9fe",
                "64:ff9b:1::7f00:1",
                "100::1",
                "2001:0:7f00:1::",
                "2001:db8::1",
                "2002:7f00:1::1",
                "2002:a9fe:a9fe::",
                "3fff::1",
                "fc00::1",
                "fd00:ec2::254",
                "fd20:ce::254",
                "fe80::1",
                "fec0::1",
                "ff02::1"
            })
    void anAddressIsRefusedByItselfAndWhenANameHasIt(String address) {
        String written = address.indexOf(':') < 0 ? address : "[" + address + "]";
        for (String url :
                List.of("http://" + written + "/", "https://" + written + "/", "http://" + written + ":" + PORT)) {
            assertThat(fetching(access().build()).refusal(url)).contains("a URL must have a name");
        }
        Fetching named =
                fetching(access().build()).name("a.example.org", address).name("b.example.org", "1.1.1.1", address);
        for (String host : List.of("a.example.org", "A.EXAMPLE.org.", "b.example.org")) {
            assertThat(named.refusal("http://" + host + ":" + PORT + "/"))
                    .contains("has an address that is not on the internet")
                    .doesNotContain(address + " ");
        }
        assertThat(named.lookedUp).containsExactly("a.example.org", "a.example.org", "b.example.org");
    }

    /** Java makes the IPv4 address of it, and so it is checked as that. */
    @ParameterizedTest
    @ValueSource(strings = {"::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:ffff:a9fe:a9fe", "::FFFF:10.0.0.1"})
    void anAddressInDisguiseIsRefused(String address) {
        assertThat(lenient().refusal("http://[" + address + "]:" + PORT)).contains("nor an address in its usual form");
        assertThat(fetching(access().build()).name("a.example.org", address).refusal("http://a.example.org:" + PORT))
                .contains("not on the internet");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.1:P/",
                "http://127.0.1:P/",
                "http://2130706433:P/",
                "http://0x7f000001:P/",
                "http://0x7F.0.0.1:P/",
                "http://0X7F000001:P/",
                "http://0177.0.0.1:P/",
                "http://017700000001:P/",
                "http://0127.0.0.1:P/",
                "http://127.000.000.001:P/",
                "http://127.0.0.1.:P/",
                "http://127.0.0.0x1:P/",
                "http://6425673729:P/",
                "http://127.0.0.257:P/",
                "http://127.0.0.1.1:P/",
                "http://0:P/",
                "http://127..0.1:P/",
                "http://.127.0.0.1:P/",
                "http://%31%32%37.0.0.1:P/",
                "http://127.0.0.1%00.example.org:P/",
                "http://127.0.0.1%2e:P/",
                "http://[::1%25lo]:P/",
                "http://[::1%lo]:P/",
                "http://[127.0.0.1]:P/",
                "http://[::1.]:P/",
                "http://[::1]x:P/",
                "http://user@127.0.0.1:P/",
                "http://user:secret@127.0.0.1:P/",
                "http://example.org@127.0.0.1:P/",
                "http://@127.0.0.1:P/",
                "http://127.0.0.1:P@example.org/",
                "http://127.0.0.1:P\\@example.org/",
                "http://example.org\\@127.0.0.1:P/",
                "http:\\\\127.0.0.1:P/",
                "http://127.0.0.1:P%2f@example.org/",
                "http:127.0.0.1:P/",
                "http:/127.0.0.1:P/",
                "http:///127.0.0.1:P/",
                "//127.0.0.1:P/",
                "127.0.0.1:P",
                "/x",
                "",
                "file:///etc/passwd",
                "ftp://127.0.0.1:P/",
                "gopher://127.0.0.1:P/_GET",
                "jar:http://127.0.0.1:P/!/x",
                "ws://127.0.0.1:P/",
                "data:text/plain,x",
                "javascript:x",
                "HTTP+unix://127.0.0.1:P/",
                "http://127.0.0.1:0/",
                "http://127.0.0.1:99999/",
                "http://127.0.0.1:-1/",
                "http://127.0.0.1:+P/",
                "http://127.0.0.1:P:P/",
                "http://127.0.0.1:0x50/",
                "http://127.0.0.1:P\r\nX: y/",
                "http://127.0.0.1\t:P/",
                "http://127.0.0.1 :P/",
                "http://127.0.0.1\u0000:P/",
                "http://127.0.0.1\u3002:P/",
                "http://\u2460\u2461\u2466.1:P/"
            })
    void whatAnotherProgramMightReadAsAnAddressIsRefused(String url) {
        Fetching lenient = lenient().name("example.org", "127.0.0.1");
        assertThat(lenient.refusal(url.replace("P", String.valueOf(PORT)))).isNotNull();
        assertThat(lenient.lookedUp).isEmpty();
    }

    /** Digits and dots of other scripts become those of ASCII before anything is checked. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\uff11\uff12\uff17.\uff10.\uff10.\uff11", "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460",
                        "127\u30020\u30020\u30021",
                "127\uff0e0\uff0e0\uff0e1", "127\uff610\uff610\uff611", "\uff11\uff16\uff19.254.169.254"
            })
    void digitsAndDotsOfOtherScriptsAreRead(String host) {
        assertThat(fetching(access().build()).refusal("http://" + host + ":" + PORT + "/"))
                .contains("a URL must have a name");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST.",
                "local\u200bhost",
                "\u24dbocalhost",
                "\uff4cocalhost",
                "metadata.google.internal",
                "a.localhost",
                "wiki"
            })
    void namesOfThisMachineAndItsNetworkAreRefused(String host) {
        Fetching fetching = fetching(access().build())
                .name("localhost", "127.0.0.1", "::1")
                .name("a.localhost", "::1")
                .name("metadata.google.internal", "169.254.169.254")
                .name("wiki", "10.1.2.3");
        assertThat(fetching.refusal("http://" + host + ":" + PORT + "/")).contains("not on the internet");
    }

    /** Those that hand out credentials, or are nobody's, cannot be allowed. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "169.254.169.254",
                "169.254.170.2",
                "100.100.100.200",
                "192.0.0.192",
                "168.63.129.16",
                "fd00:ec2::254",
                "fe80::1",
                "0.0.0.0",
                "::",
                "224.0.0.1",
                "ff02::1",
                "255.255.255.255",
                "::127.0.0.1"
            })
    void someAddressesAreRefusedEvenIfAllAreAllowed(String address) {
        Fetching all = fetching(access().addresses("0.0.0.0/0", "::/0").build()).name("a.example.org", address);
        String written = address.indexOf(':') < 0 ? address : "[" + address + "]";
        assertThat(all.refusal("http://" + written + "/")).contains("a URL must have a name");
        assertThat(all.refusal("http://a.example.org/")).contains("not on the internet");
    }

    @Test
    void aPortThatIsNotAllowedIsRefused() {
        Fetching fetching =
                fetching(WebAccess.builder().addresses("127.0.0.1").build()).name("a.example.org", "127.0.0.1");
        assertThat(fetching.refusal(SERVER.url().toString())).contains("port " + PORT, "[80, 443]");
        assertThat(fetching.refusal("https://a.example.org:" + PORT)).contains("port " + PORT);
        assertThat(fetching.lookedUp).isEmpty();
    }
}
