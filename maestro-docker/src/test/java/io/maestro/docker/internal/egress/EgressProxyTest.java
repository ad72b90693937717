package io.maestro.docker.internal.egress;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.internal.Reachable;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tries to get past a list of names: no byte arrives at a server that is not named, and none in a way that is not checked. */
@Timeout(120)
class EgressProxyTest {
    /** Of 127.0.0.1 and other places, in every spelling that some resolver takes. */
    private static final List<String> LITERALS = List.of(
            "127.0.0.1",
            "127.1",
            "127.0.1",
            "2130706433",
            "0x7f000001",
            "0X7F.0.0.1",
            "0x7f.1",
            "017700000001",
            "0177.0.0.1",
            "0177.0.0.01",
            "127.0.0.1.",
            "127.0.0.0x1",
            "00000177.0.0.1",
            "0",
            "0.0.0.0",
            "0x",
            "0x.0x.0x.0x",
            "[::1]",
            "[::]",
            "::1",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "::ffff:127.0.0.1",
            "[0:0:0:0:0:0:0:1]",
            "[fe80::1%25eth0]",
            "[fe80::1%eth0]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "[v1.fe80::a+en1]",
            "169.254.169.254",
            "0xa9fea9fe",
            "2852039166",
            "0251.0376.0251.0376",
            "[fd00:ec2::254]",
            "10.0.0.1",
            "192.168.0.1",
            "172.17.0.1",
            "100.64.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "1.1.1.1",
            "8.8.8.8",
            "good.example.org.127.0.0.1",
            "1.2.3.4.5",
            "example.0x7f");

    /** What is not the name that may be reached, however near it comes. */
    private static final List<String> NAMES = List.of(
            "localhost",
            "localhost.",
            "evil.example.net",
            "good.example.org.evil.example.net",
            "xgood.example.org",
            "x.good.example.org",
            "good.example.orgx",
            "good.example.org..",
            "good..example.org",
            ".good.example.org",
            "-good.example.org",
            "good.example.org-",
            "example.org",
            "org",
            "*",
            "*.example.org",
            "*.below.example.org",
            "below.example.org",
            "xbelow.example.org",
            ".below.example.org",
            "..below.example.org",
            "good%2eexample.org",
            "good.example.org%00",
            "good.example.org%00.evil.example.net",
            "good.example.org%2f",
            "good.example.org%40evil.example.net",
            "evil.example.net#good.example.org",
            "evil.example.net?good.example.org",
            "evil.example.net/good.example.org",
            "evil.example.net\\good.example.org",
            "evil.example.net;good.example.org",
            "evil.example.net,good.example.org",
            "good.example.org,evil.example.net",
            "user@good.example.org",
            "good.example.org@evil.example.net",
            "good.example.org:80@evil.example.net",
            "user:password@good.example.org",
            "inside.example.org",
            "mixed.example.org",
            "unknown.example.org",
            "default.example.org",
            "host.docker.internal",
            "gateway.docker.internal",
            "metadata.google.internal",
            "kubernetes.default.svc",
            "a".repeat(64) + ".below.example.org",
            ("a".repeat(60) + ".").repeat(5) + "below.example.org",
            "a".repeat(5000) + ".below.example.org",
            "");

    @TempDir
    Path directory;

    private EgressBench bench;

    @BeforeEach
    void open() throws Exception {
        bench = new EgressBench(directory, EgressBench.quick());
    }

    @AfterEach
    void nothingElseWasReached() throws Exception {
        bench.close();
        assertThat(bench.reachedBad).hasValue(0);
    }

    private String get(String authority, String more) {
        return "GET http://" + authority + "/x HTTP/1.1\r\n" + more + "\r\n";
    }

    private String good() {
        return EgressBench.GOOD + ":" + bench.port();
    }

