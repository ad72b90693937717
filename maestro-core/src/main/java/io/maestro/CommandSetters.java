package io.maestro;

/**
 * The setters for the commands of a project, which a team and an agent alone have in common. Hosts see them as the builder's own.
 *
 * @param <B> the builder
 */
abstract class CommandSetters<B> extends WebSetters<B> {
    final HostCommands commands = new HostCommands();

    CommandSetters() {}

    /**
     * Sets the command that builds the project without running its tests, for the tool {@code build}, as a line for {@code sh} in
     * the root of the workspace.
     *
     * @param command for example {@code make all}; the default is what the project's build file suggests
     * @return this
     */
    public B buildCommand(String command) {
        commands.build = HostSettings.command("build", command);
        return self();
    }

    /**
     * Sets the command that runs the project's linters, for the tool {@code lint}, as a line for {@code sh} in the root of the
     * workspace.
     *
     * @param command for example {@code npm run lint}; the default is what the project's build file suggests
     * @return this
     */
    public B lintCommand(String command) {
        commands.lint = HostSettings.command("lint", command);
        return self();
    }

    /**
     * Sets the command that runs the project's tests, as a line for {@code sh} in the root of the workspace.
     *
     * @param command for example {@code make check}; the default is what the project's build file suggests
     * @return this
     */
    public B testCommand(String command) {
        commands.test = HostSettings.command("test", command);
        return self();
    }
}
