package io.maestro.mcpclient.internal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Lines, in UTF-8, of a stream that is not trusted: a line ends at its limit, too. For one thread. */
final class BoundedLines {
    private final InputStream in;
    private final int limit;
    private boolean cut;

    /**
     * Makes a reader.
     *
     * @param in buffered
     * @param limit how many bytes a line may have
     */
    BoundedLines(InputStream in, int limit) {
        this.in = in;
        this.limit = limit;
    }

    /** The next line without its end; null when there is none. */
    @Nullable
    String next() throws IOException {
        cut = false;
        int b = in.read();
        if (b < 0) {
            return null;
        }
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (; b >= 0 && b != '\n'; b = in.read()) {
            line.write(b);
            if (line.size() == limit) {
                cut = true;
                break;
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /** Whether the line ended at its limit. */
    boolean wasCut() {
        return cut;
    }

    /** Passes over what a line has beyond its limit. */
    void skipRest() throws IOException {
        int b = in.read();
        while (b >= 0 && b != '\n') {
            b = in.read();
        }
    }
}