    /** Other requests for a name that may be reached, which another program could read in another way. */
    private List<String> requests() {
        String good = good();
        String host = "Host: " + good + "\r\n";
        List<String> all = new ArrayList<>(List.of(
                get(good, "Host: evil.example.net\r\n"),
                get(good, host + host),
                get(good, host + "Host: evil.example.net\r\n"),
                get(good, "Host: " + EgressBench.GOOD + ":1\r\n"),
                get(good, "Host: user@" + good + "\r\n"),
                get(good, "Host : " + good + "\r\n"),
                get(good, "Host:\r\n " + good + "\r\n"),
                get(good, " Host: " + good + "\r\n"),
                get(good, "X: a\r\n\tb\r\n"),
                get(good, "X: a\nHost: evil.example.net\r\n"),
                get(good, "X: a\rHost: evil.example.net\r\n"),
                get(good, "X: a\0b\r\n"),
                get(good, "X\0: a\r\n"),
                get(good, "X: \u00e4\r\n"),
                get(good, "no field\r\n"),
                get(good, ": a\r\n"),
                get(good, "X y: a\r\n"),
                get(good, "Content-Length: 5\r\n") + "hello",
                get(good, "Content-Length: -1\r\n"),
                get(good, "Content-Length: 0\r\nContent-Length: 5\r\n"),
                get(good, "Content-Length: 0, 5\r\n"),
                get(good, "Transfer-Encoding: chunked\r\n") + "0\r\n\r\n",
                get(good, "Transfer-Encoding: identity\r\n"),
                get(good, "transfer-encoding:\tchunked\r\n") + "0\r\n\r\n",
                get(good, "X: y\r\n".repeat(101)),
                get(good, "X: " + "y".repeat(20_000) + "\r\n"),
                get(good, "X".repeat(200) + ": y\r\n"),
                get(good, "") + get("evil.example.net", ""),
                get(good, "") + "x",
                "CONNECT " + good + " HTTP/1.1\r\nHost: evil.example.net:443\r\n\r\n",
                "CONNECT " + good + " HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
                "CONNECT " + good + " HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
                "CONNECT " + good + " HTTP/1.1\r\nUpgrade: h2c\r\n\r\n",
                "CONNECT " + EgressBench.GOOD + " HTTP/1.1\r\n\r\n",
                "CONNECT http://" + good + "/ HTTP/1.1\r\n\r\n",
                "CONNECT " + good + "/ HTTP/1.1\r\n\r\n",
                "CONNECT /" + good + " HTTP/1.1\r\n\r\n",
                "CONNECT " + good + " HTTP/1.1\n\n\r\n\r\n",
                "CONNECT " + good + " HTTP/2.0\r\n\r\n",
                "CONNECT " + good + " HTTP/0.9\r\n\r\n",
                "CONNECT " + good + "\r\n\r\n",
                "CONNECT  " + good + " HTTP/1.1\r\n\r\n",
                "CONNECT " + good + "  HTTP/1.1\r\n\r\n",
                "CONNECT\t" + good + "\tHTTP/1.1\r\n\r\n",
                "connect " + good + " HTTP/1.1\r\n\r\n",
                " CONNECT " + good + " HTTP/1.1\r\n\r\n",
                "\r\nCONNECT " + good + " HTTP/1.1\r\n\r\n",
                "POST http://" + good + "/ HTTP/1.1\r\n\r\n",
                "PUT http://" + good + "/ HTTP/1.1\r\n\r\n",
                "DELETE http://" + good + "/ HTTP/1.1\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\n\r\n",
                "TRACE http://" + good + "/ HTTP/1.1\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "GET / HTTP/1.1\r\n" + host + "\r\n",
                "GET //" + good + "/ HTTP/1.1\r\n\r\n",
                "GET https://" + good + "/ HTTP/1.1\r\n\r\n",
                "GET ftp://" + good + "/ HTTP/1.1\r\n\r\n",
                "GET file:///etc/passwd HTTP/1.1\r\n\r\n",
                "GET http:" + good + "/ HTTP/1.1\r\n\r\n",
                "GET http:/" + good + "/ HTTP/1.1\r\n\r\n",
                "GET http:///" + good + "/ HTTP/1.1\r\n\r\n",
                "GET http:\\\\" + good + "/ HTTP/1.1\r\n\r\n",
                "GET http://" + good + "#@evil.example.net/ HTTP/1.1\r\n\r\n",
                "GET http://" + good + "/x#y HTTP/1.1\r\n\r\n",
                "GET http://" + good + "/x y HTTP/1.1\r\n\r\n",
                "GET http://" + good + "/x\0 HTTP/1.1\r\n\r\n",
                "GET http://" + good + "/x\ty HTTP/1.1\r\n\r\n",
                "GET http://" + good + "/" + "x".repeat(10_000) + " HTTP/1.1\r\n\r\n",
                "\u0005\u0001\u0000",
                "\u0004\u0001\u0000\u0050\u007f\u0000\u0000\u0001\u0000",
                "",
                "\r\n\r\n",
                "\0\0\0\0\r\n\r\n"));
        for (String port : List.of(
                "0",
                "00",
                "1",
                "22",
                "25",
                "53",
                "80",
                "443",
                "+1",
                "-1",
                "65536",
                "99999",
                "4294967739",
                "0443",
                "x",
                "443x",
                "",
                " 443",
                "443:80")) {
            all.add("CONNECT " + EgressBench.GOOD + ":" + port + " HTTP/1.1\r\n\r\n");
            all.add(get(EgressBench.GOOD + ":" + port, ""));
        }
        return all;
    }

