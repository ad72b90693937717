package io.maestro;

import io.maestro.agent.Limits;
import io.maestro.agent.ModelState;
import io.maestro.agents.AgentFactory;
import io.maestro.llm.LlmClient;
import io.maestro.llm.PriceTable;
import io.maestro.mcpclient.McpSource;
import io.maestro.runtime.ToolPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * The part of {@link MaestroBuilder} whose settings can stand in a file, too. Hosts see its methods as the builder's own. What
 * only code can give, such as objects, is in the builder itself.
 */
abstract class SettingsBuilder extends GitSetters {
    SettingsBuilder() {}

    /**
     * Takes settings from a file. What is set in code wins over it, in whatever order the calls come: a whole
     * {@link Limits}, table of prices or list of variables at a time, temperatures state by state. Only the file's rules for
     * secrets and tools hold beside those that are set in code.
     *
     * @param file JSON by {@link Maestro#configSchema()}; read by {@link MaestroBuilder#build}, instead of
     *     {@code .maestro/config.json} in the project directory, which is read by itself when it is there
     * @return this
     */
    public MaestroBuilder config(Path file) {
        own.configFile = Objects.requireNonNull(file, "file");
        own.config = null;
        return self();
    }

    /**
     * Takes settings from a text, as {@link #config(Path)} does from a file.
     *
     * @param json JSON by {@link Maestro#configSchema()}
     * @return this
     */
    public MaestroBuilder config(String json) {
        own.config = Objects.requireNonNull(json, "json");
        own.configFile = null;
        return self();
    }

    /**
     * Switches on or off that {@code .maestro/config.json} and {@code .maestro/prompts} in the project directory are read
     * by themselves. On by default. A host that must know exactly what holds switches it off.
     *
     * @param read whether to read them
     * @return this
     */
    public MaestroBuilder readConfig(boolean read) {
        own.readConfig = read;
        return self();
    }

