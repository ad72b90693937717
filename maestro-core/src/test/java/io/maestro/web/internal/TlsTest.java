package io.maestro.web.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.web.WebAccess;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TLS to an address that was checked, in the name that was asked for. */
@Timeout(60)
class TlsTest {
    private static final char[] PASSWORD = "for-the-test".toCharArray();

    private static SSLContext context(Path directory) throws Exception {
        Path file = directory.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        "server",
                        "-dname",
                        "CN=docs.example.org",
                        "-ext",
                        "san=dns:docs.example.org",
                        "-keystore",
                        file.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD))
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(file).as(output).exists();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD);
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD);
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }

    @Test
    void theNameIsSentAndMustBeThatOfTheCertificateAlthoughAnAddressIsConnectedTo(@TempDir Path directory)
            throws Exception {
        SSLContext context = context(directory);
        List<String> names = new CopyOnWriteArrayList<>();
        try (SSLServerSocket listener = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread server = new Thread(() -> serve(listener, names));
            server.setDaemon(true);
            server.start();
            int port = listener.getLocalPort();
            WebAccess access =
                    WebAccess.builder().ports(port).addresses("127.0.0.1").build();
            Fetching trusting = new Fetching(access, (phase, host, number, tls) -> tls, context.getSocketFactory())
                    .name("docs.example.org", "127.0.0.1")
                    .name("other.example.org", "127.0.0.1");

            assertThat(trusting.fetch("https://docs.example.org:" + port + "/").text())
                    .isEqualTo("safe");
            assertThat(trusting.refusal("https://other.example.org:" + port + "/"))
                    .contains("no TLS with other.example.org")
                    .contains("other.example.org");
            assertThat(trusting.refusal("https://127.0.0.1:" + port + "/")).contains("no TLS with 127.0.0.1");
            assertThat(new Fetching(access, (phase, host, number, tls) -> tls, (SSLSocketFactory)
                                    SSLSocketFactory.getDefault())
                            .name("docs.example.org", "127.0.0.1")
                            .refusal("https://docs.example.org:" + port + "/"))
                    .contains("no TLS with docs.example.org");
            assertThat(names).contains("docs.example.org");
        }
    }

    private static void serve(SSLServerSocket listener, List<String> names) {
        while (!listener.isClosed()) {
            try (SSLSocket socket = (SSLSocket) listener.accept()) {
                socket.startHandshake();
                ((ExtendedSSLSession) socket.getSession())
                        .getRequestedServerNames()
                        .forEach(name -> names.add(new String(name.getEncoded(), StandardCharsets.US_ASCII)));
                byte[] request = new byte[4096];
                if (socket.getInputStream().read(request) > 0) {
                    socket.getOutputStream()
                            .write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nsafe"
                                    .getBytes(StandardCharsets.US_ASCII));
                }
            } catch (Exception e) {
                // The client has refused, or the test is over.
            }
        }
    }
}