    @Test
    void nothingGetsPastTheList() throws Exception {
        List<String> attacks = new ArrayList<>(requests());
        List<String> hosts = new ArrayList<>(LITERALS);
        hosts.addAll(NAMES);
        for (String host : hosts) {
            attacks.add("CONNECT " + host + ":" + bench.port() + " HTTP/1.1\r\n\r\n");
            attacks.add(get(host + ":" + bench.port(), ""));
        }
        assertThat(attacks).hasSizeGreaterThan(200);
        int before = bench.reachedGood.get();
        for (String attack : attacks) {
            String answer = bench.ask(attack);
            assertThat(answer).as(attack).startsWith("HTTP/1.1 403 ");
            // What a refusal says is an agent's to read: nothing of this machine's networks.
            assertThat(answer).as(attack).doesNotContain("127.66").doesNotContain("Exception");
            assertThat(bench.record().refused()).as(attack).isNotEmpty();
            assertThat(bench.reachedBad).as(attack).hasValue(0);
            assertThat(bench.reachedGood).as(attack).hasValue(before);
        }
    }

    private void assertNoHello(String what, byte[] hello) throws Exception {
        assertThat(bench.tunnel(good(), hello)).as(what).doesNotContain("ok");
        assertThat(bench.record().refused()).as(what).isNotEmpty();
        assertThat(bench.said).as(what).allMatch(String::isEmpty);
    }

