package io.maestro.settings;

import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.project.internal.ProjectPrograms;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The commands of a project, and the variables that commands see. Immutable: each setter returns changed options.
 *
 * <p>A command is a line for {@code sh} in the root of the workspace. One that is not set is what the project's build file suggests.
 */
public final class CommandOptions {
    /** One red story makes all runs behind it useless. */
    private static final int MOST_AHEAD = 4;

    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<String> SETUP = command("setup", "setup.command");
    private static final Setting<String> BUILD = command("build", "build.command");
    private static final Setting<String> LINT = command("lint", "lint.command");
    private static final Setting<String> TEST = command("test", "tests.command");
    private static final Setting<Integer> TESTS_AT_ONCE = GROUP.value("tests.at_once", null, Config::integer)
            .checked(count -> {
                if (count < 1) {
                    throw new IllegalArgumentException("testsAtOnce must be 1 or more, is " + count);
                }
            });
    private static final Setting<Integer> TESTS_AHEAD = GROUP.value("tests.ahead", null, Config::integer)
            .checked(count -> {
                if (count < 0) {
                    throw new IllegalArgumentException("testsAhead must be 0 or more, is " + count);
                }
            });
    private static final Setting<List<String>> PASSED =
            GROUP.texts("environment.pass").checked(names -> names.forEach(CommandOptions::requireVariable));

    private static final CommandOptions DEFAULTS = new CommandOptions(GROUP.none());

    private final SettingValues values;

    private CommandOptions(SettingValues values) {
        this.values = values;
    }

    private static Setting<String> command(String what, String key) {
        return GROUP.text(key).checked(line -> {
            if (ProjectPrograms.isEmpty(line)) {
                throw new IllegalArgumentException("the " + what + " command must not be "
                        + (line.isBlank() ? "blank" : "'" + line + "', which runs nothing")
                        + ": give a command, or leave it out to have what the project's build file suggests");
            }
        });
    }

    private static void requireVariable(String name) {
        if (name.isBlank() || name.indexOf('=') >= 0) {
            throw new IllegalArgumentException("not a name of an environment variable: '" + name + "'");
        }
    }

    /**
     * The options where nothing is set.
     *
     * @return see each method
     */
    public static CommandOptions defaults() {
        return DEFAULTS;
    }

    CommandOptions under(Config file) {
        return new CommandOptions(values.under(file));
    }

    private <T> CommandOptions with(Setting<T> setting, T value) {
        return new CommandOptions(values.with(setting, Objects.requireNonNull(value)));
    }

    /**
     * Sets the command that prepares a fresh checkout: it fetches what the project depends on. It runs in a coder's workspace
     * before CODING, and in the checkout on which tests decide, before the tests.
     *
     * @param command for example {@code npm ci}
     * @return changed options
     */
    public CommandOptions setup(String command) {
        return with(SETUP, command);
    }

    /**
     * The command that prepares a fresh checkout.
     *
     * @return empty unless set: what a lock file of npm, pnpm or Yarn suggests, else nothing is run
     */
    public Optional<String> setup() {
        return values.find(SETUP);
    }

    /**
     * Sets the command that builds the project without running its tests, for the tool {@code build}.
     *
     * @param command for example {@code make all}
     * @return changed options
     */
    public CommandOptions build(String command) {
        return with(BUILD, command);
    }

    /**
     * The command that builds the project.
     *
     * @return empty unless set
     */
    public Optional<String> build() {
        return values.find(BUILD);
    }

    /**
     * Sets the command that runs the project's linters, for the tool {@code lint}.
     *
     * @param command for example {@code npm run lint}
     * @return changed options
     */
    public CommandOptions lint(String command) {
        return with(LINT, command);
    }

    /**
     * The command that runs the project's linters.
     *
     * @return empty unless set
     */
    public Optional<String> lint() {
        return values.find(LINT);
    }

    /**
     * Sets the command that runs the project's tests.
     *
     * @param command for example {@code make check}
     * @return changed options
     */
    public CommandOptions test(String command) {
        return with(TEST, command);
    }

    /**
     * The command that runs the project's tests.
     *
     * @return empty unless set
     */
    public Optional<String> test() {
        return values.find(TEST);
    }

    /**
     * Sets how many runs of the tests there may be at once, in all stories. One that is about to be merged goes first.
     *
     * @param count 1 or more
     * @return changed options
     */
    public CommandOptions testsAtOnce(int count) {
        return with(TESTS_AT_ONCE, count);
    }

    /**
     * How many runs of the tests there may be at once.
     *
     * @return as many as this machine has processors unless set
     */
    public int testsAtOnce() {
        return values.find(TESTS_AT_ONCE).orElseGet(Runtime.getRuntime()::availableProcessors);
    }

    /**
     * Sets how many stories that wait to be merged are tested ahead, while the tests of those before them run: together with what
     * those will have merged. When it comes so, they are merged without another run.
     *
     * @param count 0 for none
     * @return changed options
     */
    public CommandOptions testsAhead(int count) {
        return with(TESTS_AHEAD, count);
    }

    /**
     * How many stories that wait to be merged are tested ahead.
     *
     * @return one less than {@link #testsAtOnce()}, and 4 at most, unless set
     */
    public int testsAhead() {
        return values.find(TESTS_AHEAD).orElseGet(() -> Math.min(MOST_AHEAD, testsAtOnce() - 1));
    }

    /**
     * Lets commands see variables of the host's environment, beside the harmless ones that they always see. What is named here,
     * the agents can read. In a sandbox they see nothing else of the host's. Without effect on an executor of the host's own.
     *
     * @param names the variables' names, which replace those of before
     * @return changed options
     */
    public CommandOptions passEnvironment(String... names) {
        return with(PASSED, List.of(names));
    }

    /**
     * The variables of the host's environment that commands see.
     *
     * @return unmodifiable; empty unless set
     */
    public List<String> passedVariables() {
        return values.get(PASSED);
    }
}
