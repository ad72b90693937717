package io.maestro.settings;

import io.maestro.agent.ModelState;
import io.maestro.agent.spi.AgentFactory;
import io.maestro.agent.spi.AgentProject;
import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.error.MaestroException;
import io.maestro.llm.LlmClient;
import io.maestro.llm.PriceTable;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.SecretRedactor;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Who works: models or a program, how many at a time, and what models cost. Immutable: each setter returns changed options. */
public final class AgentOptions {
    /** The mode of Maestro's own loop around a model. */
    static final String STANDARD = "standard";

    static final String CODER_MODEL = "agents.coder_model";
    static final String ARCHITECT_MODEL = "agents.architect_model";
    private static final String MODE = "agents.coder_mode";

    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<Integer> MAX_CODERS =
            GROUP.integer("agents.max_coders", 3).checked(AgentOptions::requireMaxCoders);
    /** The file has its name, of which {@link ConfiguredModels} makes a client where it is needed. */
    private static final Setting<LlmClient> CODER = GROUP.inCode(null);

    private static final Setting<LlmClient> ARCHITECT = GROUP.inCode(null);
    private static final Setting<String> CODER_MODE = GROUP.inCode(null);
    private static final Setting<AgentFactory> PROGRAM = GROUP.inCode(null);
    private static final Setting<String> PROGRAM_MODEL = GROUP.text(CODER_MODEL);
    private static final Setting<Map<String, Object>> PROGRAM_SETTINGS =
            GROUP.value("claude_code", Map.of(), Config::tree);
    private static final Setting<String> BASE_URL = GROUP.text("models.anthropic.base_url");
    private static final Setting<PriceTable> PRICES = GROUP.value(
            "models.prices", PriceTable.defaults(), (file, key) -> Optional.of(ConfiguredModels.prices(file)));
    private static final Setting<Map<ModelState, Double>> TEMPERATURES = GROUP.<Map<ModelState, Double>>value(
                    "agents.temperatures", Map.of(), (file, key) -> temperatures(file.object(key)))
            .merged((code, file) -> {
                Map<ModelState, Double> all = new HashMap<>(file);
                all.putAll(code);
                return Map.copyOf(all);
            });

    private static final AgentOptions DEFAULTS = new AgentOptions(GROUP.none());

    private final SettingValues values;

    private AgentOptions(SettingValues values) {
        this.values = values;
    }

    private static void requireMaxCoders(int count) {
        if (count < 1 || count > 999) {
            throw new IllegalArgumentException("maxCoders must be from 1 to 999, is " + count);
        }
    }

    private static Optional<Map<ModelState, Double>> temperatures(Config file) {
        Map<ModelState, Double> all = new EnumMap<>(ModelState.class);
        for (ModelState state : ModelState.values()) {
            file.number(state.name().toLowerCase(Locale.ROOT)).ifPresent(value -> all.put(state, value.doubleValue()));
        }
        return Optional.of(Map.copyOf(all));
    }

    /**
     * The options where nothing is set.
     *
     * @return see each method
     */
    public static AgentOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Chooses program and models. What code has set is taken as it is; of the file only what is needed is looked at, so that no
     * client is made that nobody asks.
     *
     * @param models makes the clients of the models that the file names
     * @param known is told the secrets of the program
     * @param architect whether the architect needs a model
     */
    AgentOptions under(
            Config file, ConfiguredModels models, ClassLoader loader, SecretRedactor known, boolean architect) {
        SettingValues all = values.under(file);
        LlmClient own = values.find(CODER).orElse(null);
        AgentFactory program = program(file, loader, known);
        LlmClient coder = own;
        if (program != null) {
            all = all.with(PROGRAM, program).without(CODER);
            if (own != null) {
                all = all.with(PROGRAM_MODEL, own.model());
            }
            coder = null;
        } else {
            if (coder == null) {
                coder = Settings.required(models.client(CODER_MODEL).orElse(null), CODER_MODEL, file);
            }
            all = all.with(CODER, coder);
        }
        return new AgentOptions(
                all.with(ARCHITECT, architectModel(file, models, coder != null ? coder : own, architect)));
    }

    private @Nullable AgentFactory program(Config file, ClassLoader loader, SecretRedactor known) {
        AgentFactory program = values.find(PROGRAM).orElse(null);
        if (program == null) {
            Optional<String> named = values.find(CODER_MODE);
            String id = named.or(() -> file.text(MODE)).orElse(STANDARD);
            if (id.equals(STANDARD)) {
                return null;
            }
            String asked = named.isPresent() ? "coderMode(\"" + id + "\")" : "$." + MODE;
            program = Discovery.find(Discovery.CODER_MODES, id, loader, known, asked);
        }
        HostSecrets.tell(known, program.secrets());
        return program;
    }

    /** The architect's own model, else the coders', although a program works with that. */
    private LlmClient architectModel(Config file, ConfiguredModels models, @Nullable LlmClient coder, boolean needed) {
        LlmClient given =
                values.find(ARCHITECT).or(() -> models.client(ARCHITECT_MODEL)).orElse(coder);
        if (given != null) {
            return given;
        }
        Optional<LlmClient> coders;
        try {
            coders = models.client(CODER_MODEL);
        } catch (MaestroException e) {
            if (!needed) {
                return new MissingModel();
            }
            throw new MaestroException(
                    "$.agents.architect_model: must be set, or architectModel in code, since the coders' model cannot be the"
                            + " architect's, too: " + e.getMessage(),
                    e);
        }
        return coders.orElseGet(
                () -> needed ? Settings.<LlmClient>required(null, ARCHITECT_MODEL, file) : new MissingModel());
    }