    @Test
    void aTunnelIsForTheServerThatItWasAskedFor() throws Exception {
        String good = EgressBench.GOOD;
        assertNoHello("another name", Hello.real("evil.example.net"));
        assertNoHello("a name below", Hello.real("x." + good));
        assertNoHello("no name", Hello.real(""));
        assertNoHello("no extension", Hello.of());
        assertNoHello("two names", Hello.of(Hello.names(good, "evil.example.net")));
        assertNoHello("two extensions", Hello.of(Hello.names(good), Hello.names("evil.example.net")));
        assertNoHello("an empty name", Hello.of(Hello.names("")));
        assertNoHello("no names", Hello.of(Hello.names()));
        assertNoHello("an address", Hello.of(Hello.names("127.0.0.1")));
        assertNoHello("a zero byte", Hello.of(Hello.names(good + "\0.evil.example.net")));
        assertNoHello("an encrypted name", Hello.of(Hello.names(good), Hello.extension(0xfe0d, new byte[40])));
        assertNoHello("an older encrypted name", Hello.of(Hello.names(good), Hello.extension(0xffce, new byte[40])));
        assertNoHello("no TLS", "GET / HTTP/1.1\r\nHost: evil.example.net\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertNoHello("SSH", "SSH-2.0-x\r\n".getBytes(StandardCharsets.US_ASCII));
        assertNoHello("SSL 2", new byte[] {(byte) 0x80, 46, 1, 3, 1, 0, 21, 0, 0, 0, 16});
        assertNoHello("an empty record", new byte[] {22, 3, 1, 0, 0});
        assertNoHello("another record", new byte[] {23, 3, 3, 0, 1, 0});
        assertNoHello("an alert", new byte[] {21, 3, 3, 0, 2, 1, 0});
        assertNoHello("a ServerHello", Hello.record(new byte[] {2, 0, 0, 0}));
        assertNoHello("a huge one", Hello.record(new byte[] {1, (byte) 0xff, 0, 0}));
        assertNoHello("a huge record", new byte[] {22, 3, 1, (byte) 0xff, (byte) 0xff, 1});
        assertNoHello("a cut one", Arrays.copyOf(Hello.real(good), 100));
        assertNoHello("an extension that is too long", Hello.of(new byte[] {0, 0, 1, 0, 0}));
        byte[] hello = Hello.of(Hello.names(good));
        for (int i = 5; i < 60; i += 2) {
            byte[] broken = hello.clone();
            broken[i] = (byte) 0xee;
            // Some of it is random by nature; then it arrives, with the right name.
            assertThat(bench.tunnel(good(), broken))
                    .satisfiesAnyOf(
                            answer -> assertThat(answer).doesNotContain("ok"),
                            answer -> assertThat(new String(broken, StandardCharsets.ISO_8859_1))
                                    .contains(good));
            bench.record();
        }
    }

    @Test
    void whatIsAllowedArrivesWholeAndIsRecorded() throws Exception {
        byte[] hello = Hello.real(EgressBench.GOOD);
        assertThat(bench.tunnel(good(), hello)).contains("ok");
        assertThat(bench.said.poll(30, TimeUnit.SECONDS)).isEqualTo(new String(hello, StandardCharsets.ISO_8859_1));
        Egress record = bench.record();
        assertThat(record.target()).isEqualTo(good());
        assertThat(record.address()).isEqualTo("127.66.77.88");
        assertThat(record.sent()).isEqualTo(hello.length);
        assertThat(record.received()).isPositive();
        assertThat(record.refused()).isEmpty();

        // In several records.
        byte[] split = new byte[hello.length + 5];
        System.arraycopy(Hello.record(Arrays.copyOfRange(hello, 5, 50)), 0, split, 0, 50);
        System.arraycopy(Hello.record(Arrays.copyOfRange(hello, 50, hello.length)), 0, split, 50, hello.length - 45);
        assertThat(bench.tunnel("GOOD.Example.ORG.:" + bench.port(), split)).contains("ok");
        assertThat(bench.record().refused()).isEmpty();
        bench.said.clear();

        assertThat(bench.ask(get(
                        good(),
                        "Host: " + good() + "\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\n"
                                + "Proxy-Authorization: Basic eDp5\r\nAccept: */*\r\n")))
                .endsWith("ok");
        assertThat(bench.said.poll(30, TimeUnit.SECONDS))
                .isEqualTo("GET /x HTTP/1.1\r\nhost: " + good() + "\r\nconnection: close\r\naccept: */*\r\n\r\n");
        for (String name :
                List.of("a.below.example.org", "a.b.below.example.org", "xn--bcher-kva.example.org", "mirror")) {
            assertThat(bench.ask(get(name + ":" + bench.port(), ""))).as(name).endsWith("ok");
        }
    }

    @Test
    void aNameIsLookedUpOnceAndConnectedToAsItWasChecked() throws Exception {
        assertThat(bench.ask(get("rebinding.example.org:" + bench.port(), ""))).endsWith("ok");
        assertThat(bench.resolved).hasValue(1);
        assertThat(bench.ask(get("rebinding.example.org:" + bench.port(), ""))).startsWith("HTTP/1.1 403");
    }

    @Test
    void whoIsSlowOrDoesNothingLosesHisPlace() throws Exception {
        List<SocketChannel> all = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            SocketChannel channel = bench.connect();
            all.add(channel);
            // Nothing at all, half a request, half a tunnel, and one that is open on both sides and silent.
            EgressBench.write(
                    channel,
                    List.of("", "GET http://", "CONNECT " + good() + " HTTP/1.1\r\n\r\n")
                            .get(i % 3)
                            .getBytes(StandardCharsets.US_ASCII));
        }
        // More than there are places: who waits is served when the slow have gone.
        for (int i = 0; i < 12; i++) {
            assertThat(bench.ask(get(good(), ""))).endsWith("ok");
        }
        for (SocketChannel channel : all) {
            EgressBench.read(channel);
            channel.close();
        }
    }

