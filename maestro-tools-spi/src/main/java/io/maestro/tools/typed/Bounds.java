package io.maestro.tools.typed;

import io.maestro.tools.Property;

/**
 * What {@link Argument} says of sizes.
 *
 * @param min inclusive; {@link Long#MIN_VALUE} for none
 * @param max inclusive; {@link Long#MAX_VALUE} for none
 */
record Bounds(long min, long max) {
    static final Bounds NONE = new Bounds(Long.MIN_VALUE, Long.MAX_VALUE);

    Property values(Property number) {
        return with(number, "minimum", "maximum", min, max);
    }

    Property lengths(Property text) {
        return sizes(text, "minLength", "maxLength");
    }

    Property items(Property list) {
        return sizes(list, "minItems", "maxItems");
    }

    private Property sizes(Property property, String least, String most) {
        return with(property, least, most, (int) Math.max(0, min), (int) Math.min(Integer.MAX_VALUE, max));
    }

    private Property with(Property property, String least, String most, Number from, Number to) {
        Property bounded = min == Long.MIN_VALUE ? property : property.with(least, from);
        return max == Long.MAX_VALUE ? bounded : bounded.with(most, to);
    }

    /** Refuses bounds between which nothing is. */
    Bounds requireOrder(String where) {
        if (min > max) {
            throw new IllegalArgumentException(where + " can have no value: min is " + min + ", max is " + max);
        }
        return this;
    }

    /** The same for what is counted. */
    Bounds requireSizes(String where) {
        if (max < 0 || min < 0 && min != Long.MIN_VALUE) {
            throw new IllegalArgumentException(where + " can have no negative length or count: min or max is below 0");
        }
        return requireOrder(where);
    }

    void mustBeUnset(String where) {
        if (!equals(NONE)) {
            throw new IllegalArgumentException(
                    where + " has min or max, which only numbers, texts, lists and sets can have");
        }
    }
}
