package io.maestro.mcpclient.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.error.MaestroException;
import io.maestro.internal.DurableFile;
import io.maestro.internal.PrivateFiles;
import io.maestro.internal.Texts;
import io.maestro.mcpclient.McpChange;
import io.maestro.mcpclient.McpChange.Kind;
import io.maestro.mcpclient.McpSource;
import io.maestro.schema.internal.InputReader;
import io.maestro.schema.internal.InputReader.BadInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a host has agreed to of the tools of MCP servers, kept in a file. For one thread. */
final class Pins {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private final Path file;
    private final Map<String, Map<String, Pin>> servers = new TreeMap<>();
    private boolean changed;

    private Pins(Path file) {
        this.file = file;
    }

    /**
     * Reads the file.
     *
     * @param file need not be there
     * @throws MaestroException when it is there and can't be read
     */
    static Pins read(Path file) {
        Pins pins = new Pins(file);
        if (!Files.exists(file)) {
            return pins;
        }
        try {
            if (Files.size(file) > InputReader.MOST_CHARACTERS) {
                throw pins.unreadable("it is longer than " + InputReader.MOST_CHARACTERS + " bytes", null);
            }
            new InputReader().read(Files.readString(file)).forEach(pins::readServer);
            return pins;
        } catch (IOException | BadInput e) {
            throw pins.unreadable(String.valueOf(e.getMessage()), e);
        }
    }

    private void readServer(String server, Object tools) {
        Map<String, Pin> read = new TreeMap<>();
        if (!(tools instanceof Map<?, ?> map)) {
            throw unreadable("'" + server + "' is no object", null);
        }
        map.forEach((tool, pin) -> {
            if (!(pin instanceof Map<?, ?> hashes)
                    || !(hashes.get("description") instanceof String description)
                    || !(hashes.get("schema") instanceof String schema)) {
                throw unreadable("'" + tool + "' of '" + server + "' has no hashes", null);
            }
            read.put(String.valueOf(tool), new Pin(description, schema));
        });
        servers.put(server, read);
    }

    private MaestroException unreadable(String why, @Nullable Throwable cause) {
        return new MaestroException(
                "the pins of MCP servers in " + file + " can't be read: " + why
                        + "; restore the file, or remove it to pin anew what the servers offer now",
                cause);
    }

    /** Whether the server was seen before. */
    boolean knows(McpSource source) {
        return servers.containsKey(source.name());
    }

    /**
     * Agrees to a tool, or not.
     *
     * @param source the server
     * @param offer what it offers
     * @param seen whether the server was seen before this build
     * @return why it is not offered; empty when it is
     */
    Optional<String> refusal(McpSource source, ToolListing offer, boolean seen) {
        Map<String, Pin> pinned = servers.computeIfAbsent(source.name(), name -> new TreeMap<>());
        Pin before = pinned.get(offer.tool());
        if (offer.pin().equals(before)) {
            return Optional.empty();
        }
        Kind kind = before != null
                ? Kind.CHANGED
                : seen && !source.tools().contains(offer.tool()) ? Kind.ADDED : Kind.FIRST_USE;
        String text = before != null
                ? before.changedTo(offer.pin()) + " since it was agreed to"
                : kind == Kind.ADDED
                        ? "the server did not have it when its tools were agreed to"
                        : "it was never agreed to";
        if (accepts(source, new McpChange(source.name(), offer.tool(), kind, offer.description(), text))) {
            pinned.put(offer.tool(), offer.pin());
            changed = true;
            return Optional.empty();
        }
        return Optional.of(text + ". It says now: \""
                + Texts.clip(offer.description(), 300)
                + "\". Look at it; to agree, let consent(…) or tools.mcp." + source.name() + ".consent say so"
                + ", or remove '" + source.name() + "' from " + file + " to pin all its tools anew");
    }

    private static boolean accepts(McpSource source, McpChange change) {
        try {
            return source.consent().accepts(change);
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** Writes what was agreed to. */
    void write() {
        if (!changed) {
            return;
        }
        try {
            Path directory = Objects.requireNonNull(file.toAbsolutePath().getParent(), "a file is in a directory");
            PrivateFiles.makeMissing(directory);
            DurableFile.write(
                    directory.resolve(file.getFileName() + ".new"), file, JSON.writeValueAsString(servers) + "\n");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e); // these are strings
        } catch (IOException e) {
            throw new MaestroException("the pins of MCP servers can't be written to " + file + ": " + e, e);
        }
    }
}
