package io.maestro.runtime.internal;

import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Consumer;

/**
 * Finds tool factories, and sources of them, with {@link ServiceLoader}, one by one, so that a broken jar does not hide the others.
 * The loader's own errors do not say which jar is at fault; the service files are read beside it to find that out.
 *
 * @param <S> the service
 */
public final class ToolDiscovery<S> {
    /** {@link ServiceLoader} promises to go on after an error only as well as it can: do not try for ever. */
    private static final int MOST_FAILURES = 1000;

    private final String serviceFile;
    private final Iterator<ServiceLoader.Provider<S>> providers;
    private final Consumer<S> found;
    private final DiscoverySink sink;

    /** What the service files announce and {@link ServiceLoader} has not yet come to, in its order. */
    private final List<Announced> open;

    private ToolDiscovery(Class<S> service, ClassLoader loader, DiscoverySink sink, Consumer<S> found) {
        this.serviceFile = "META-INF/services/" + service.getName();
        this.providers = ServiceLoader.load(service, loader).stream().iterator();
        this.found = found;
        this.sink = sink;
        this.open = announced(loader);
    }

    /** Takes what is found. */
    public interface DiscoverySink {
        /**
         * A factory was created.
         *
         * @param factory the factory
         */
        void found(ToolFactory factory);

        /**
         * A factory could not be created, or a provider did not give its own.
         *
         * @param where its class and jar, as far as they are known
         * @param failure what happened
         */
        void broken(String where, Throwable failure);
    }

    /**
     * Looks through a class loader, and the module layer when it has one.
     *
     * @param loader where to look
     * @param sink takes what is found; an exception that it throws ends the search
     */
    public static void run(ClassLoader loader, DiscoverySink sink) {
        new ToolDiscovery<>(ToolFactory.class, loader, sink, sink::found).look();
        new ToolDiscovery<>(
                        ToolProvider.class,
                        loader,
                        sink,
                        provider -> tools(provider, sink).forEach(sink::found))
                .look();
    }

    private static List<ToolFactory> tools(ToolProvider provider, DiscoverySink sink) {
        try {
            return List.copyOf(provider.tools());
        } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
            sink.broken(ToolOrigin.of(provider.getClass()), e);
            return List.of();
        }
    }

    private void look() {
        int failures = 0;
        while (failures < MOST_FAILURES) {
            try {
                if (!providers.hasNext()) {
                    return;
                }
                create(providers.next());
            } catch (ServiceConfigurationError | LinkageError e) {
                failures++;
                sink.broken(culprit(e), e);
            }
        }
    }

    private void create(ServiceLoader.Provider<S> provider) {
        Class<? extends S> type = provider.type();
        open.removeIf(announced -> announced.className.equals(type.getName()));
        S created;
        try {
            created = provider.get();
        } catch (ServiceConfigurationError | LinkageError e) {
            Throwable reason = e instanceof ServiceConfigurationError && e.getCause() != null ? e.getCause() : e;
            sink.broken(ToolOrigin.of(type), reason);
            return;
        }
        found.accept(created);
    }

    /** Whose fault an error of the loader is, which names at most a class or the file with a syntax error. */
    private String culprit(Throwable error) {
        String message = String.valueOf(error.getMessage());
        for (Announced announced : open) {
            if (message.contains(announced.file)) {
                open.removeIf(other -> other.file.equals(announced.file)); // the loader skips the rest of this file
                return announced.file;
            }
        }
        Announced found = null;
        for (Announced announced : open) {
            boolean better = found == null || announced.className.length() > found.className.length();
            if (message.contains(announced.className) && better) {
                found = announced;
            }
        }
        if (found == null && !open.isEmpty()) {
            found = open.get(0); // such as NoClassDefFoundError, which names only what is missing
        }
        if (found == null) {
            return "an unknown place";
        }
        open.remove(found);
        return found.className + " in " + found.jar;
    }

    private List<Announced> announced(ClassLoader loader) {
        List<Announced> result = new ArrayList<>();
        try {
            for (URL file : Collections.list(loader.getResources(serviceFile))) {
                read(file, result);
            }
        } catch (IOException e) {
            // ServiceLoader meets the same problem and reports it
            return result;
        }
        return result;
    }

    private void read(URL file, List<Announced> result) throws IOException {
        URLConnection connection = file.openConnection();
        connection.setUseCaches(false); // a cached jar stays open for as long as the JVM lives
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8))) {
            String jar = ToolOrigin.ofServiceFile(file, serviceFile);
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                int comment = line.indexOf('#');
                String name = (comment < 0 ? line : line.substring(0, comment)).strip();
                if (!name.isEmpty()) {
                    result.add(new Announced(name, file.toString(), jar));
                }
            }
        }
    }

    private record Announced(String className, String file, String jar) {}
}
