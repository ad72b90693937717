package io.maestro.mcp;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A part of a tool's answer that is no text: a picture, a sound, a file. Immutable.
 */
public final class McpContent {
    private final Map<String, Object> block;

    private McpContent(Map<String, Object> block) {
        this.block = block;
    }

    /**
     * A picture.
     *
     * @param data its bytes; copied
     * @param mimeType for example {@code image/png}
     * @return the part
     */
    public static McpContent image(byte[] data, String mimeType) {
        return new McpContent(binary("image", data, mimeType));
    }

    /**
     * A sound.
     *
     * @param data its bytes; copied
     * @param mimeType for example {@code audio/wav}
     * @return the part
     */
    public static McpContent audio(byte[] data, String mimeType) {
        return new McpContent(binary("audio", data, mimeType));
    }

    /**
     * A file, with its text.
     *
     * @param uri what it is called
     * @param mimeType for example {@code text/plain}
     * @param text its content
     * @return the part
     */
    public static McpContent resource(String uri, String mimeType, String text) {
        Map<String, Object> resource = new LinkedHashMap<>();
        resource.put("uri", Objects.requireNonNull(uri, "uri"));
        resource.put("mimeType", Objects.requireNonNull(mimeType, "mimeType"));
        resource.put("text", Objects.requireNonNull(text, "text"));
        Map<String, Object> block = block("resource");
        block.put("resource", resource);
        return new McpContent(block);
    }

    private static Map<String, Object> binary(String type, byte[] data, String mimeType) {
        Map<String, Object> block = block(type);
        block.put("data", Base64.getEncoder().encodeToString(data));
        block.put("mimeType", Objects.requireNonNull(mimeType, "mimeType"));
        return block;
    }

    private static Map<String, Object> block(String type) {
        Map<String, Object> block = new LinkedHashMap<>();
        block.put("type", type);
        return block;
    }

    /**
     * The content block of the protocol.
     *
     * @return a copy; JSON types only
     */
    public Map<String, Object> asMap() {
        return new LinkedHashMap<>(block);
    }

    /** Its type, without its content. */
    @Override
    public String toString() {
        return "McpContent[" + block.get("type") + "]";
    }
}
