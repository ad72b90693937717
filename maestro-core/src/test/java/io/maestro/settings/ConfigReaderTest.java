package io.maestro.settings;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.config.internal.Config;
import io.maestro.error.MaestroException;
import io.maestro.secrets.SecretRedactor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigReaderTest {
    private final SecretRedactor redactor = SecretRedactor.withDefaults();
    private final ConfigReader reader = new ConfigReader(redactor);

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            {"agents": {"max_coders": 1000}}                | $.agents.max_coders: must be at most 999, is 1000
            {"agents": {"max_coders": 0}}                   | $.agents.max_coders: must be at least 1, is 0
            {"agents": {"max_coders": "3"}}                 | $.agents.max_coders: must be an integer, is "3" (string)
            {"agents": {"max_coders": 1.5}}                 | $.agents.max_coders: must be an integer, is 1.5 (number)
            {"agents": {"max_coder": 3}}                    | $.agents.max_coder: unknown property; did you mean "max_coders"?
            {"agent": {}}                                   | $.agent: unknown property; did you mean "agents"?
            {"claude_code": {"way": "tcp"}}                 | $.claude_code.way: must be one of auto, control, http, proxy; is "tcp"
            {"claude_code": {"program": "bin/claude"}}      | $.claude_code.program: must match the pattern
            {"agents": {"temperatures": {"coding": 1.5}}}   | $.agents.temperatures.coding: must be at most 1, is 1.5
            {"agents": {"temperatures": {"testing": 0}}}    | $.agents.temperatures.testing: unknown property
            {"budgets": {"test_time_seconds": 0}}           | $.budgets.test_time_seconds: must be at least 0.001, is 0
            {"budgets": {"cost_per_story_dollars": 1e400}}  | a number that is too large
            {"git": []}                                     | $.git: must be an object, is an array of 0 items
            {"tools": {"policy": {"deny": "shell"}}}        | $.tools.policy.deny: must be an array, is "shell" (string)
            {"tools": {"policy": {"deny": ["a b"]}}}        | $.tools.policy.deny[0]: must match the pattern
            {"models": {"prices": {"gpt-4.1": {"input": 1}}}} | $.models.prices['gpt-4.1'].output: is missing but required
            {"redaction": {"patterns": [{"name": "x"}]}}    | $.redaction.patterns[0].keywords: is missing but required
            {"models": {"prices": {"": {"input": 1, "output": 1}}}} | $.models.prices
            {"container": {"engine": "lxc"}}                | $.container.engine: must be one of docker, podman; is "lxc"
            {"container": {"build": {"cpu": 1}}}         | $.container.build.cpu: unknown property; did you mean "cpus"?
            {"container": {"hosts": [{"context": "x"}]}}    | $.container.hosts[0].name: is missing but required
            {"container": {"user": "--privileged"}}         | $.container.user: must match the pattern
            {"container": {"network": "--ipc=host"}}        | $.container.network: (alternative 1) must match the pattern
            {"agents": {"max_coders": 1, "max_coders": 2}}  | Duplicate field 'max_coders'
            {"agents": {} // no                             | not valid JSON (line 1, column 15)
            {"agents":                                      | not valid JSON (line 1, column
            []                                              | they must be a JSON object
            """)
    void whatIsWrongIsNamedWithItsPlace(String json, String says) {
        assertThatThrownBy(() -> reader.read(json, "here"))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("the settings here ")
                .hasMessageContaining(says);
    }

    @Test
    void allFaultsAreNamedAtOnceWithOneLineEach() {
        assertThatThrownBy(() -> reader.read("{\"agents\": {\"max_coders\": -1}, \"x\": 1}", "here"))
                .hasMessageStartingWith("the settings here are wrong:\n")
                .hasMessageContainingAll("\n$.agents.max_coders: must be at least 1, is -1", "\n$.x: unknown property");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"api_key\": \"SECRET\"}",
                "{\"models\": {\"anthropic\": {\"api_key\": \"SECRET\"}}}",
                "{\"git\": {\"repository\": \"SECRET\"}}",
                "{\"agents\": {\"coder_model\": \"SECRET\"}}",
                "{\"agents\": {\"max_coders\": \"SECRET\"}}",
                "{\"agents\": {\"coder_mode\": \"SECRET\"}}",
                "{\"models\": {\"openai\": {\"base_url\": \"SECRET\"}}}",
                "{\"tests\": {\"command\": \"make TOKEN=SECRET\"}}",
                "{\"redaction\": {\"patterns\": [{\"name\": \"x\", \"keywords\": [\"SECRET\"], \"pattern\": \"x\"}]}}",
                "{\"environment\": {\"pass\": [\"SECRET\"]}}",
                "{\"models\": {\"prices\": {\"SECRET\": 1}}}",
                "{\"SECRET\": 1}",
                "{SECRET: 1}",
                "{\"agents\": SECRET}",
                "{\"SECRET\": 1, \"SECRET\": 1}"
            })
    void aSecretIsRefusedAndNotShown(String json) {
        String known = "correct-horse-battery";
        redactor.addSecret(known);
        String token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345";
        for (String secret : new String[] {known, token}) {
            assertThatThrownBy(() -> reader.read(json.replace("SECRET", secret), "here"))
                    .isInstanceOf(MaestroException.class)
                    .satisfies(e -> assertThat(e.toString() + e.getCause()).doesNotContain(secret));
        }
    }

    @Test
    void whoPutsAKeyIntoTheFileIsToldWhereItBelongs() {
        assertThatThrownBy(() -> reader.read("{\"models\": {\"openai\": {\"api_key\": \"x\"}}}", "here"))
                .hasMessageContaining("$.models.openai.api_key: unknown property")
                .hasMessageContaining("API keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY)");
    }

    @Test
    void whoMisspellsASettingIsNotToldOfKeys() {
        assertThatThrownBy(() -> reader.read("{\"budgets\": {\"tokens_for_story\": 1}}", "here"))
                .hasMessageEndingWith("did you mean \"tokens_per_story\"?");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://me:pw@example.org/a.git",
                "https://tok@example.org/a.git",
                "HTTP://x@y",
                "ssh://git:s3cr3t-x@example.org/a.git"
            })
    void credentialsInTheUrlOfARepositoryAreRefused(String url) {
        assertThatThrownBy(() -> reader.read("{\"git\": {\"repository\": \"" + url + "\"}}", "here"))
                .hasMessageContaining("$.git.repository: looks like a secret")
                .hasMessageNotContainingAny("tok@", "s3cr3t");
        reader.read("{\"git\": {\"repository\": \"git@example.org:team/a.git\"}}", "here");
        reader.read("{\"git\": {\"repository\": \"https://example.org/team/a@b.git\"}}", "here");
    }

    @Test
    void aPatternThatFindsSecretsIsNone() {
        reader.read(
                "{\"redaction\": {\"patterns\": [{\"name\": \"x\", \"keywords\": [\"tok\"],"
                        + " \"pattern\": \"token=(?<secret>[a-z0-9]{20})\"}]}}",
                "here");
    }

    @Test
    void numbersAreReadAsTheyAreWritten() {
        Config config =
                reader.read("{\"budgets\": {\"test_time_seconds\": 1.5}, \"agents\": {\"max_coders\": 2.0}}", "here");
        assertThat(config.seconds("budgets.test_time_seconds")).contains(Duration.ofMillis(1500));
        assertThat(config.integer("agents.max_coders")).contains(2);
    }

    @Test
    void aFileThatCannotBeReadIsNamed() throws Exception {
        Path file = directory.resolve("config.json");
        assertThatThrownBy(() -> reader.read(file))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("the settings in " + file + " cannot be read: ");
        Files.writeString(file, "{\"x\": 1}");
        assertThatThrownBy(() -> reader.read(file))
                .hasMessageStartingWith("the settings in " + file + " are wrong:\n$.x");
        Files.write(file, new byte[] {'{', (byte) 0xff, '}'});
        assertThatThrownBy(() -> reader.read(file)).hasMessageContaining("they are not text in UTF-8");
        Files.writeString(file, "{}" + " ".repeat(1024 * 1024));
        assertThatThrownBy(() -> reader.read(file)).hasMessageContaining("larger than 1048576 bytes");
        assertThatThrownBy(() -> reader.read("{}" + " ".repeat(1024 * 1024), "here"))
                .hasMessageContaining("longer than 1048576 characters");
        Files.writeString(file, "{}");
        assertThat(reader.read(file).names()).isEmpty();
        Files.setAttribute(file, "unix:mode", 0666);
        assertThatThrownBy(() -> reader.read(file))
                .hasMessageStartingWith("the settings in " + file + " cannot be read: all users");
        assertThatThrownBy(() -> reader.read(Path.of("/dev/zero"))).hasMessageContaining("no regular file");
    }
}
