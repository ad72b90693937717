package io.maestro.instructions.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What one commit of a repository tells agents. Immutable.
 *
 * @param text for prompts, Markdown without secrets; empty when there is nothing to tell
 * @param hashes for the record: the commit, and of each text that was given its path, its blob and the SHA-256 of what was given;
 *     empty when nothing was
 * @param skills what {@code read_skill} reads
 */
public record Instructions(String text, String hashes, Skills skills) {
    /** Tells nothing. */
    public static final Instructions NONE = new Instructions("", "", Skills.NONE);

    /** A line of the hashes. */
    static String hash(String path, String blob, String given) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(given.getBytes(StandardCharsets.UTF_8));
            return "\n" + path + " blob " + blob + " sha256 " + HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
