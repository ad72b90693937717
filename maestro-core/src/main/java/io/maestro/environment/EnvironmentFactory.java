package io.maestro.environment;

/**
 * The service provider interface of a sandbox: makes the {@link Environments} of one Maestro. Listed in
 * {@code META-INF/services/io.maestro.environment.EnvironmentFactory}, or given to the builder of {@code Maestro}.
 */
public interface EnvironmentFactory {
    /**
     * Identifies the kind of sandbox in the configuration.
     *
     * @return for example {@code docker}; lower-case letters, digits and dashes
     */
    String id();

    /**
     * Makes the environments of one Maestro. Nothing is started yet.
     *
     * @param project what they are for
     * @return closed by Maestro
     * @throws io.maestro.error.MaestroException when a setting is wrong, or the sandbox cannot be used on this machine; the
     *     message says what to do
     */
    Environments open(EnvironmentProject project);
}
