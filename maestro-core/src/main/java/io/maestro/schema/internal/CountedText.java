package io.maestro.schema.internal;

import io.maestro.internal.Effort;

/** A text of which each character that a search reads is a step of an effort. For one search by one thread. */
public final class CountedText implements CharSequence {
    private static final int AT_ONCE = 1000;

    private final String text;
    private final Effort effort;
    private int left;

    public CountedText(String text, Effort effort) {
        this.text = text;
        this.effort = effort;
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public char charAt(int index) {
        if (--left < 0) {
            effort.spend(AT_ONCE);
            left = AT_ONCE;
        }
        return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.subSequence(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