    @Test
    void oneByteAtATimeIsRefusedAndTooMuchIsCut() throws Exception {
        try (SocketChannel channel = bench.connect()) {
            byte[] slow = ("GET http://" + good() + "/" + "x".repeat(5_000)).getBytes(StandardCharsets.US_ASCII);
            for (byte one : slow) {
                EgressBench.write(channel, new byte[] {one});
            }
            EgressBench.read(channel);
        }
        assertThat(bench.record().refused()).isNotEmpty();
        byte[] much = Arrays.copyOf(Hello.real(EgressBench.GOOD), 300_000);
        bench.tunnel(good(), much);
        assertThat(bench.record().sent()).isLessThan(250_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.1.2.3",
                "10.1.2.3",
                "100.64.0.1",
                "100.100.100.200",
                "100.127.255.255",
                "127.0.0.1",
                "127.255.255.254",
                "168.63.129.16",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.192",
                "192.0.2.1",
                "192.168.1.1",
                "198.18.0.1",
                "198.19.255.255",
                "198.51.100.1",
                "203.0.113.1",
                "224.0.0.1",
                "239.1.2.3",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::ffff:127.0.0.1",
                "::127.0.0.1",
                "64:ff9b::7f00:1",
                "100::1",
                "fc00::1",
                "fd00:ec2::254",
                "fe80::1",
                "fec0::1",
                "ff02::1",
                "2001::1",
                "2001:db8::1",
                "2002:7f00:1::1",
                "3fff::1",
                "4000::1"
            })
    void whatIsNotOnTheInternetIsNotReached(String address) throws Exception {
        assertThat(Reachable.isPublic(InetAddress.getByName(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1",
                "8.8.8.8",
                "100.63.255.255",
                "100.128.0.1",
                "172.15.0.1",
                "172.32.0.1",
                "192.169.0.1",
                "223.255.255.1",
                "2606:4700::1111",
                "2a00:1450::1",
                "2001:4860::8888"
            })
    void whatIsOnTheInternetIsReached(String address) throws Exception {
        assertThat(Reachable.isPublic(InetAddress.getByName(address))).isTrue();
    }

    @Test
    void aMirrorMayBePrivateButNobodysElse() throws Exception {
        for (String fine : List.of("10.1.2.3", "192.168.1.1", "127.0.0.1", "fd12::1", "1.1.1.1")) {
            assertThat(Reachable.canBeAllowed(InetAddress.getByName(fine)))
                    .as(fine)
                    .isTrue();
        }
        for (String not :
                List.of("169.254.169.254", "168.63.129.16", "fd00:ec2::254", "fe80::1", "0.0.0.0", "224.0.0.1")) {
            assertThat(Reachable.canBeAllowed(InetAddress.getByName(not)))
                    .as(not)
                    .isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "*",
                "*.",
                "*.org",
                "localhost",
                "127.0.0.1",
                "a.example.org:0",
                "a.example.org:x",
                "a.example.org:65536",
                "https://a.example.org",
                "a.example.org/x",
                "a.*.example.org",
                "a b.example.org",
                "Maven"
            })
    void whatIsNoNameIsNoRule(String entry) {
        assertThatThrownBy(() -> EgressRules.of(List.of(entry), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
