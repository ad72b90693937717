package io.maestro.settings;

import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.prompt.internal.PromptDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** What models are told. Immutable: each setter returns changed options. */
public final class PromptOptions {
    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<Map<String, String>> TEMPLATES = GROUP.inCode(Map.of());
    private static final Setting<Path> DIRECTORY =
            GROUP.value("prompts.directory", null, (file, key) -> file.text(key).map(Path::of));
    private static final Setting<Boolean> REPOSITORY_INSTRUCTIONS = GROUP.flag("prompts.repository_instructions", true);

    private static final PromptOptions DEFAULTS = new PromptOptions(GROUP.none());

    private final SettingValues values;

    private PromptOptions(SettingValues values) {
        this.values = values;
    }

    /**
     * The options where nothing is set.
     *
     * @return see each method
     */
    public static PromptOptions defaults() {
        return DEFAULTS;
    }

    /**
     * @param project the project directory, from which the file's paths count
     * @param found whether {@code .maestro/prompts} in it is read
     */
    PromptOptions under(Config file, Path project, boolean found) {
        SettingValues all = values.under(file);
        Map<String, String> templates = new HashMap<>();
        Path inProject = project.resolve(".maestro").resolve("prompts");
        if (found && Files.exists(inProject)) {
            templates.putAll(PromptDirectory.read(inProject));
        }
        all.find(DIRECTORY).ifPresent(named -> templates.putAll(PromptDirectory.read(project.resolve(named))));
        templates.putAll(all.get(TEMPLATES));
        return new PromptOptions(all.with(TEMPLATES, Map.copyOf(templates)));
    }

    /**
     * Replaces one of Maestro's own prompts. The README of maestro-core lists them and their variables; a
     * template that cannot be used stops the build of the Maestro.
     *
     * @param name the prompt, for example {@code coder-coding}
     * @param template a Mustache template
     * @return changed options
     */
    public PromptOptions prompt(String name, String template) {
        Map<String, String> templates = new HashMap<>(values.get(TEMPLATES));
        templates.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(template, "template"));
        return new PromptOptions(values.with(TEMPLATES, Map.copyOf(templates)));
    }

    /**
     * Sets where templates are, as files {@code <name>.mustache}. Each prompt is taken from the first of these that has it:
     * {@link #prompt}, this directory, {@code .maestro/prompts} in the project directory, Maestro's own.
     *
     * @param templates a directory
     * @return changed options
     */
    public PromptOptions directory(Path templates) {
        return new PromptOptions(values.with(
                DIRECTORY, Objects.requireNonNull(templates, "templates").toAbsolutePath()));
    }

    /**
     * Switches on or off that models are told what the repository tells those who work on it: {@code AGENTS.md}, {@code
     * CLAUDE.md}, {@code .maestro/instructions.md} and skills, as the target branch had them when the work on a story began. What
     * an agent changes in them tells nobody anything before it is merged.
     *
     * @param give false where whoever may merge may not tell models what to do
     * @return changed options
     */
    public PromptOptions repositoryInstructions(boolean give) {
        return new PromptOptions(values.with(REPOSITORY_INSTRUCTIONS, give));
    }

    /**
     * Whether models are told what the repository tells those who work on it.
     *
     * @return true unless set
     */
    public boolean repositoryInstructions() {
        return values.get(REPOSITORY_INSTRUCTIONS);
    }

    /**
     * The templates that replace Maestro's own prompts.
     *
     * @return unmodifiable, by name
     */
    public Map<String, String> templates() {
        return values.get(TEMPLATES);
    }
}
