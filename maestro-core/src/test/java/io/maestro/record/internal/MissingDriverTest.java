package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.MaestroRecord;
import io.maestro.error.MaestroException;
import io.maestro.secrets.Redactor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

class MissingDriverTest {
    @TempDir
    Path directory;

    private static URL locationOf(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    @Test
    void namesTheDependencyWhenSqliteIsNotThere() throws Exception {
        URL[] withoutSqlite = {
            locationOf(MaestroRecord.class), locationOf(MaestroException.class), locationOf(Logger.class)
        };
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(withoutSqlite, ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            Class<?> redactor = loader.loadClass(Redactor.class.getName());
            Object none = Proxy.newProxyInstance(loader, new Class<?>[] {redactor}, (proxy, method, args) -> args[0]);
            Method open = loader.loadClass(MaestroRecord.class.getName()).getMethod("sqlite", Path.class, redactor);

            assertThatThrownBy(() -> open.invoke(null, directory.resolve("maestro.db"), none))
                    .isInstanceOf(InvocationTargetException.class)
                    .cause()
                    .satisfies(e -> assertThat(e.getClass().getName()).isEqualTo("io.maestro.record.StoreException"))
                    .hasMessageContaining("org.xerial:sqlite-jdbc");
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
