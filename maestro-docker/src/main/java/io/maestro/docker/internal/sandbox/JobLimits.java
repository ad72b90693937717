package io.maestro.docker.internal.sandbox;

/**
 * How much there may be of jobs.
 *
 * @param running how many run at a time in the container, of all users; 1 or more
 * @param outputBytes how many bytes of each one's output are kept; more than 0, in units of {@link #BLOCK}
 * @param kept how many are kept of each user's that have ended; 0 or more
 */
record JobLimits(int running, int outputBytes, int kept) {
    /** The unit in which a shell limits files. */
    static final int BLOCK = 512;

    static final JobLimits USUAL = new JobLimits(10, 10 << 20, 100);
}