    private <T> AgentOptions with(Setting<T> setting, T value) {
        return new AgentOptions(values.with(setting, Objects.requireNonNull(value)));
    }

    /**
     * Sets how many stories run at the same time.
     *
     * @param count from 1 to 999
     * @return changed options
     */
    public AgentOptions maxCoders(int count) {
        return with(MAX_CODERS, count);
    }

    /**
     * How many stories run at the same time.
     *
     * @return 3 unless set
     */
    public int maxCoders() {
        return values.get(MAX_CODERS);
    }

    /**
     * Sets the coders' model, which is the architect's too unless that is set. Where a {@linkplain #coderMode program} works, only
     * its name is used for coders.
     *
     * @param model the model
     * @return changed options
     */
    public AgentOptions coderModel(LlmClient model) {
        return with(CODER, model);
    }

    /**
     * The coders' model.
     *
     * @return empty where a program works in its place
     */
    public Optional<LlmClient> coderModel() {
        return values.find(CODER);
    }

    /**
     * Sets the architect's model.
     *
     * @param model the model
     * @return changed options
     */
    public AgentOptions architectModel(LlmClient model) {
        return with(ARCHITECT, model);
    }

    /**
     * The architect's model.
     *
     * @return the coders' unless set; one that answers nothing where people decide on everything and there is no model
     */
    public LlmClient architectModel() {
        return values.get(ARCHITECT);
    }

    /**
     * Sets who works in PLANNING and CODING, by its name: a jar on the class path announces it ({@link
     * java.util.ServiceLoader}).
     *
     * @param mode {@code standard}, which is the default: Maestro's own loop around a model; or the id of a program's mode,
     *     for example {@code claude-code}, which needs the module maestro-claude
     * @return changed options
     */
    public AgentOptions coderMode(String mode) {
        return new AgentOptions(
                values.with(CODER_MODE, Discovery.CODER_MODES.checked(mode)).without(PROGRAM));
    }

    /**
     * Sets the program that works in PLANNING and CODING in the place of a model. The coders' model is then a name that is
     * given to the program; no client is needed for it.
     *
     * @param factory makes the mode of this Maestro
     * @return changed options
     */
    public AgentOptions coderMode(AgentFactory factory) {
        return new AgentOptions(
                values.with(PROGRAM, Objects.requireNonNull(factory, "factory")).without(CODER_MODE));
    }

    /**
     * The program that works in PLANNING and CODING.
     *
     * @return empty unless set: Maestro's own loop around a model
     */
    public Optional<AgentFactory> program() {
        return values.find(PROGRAM);
    }

    /**
     * The project of the program that works in PLANNING and CODING.
     *
     * @param directory the project directory
     * @param sessionId identifies this Maestro
     * @param environment the variables of the host
     * @param redactor takes secrets out
     * @return with the name of the coders' model, and the object of the configuration that belongs to the program
     */
    public AgentProject project(Path directory, String sessionId, Map<String, String> environment, Redactor redactor) {
        Map<String, String> variables = new HashMap<>(environment);
        values.find(BASE_URL).ifPresent(url -> variables.put("ANTHROPIC_BASE_URL", url));
        return new AgentProject(
                directory, sessionId, values.find(PROGRAM_MODEL), values.get(PROGRAM_SETTINGS), variables, redactor);
    }

    /**
     * Sets what models cost. {@link io.maestro.agent.Limits#costPerStory()} and the {@linkplain io.maestro.agent.Limits#costCap hard
     * limits on cost} are computed with it.
     *
     * @param table prices by model
     * @return changed options
     */
    public AgentOptions prices(PriceTable table) {
        return with(PRICES, table);
    }

    /**
     * What models cost.
     *
     * @return {@link PriceTable#defaults()} unless set, the vendors' list prices
     */
    public PriceTable prices() {
        return values.get(PRICES);
    }

    /**
     * Sets the temperature of the models in a state: how random their answers are. Many models accept none, and refuse every
     * request that has one.
     *
     * @param state of the coder or of the architect
     * @param value from 0 to 1
     * @return changed options
     */
    public AgentOptions temperature(ModelState state, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException("the temperature in " + state + " must be from 0 to 1, is " + value);
        }
        Map<ModelState, Double> all = new HashMap<>(values.get(TEMPERATURES));
        all.put(Objects.requireNonNull(state, "state"), value);
        return with(TEMPERATURES, Map.copyOf(all));
    }

    /**
     * The temperature of the models in a state.
     *
     * @param state the name of a {@link ModelState}; other states have none
     * @return empty unless set: the vendor's default
     */
    public OptionalDouble temperature(String state) {
        return values.get(TEMPERATURES).entrySet().stream()
                .filter(entry -> entry.getKey().name().equals(state))
                .mapToDouble(Map.Entry::getValue)
                .findFirst();
    }
}
