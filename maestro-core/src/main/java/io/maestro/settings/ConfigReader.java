package io.maestro.settings;

import io.maestro.config.internal.Config;
import io.maestro.error.MaestroException;
import io.maestro.internal.PrivateFiles;
import io.maestro.schema.internal.InputReader;
import io.maestro.schema.internal.InputReader.BadInput;
import io.maestro.schema.internal.InputValidator;
import io.maestro.secrets.Redactor;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads configurations, strictly: broken JSON, a name that stands twice, an unknown setting and a value that is none are
 * errors, which say where. No error shows what looks like a secret.
 */
final class ConfigReader {
    private static final int LARGEST = 1024 * 1024;

    /** A user in a URL of git over HTTP is as secret as a password: hosting services take a token there. */
    private static final Pattern USER_IN_URL = Pattern.compile("(?i)https?://[^/]*@.*", Pattern.DOTALL);

    /** Names under which people put keys. */
    private static final Pattern KEY_NAME = Pattern.compile(
            "(?i)\\$\\S*(key|token|secret|password|credentials?)['\\]]*: unknown property.*", Pattern.DOTALL);

    private static final String HINT = "secrets do not belong in a configuration: API keys come from the environment"
            + " (ANTHROPIC_API_KEY, OPENAI_API_KEY), credentials for git from its credential helper or from code";

    private final Redactor redactor;

    /**
     * Makes a reader.
     *
     * @param redactor knows secrets
     */
    ConfigReader(Redactor redactor) {
        this.redactor = redactor;
    }

    /**
     * Reads a file.
     *
     * @param file JSON in UTF-8, at most 1 MB; a regular file of this user or root
     * @return the configuration
     * @throws MaestroException when it cannot be read or is not valid; one line for each fault
     */
    Config read(Path file) {
        String text;
        try {
            text = PrivateFiles.readTrusted(file, LARGEST);
        } catch (MaestroException e) {
            throw new MaestroException("the settings in " + file + " cannot be read: " + e.getMessage(), e);
        } catch (CharacterCodingException e) {
            throw new MaestroException("the settings in " + file + " cannot be read: they are not text in UTF-8", e);
        } catch (IOException e) {
            throw new MaestroException("the settings in " + file + " cannot be read: " + e, e);
        }
        return read(text, "in " + file);
    }

    /**
     * Reads a text.
     *
     * @param json the configuration
     * @param where it comes from, for errors: follows on "the settings"
     * @return the configuration
     * @throws MaestroException when it is not valid; one line for each fault
     */
    Config read(String json, String where) {
        if (json.length() > LARGEST) {
            throw new MaestroException("the settings " + where + " cannot be read: they are longer than " + LARGEST
                    + " characters, which no configuration needs");
        }
        Map<String, Object> root;
        try {
            root = new InputReader().read(json);
        } catch (BadInput e) {
            // Not as a cause: it could quote what was taken out here.
            throw new MaestroException(
                    "the settings " + where + " cannot be read: " + redactor.redact(String.valueOf(e.getMessage())));
        }
        List<String> faults = new ArrayList<>(new InputValidator()
                .faults(ConfigSchema.schema(), json, root, redactor::redact).stream()
                        .map(ConfigReader::withHint)
                        .toList());
        findSecrets("$", root, faults);
        if (!faults.isEmpty()) {
            throw new MaestroException("the settings " + where + " are wrong:\n" + String.join("\n", faults));
        }
        return Config.of(root);
    }

    private static String withHint(String fault) {
        return KEY_NAME.matcher(fault).matches() ? fault + "; " + HINT : fault;
    }

    private void findSecrets(String path, @Nullable Object value, List<String> faults) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((name, member) -> findSecrets(path + "." + name, member, faults));
        } else if (value instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                findSecrets(path + "[" + i + "]", list.get(i), faults);
            }
        } else if (value instanceof String text && isSecret(path, text)) {
            faults.add(redactor.redact(path) + ": looks like a secret; " + HINT);
        }
    }

    private boolean isSecret(String path, String text) {
        // A pattern that finds secrets may look like one.
        boolean pattern = path.matches("\\$\\.redaction\\.patterns\\[\\d+]\\.pattern");
        return !pattern
                && (USER_IN_URL.matcher(text).matches()
                        || !redactor.redact(text).equals(text));
    }
}