    /**
     * Replaces one of Maestro's own prompts. The README of maestro-core lists them and their variables; a
     * template that cannot be used stops the {@linkplain MaestroBuilder#build build}.
     *
     * @param name the prompt, for example {@code coder-coding}
     * @param template a Mustache template
     * @return this
     */
    public MaestroBuilder prompt(String name, String template) {
        own.prompts.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(template, "template"));
        return self();
    }

    /**
     * Sets where templates are, as files {@code <name>.mustache}. Each prompt is taken from the first of these that has it:
     * {@link #prompt}, this directory, {@code .maestro/prompts} in the project directory, Maestro's own.
     *
     * @param directory a directory
     * @return this
     */
    public MaestroBuilder promptDirectory(Path directory) {
        own.promptDirectory = Objects.requireNonNull(directory, "directory");
        return self();
    }

    /**
     * Switches on or off that models are told what the repository tells those who work on it: {@code AGENTS.md}, {@code
     * CLAUDE.md}, {@code .maestro/instructions.md} and skills, as the target branch had them when the work on a story began. On by
     * default. What an agent changes in them tells nobody anything before it is merged.
     *
     * @param give false where whoever may merge may not tell models what to do
     * @return this
     */
    public MaestroBuilder repositoryInstructions(boolean give) {
        own.repositoryInstructions = give;
        return self();
    }

    /**
     * Sets the coders' model, which is the architect's too unless that is set. In a {@linkplain #coderMode coder mode} other
     * than {@code standard} only its name is used for coders.
     *
     * @param model the model
     * @return this
     */
    public MaestroBuilder coderModel(LlmClient model) {
        own.coderModel = Objects.requireNonNull(model, "model");
        return self();
    }

    /**
     * Sets the architect's model.
     *
     * @param model the model
     * @return this
     */
    public MaestroBuilder architectModel(LlmClient model) {
        own.architectModel = Objects.requireNonNull(model, "model");
        return self();
    }

    /**
     * Sets how long a lease on a story lasts. When a process no longer renews it, another one that shares the
     * {@linkplain MaestroBuilder#dataSource database} takes the story over after this time. A live process renews it three times as often.
     *
     * @param time from 1 second to 1 day; 60 seconds unless set
     * @return this
     */
    public MaestroBuilder leaseTime(Duration time) {
        own.leaseTime = HostSettings.leaseTime(time);
        return self();
    }

    /**
     * Sets who works in PLANNING and CODING, by its name: a jar on the class path announces it ({@link
     * java.util.ServiceLoader}).
     *
     * @param mode {@code standard}, which is the default: Maestro's own loop around a model; or the id of a program's mode,
     *     for example {@code claude-code}, which needs the module maestro-claude
     * @return this
     */
    public MaestroBuilder coderMode(String mode) {
        own.coderMode = Discovery.CODER_MODES.checked(mode);
        own.coderModeFactory = null;
        return self();
    }

    /**
     * Sets the program that works in PLANNING and CODING in the place of a model. The coders' model is then a name that is
     * given to the program; no client is needed for it.
     *
     * @param factory makes the mode of this Maestro
     * @return this
     */
    public MaestroBuilder coderMode(AgentFactory factory) {
        own.coderModeFactory = Objects.requireNonNull(factory, "factory");
        own.coderMode = null;
        return self();
    }

    /**
     * Sets how many stories run at the same time.
     *
     * @param count from 1 to 999; 3 unless set
     * @return this
     */
    public MaestroBuilder maxCoders(int count) {
        own.maxCoders = HostSettings.maxCoders(count);
        return self();
    }

    /**
     * Sets what a story, and all of them together, may cost.
     *
     * @param bounds the limits
     * @return this
     */
    public MaestroBuilder limits(Limits bounds) {
        own.limits = Objects.requireNonNull(bounds, "bounds");
        return self();
    }

    /**
     * Sets what models cost. {@link Limits#costPerStory()} and the {@linkplain Limits#costCap hard limits on cost} are computed with it.
     *
     * @param table the default is {@link PriceTable#defaults()}, the vendors' list prices
     * @return this
     */
    public MaestroBuilder prices(PriceTable table) {
        own.prices = Objects.requireNonNull(table, "table");
        return self();
    }

    /**
     * Sets the temperature of the models in a state: how random their answers are. Many models accept none, and refuse every
     * request that has one.
     *
     * @param state of the coder or of the architect
     * @param value from 0 to 1; the default is the vendor's
     * @return this
     */
    public MaestroBuilder temperature(ModelState state, double value) {
        own.temperatures.put(Objects.requireNonNull(state, "state"), HostSettings.temperature(state, value));
        return self();
    }

    /**
     * Sets the command that prepares a fresh checkout, as a line for {@code sh} in its root: it fetches what the project depends
     * on. It runs in a coder's workspace before CODING, and in the checkout on which tests decide, before the tests.
     *
     * @param line for example {@code npm ci}; the default is what a lock file of npm, pnpm or Yarn suggests, else nothing is run
     * @return this
     */
    public MaestroBuilder setupCommand(String line) {
        own.setupCommand = HostSettings.command("setup", line);
        return self();
    }

    /**
     * Lets the agents' commands see variables of the host's environment, beside the harmless ones that they always see. What
     * is named here, the agents can read. In a sandbox they see nothing else of the host's. Without effect on an {@linkplain
     * MaestroBuilder#executor executor of the host's own}.
     *
     * @param names the variables' names
     * @return this
     */
    public MaestroBuilder passEnvironment(String... names) {
        for (String name : names) {
            own.passedOn.add(HostSettings.variable(name));
        }
        return self();
    }

    /**
     * Switches the discovery of tools in jars ({@link java.util.ServiceLoader}) on or off. On by default: a tool jar on the
     * class path is offered to the agents without another word. A host that must know exactly what its agents can call
     * switches it off and adds tools by {@link MaestroBuilder#tool}.
     *
     * @param discover whether to look for tools
     * @return this
     */
    public MaestroBuilder discoverTools(boolean discover) {
        own.discoverTools = discover;
        return self();
    }

    /**
     * Sets how long a call of a tool may take, instead of the tool's own limit. {@code shell} ends its
     * command a little before, so that the output so far arrives.
     *
     * @param tool its name; {@code build()} refuses one that no tool has
     * @param limit more than zero
     * @return this
     */
    public MaestroBuilder toolTimeLimit(String tool, Duration limit) {
        own.toolTimes.put(tool, ToolLimits.requireTime(tool, limit));
        return self();
    }

    /**
     * Sets how long an answer of a tool may be, instead of the tool's own limit. A longer one is cut: its beginning and its end
     * are kept.
     *
     * @param tool its name; {@code build()} refuses one that no tool has
     * @param characters from 1,024 to 4,194,304
     * @return this
     */
    public MaestroBuilder toolResultLimit(String tool, int characters) {
        own.toolResults.put(tool, ToolLimits.requireResult(tool, characters));
        return self();
    }

    /**
     * Borrows the tools of an MCP server. The server is started by {@link MaestroBuilder#build}, which fails when it can't be
     * used, and ended by {@link Maestro#close}; a tool of it that can't be offered is one of {@link Maestro#toolProblems()}. One
     * of the same name in the file is passed over.
     *
     * @param source the server; needs the official SDK of MCP on the class path
     * @return this
     */
    public MaestroBuilder mcpSource(McpSource source) {
        own.mcpSources.add(Objects.requireNonNull(source, "source"));
        return self();
    }

    /**
     * Sets the policy that decides on every call of a tool.
     *
     * @param toolPolicy asked before each call; the default lets everything pass
     * @return this
     */
    public MaestroBuilder toolPolicy(ToolPolicy toolPolicy) {
        own.policy = Objects.requireNonNull(toolPolicy, "toolPolicy");
        return self();
    }
}
