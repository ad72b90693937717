package io.maestro.tools.typed;

import io.maestro.error.MaestroException;
import io.maestro.tools.Property;

/** A Java type that an argument can have. */
interface ArgumentType {
    /**
     * Its schema.
     *
     * @param description for the model; may be blank
     */
    Property property(String description);

    /**
     * A value of the type.
     *
     * @param path where the value stands, for example {@code $.items[2]}
     * @param json valid against the schema
     * @throws BadArgumentException when the schema lets pass what the type cannot be, such as a number that is too large
     */
    Object read(String path, Object json);

    /** What the model has to correct. */
    final class BadArgumentException extends MaestroException {
        private static final long serialVersionUID = 1L;

        BadArgumentException(String path, String fault) {
            super(path + ": " + fault);
        }
    }
}
