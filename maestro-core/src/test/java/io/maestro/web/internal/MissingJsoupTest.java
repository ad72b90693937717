package io.maestro.web.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.MaestroException;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;

/** Maestro without the library that is optional. */
class MissingJsoupTest {
    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatIsMissingIsSaidWhenFetchingIsSwitchedOn() throws Exception {
        PageFetcher.requireLibrary();
        String library = Path.of(Jsoup.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
        URL[] others = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.equals(library))
                .map(MissingJsoupTest::url)
                .toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(others, ClassLoader.getPlatformClassLoader())) {
            for (String name : new String[] {"PageFetcher", "PageText", "Connector", "WebRules"}) {
                Class<?> type = Class.forName(PageFetcher.class.getPackageName() + "." + name, true, loader);
                assertThat(type.getDeclaredMethods()).isNotEmpty();
            }
            Method check = loader.loadClass(PageFetcher.class.getName()).getMethod("requireLibrary");
            assertThatThrownBy(() -> check.invoke(null))
                    .isInstanceOf(InvocationTargetException.class)
                    .cause()
                    .satisfies(
                            cause -> assertThat(cause.getClass().getName()).isEqualTo(MaestroException.class.getName()))
                    .hasMessageContaining("add org.jsoup:jsoup");
        }
    }
}
