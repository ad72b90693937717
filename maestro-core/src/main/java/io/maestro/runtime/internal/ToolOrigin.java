package io.maestro.runtime.internal;

import io.maestro.tools.ToolFactory;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.security.CodeSource;

/** Says where a tool comes from, so that a person finds the jar that is at fault. */
public final class ToolOrigin {
    private ToolOrigin() {}

    /**
     * A class and the jar or directory that it was loaded from.
     *
     * @param type any class
     * @return for example {@code com.example.TicketTool in /opt/tools/ticket.jar}
     */
    public static String of(Class<?> type) {
        return type.getName() + " in " + location(type);
    }

    /**
     * Whose tool a factory makes.
     *
     * @param factory may be broken
     * @return as for a class
     */
    public static String of(ToolFactory factory) {
        try {
            return of(factory.origin());
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            return of(factory.getClass());
        }
    }

    private static String location(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null || source.getLocation() == null ? "an unknown place" : path(source.getLocation());
    }

    /** The jar or directory that holds a service file. */
    static String ofServiceFile(URL file, String entry) {
        String text = file.toExternalForm();
        int cut = text.length() - entry.length() - 1;
        if (cut <= 0 || !text.endsWith(entry)) {
            return text;
        }
        String container = text.substring(0, cut);
        if (container.startsWith("jar:") && container.endsWith("!")) {
            container = container.substring("jar:".length(), container.length() - 1);
        }
        return path(container);
    }

    private static String path(URL location) {
        return path(location.toExternalForm());
    }

    private static String path(String location) {
        if (!location.startsWith("file:")) {
            return location; // such as a jar in a jar: a path in there would not say in which
        }
        try {
            return Path.of(URI.create(location)).toString();
        } catch (IllegalArgumentException e) {
            return location;
        }
    }
}
