package io.maestro.instructions.internal;

import io.maestro.git.internal.CommitTree;
import io.maestro.secrets.Redactor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A file of a commit as text, without secrets.
 *
 * @param text empty when there is none to show
 * @param fault why not; empty when there is nothing wrong
 */
record CommittedText(String text, String fault) {
    /** Whole files lose their secrets before they are cut; longer ones are left out. */
    private static final int MOST_BYTES = 1_000_000;

    static CommittedText read(CommitTree tree, CommitTree.CommitEntry entry, Redactor redactor) throws IOException {
        if (entry.kind() != CommitTree.EntryKind.FILE) {
            // What is behind it could lie anywhere, and could be what an agent writes.
            return new CommittedText("", "a " + entry.kind().shown());
        }
        if (tree.size(entry) > MOST_BYTES) {
            return new CommittedText("", String.format(Locale.ROOT, "larger than %,d bytes", MOST_BYTES));
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(tree.open(entry, in -> in.readNBytes(MOST_BYTES))))
                    .toString();
            return text.indexOf('\0') >= 0
                    ? new CommittedText("", "no text")
                    : new CommittedText(redactor.redact(text.startsWith("\ufeff") ? text.substring(1) : text), "");
        } catch (CharacterCodingException e) {
            return new CommittedText("", "no text in UTF-8");
        }
    }
}
