package io.maestro.claude.internal.gateway;

/** Reads what an answer has used while it passes. For one thread. */
interface UsageMeter {
    /** For answers that use nothing. */
    UsageMeter NOTHING = new UsageMeter() {
        private final Counted counted = new Counted();

        @Override
        public void read(byte[] bytes, int length) {
            // Nothing to find.
        }

        @Override
        public Counted counted() {
            return counted;
        }
    };

    /** Reads a piece of the body; what cannot be understood is passed over. */
    void read(byte[] bytes, int length);

    /** What was found so far. */
    Counted counted();
}
