package io.maestro.runtime.internal;

import static io.maestro.testing.AssertThat.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A person finds the jar of a tool, also where it lies in an executable jar. */
class ToolOriginTest {
    private static final String FILE = "META-INF/services/io.maestro.tools.ToolFactory";

    @ParameterizedTest
    @CsvSource({
        "file:/opt/tools/ticket.jar, /opt/tools/ticket.jar",
        "file:/opt/my%20tools/ticket.jar, /opt/my tools/ticket.jar",
        "jar:nested:/opt/app.jar/!BOOT-INF/lib/ticket.jar!/, jar:nested:/opt/app.jar/!BOOT-INF/lib/ticket.jar!/",
        "jar:file:/opt/app.jar!/BOOT-INF/lib/ticket.jar!/, jar:file:/opt/app.jar!/BOOT-INF/lib/ticket.jar!/"
    })
    void aClassIsShownWithItsJar(String place, String shown) throws IOException {
        assertThat(ToolOrigin.of(new Elsewhere().define(url(place))))
                .isEqualTo(Sample.class.getName() + " in " + shown);
    }

    @ParameterizedTest
    @CsvSource({
        "jar:file:/opt/tools/ticket.jar!/, /opt/tools/ticket.jar",
        "file:/opt/classes/, /opt/classes",
        "jar:nested:/opt/app.jar/!BOOT-INF/lib/ticket.jar!/, nested:/opt/app.jar/!BOOT-INF/lib/ticket.jar",
        "jar:file:/opt/app.jar!/BOOT-INF/lib/ticket.jar!/, /opt/app.jar!/BOOT-INF/lib/ticket.jar"
    })
    void aServiceFileIsShownByItsJar(String container, String shown) throws IOException {
        assertThat(ToolOrigin.ofServiceFile(url(container + FILE), FILE)).isEqualTo(shown);
    }

    /** The JVM knows no nested jars by itself. */
    private static URL url(String text) throws MalformedURLException {
        return new URL(null, text, new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) throws IOException {
                throw new IOException("nothing is there");
            }
        });
    }

    private static final class Sample {}

    private static final class Elsewhere extends ClassLoader {
        Class<?> define(URL place) throws IOException {
            try (InputStream in = ToolOriginTest.class.getResourceAsStream("ToolOriginTest$Sample.class")) {
                byte[] code = in.readAllBytes();
                return defineClass(
                        Sample.class.getName(),
                        code,
                        0,
                        code.length,
                        new ProtectionDomain(new CodeSource(place, (Certificate[]) null), null));
            }
        }
    }
}
