package io.maestro.testing;

import io.maestro.git.GitOptions;
import io.maestro.llm.LlmClient;
import io.maestro.secrets.Redactor;
import io.maestro.settings.AgentOptions;
import io.maestro.settings.Settings;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/** Settings for tests that put parts together by themselves. */
public final class TestSettings {
    private TestSettings() {}

    /** What a test sets; a model that says nothing where it sets none. */
    public static Settings of(Redactor redactor, Consumer<Settings.Builder> change) {
        LlmClient silent = ScriptedLlm.builder("silent").build();
        Settings.Builder builder = Settings.builder()
                .readConfig(false)
                .change(GitOptions.class, git -> git.repository("file:///nowhere"))
                .change(AgentOptions.class, agents -> agents.coderModel(silent));
        change.accept(builder);
        Settings set = builder.build(Path.of(""), Map.of());
        return new Settings(
                set.git(),
                set.forge(),
                set.agents(),
                set.limits(),
                set.people(),
                set.commands(),
                set.environment(),
                set.tools(),
                set.web(),
                set.prompts(),
                set.record(),
                redactor);
    }
}
