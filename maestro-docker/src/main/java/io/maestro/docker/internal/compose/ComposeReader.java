package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.docker.internal.compose.WorkspaceFiles.RefusedFileException;
import io.maestro.docker.internal.compose.WorkspaceFiles.ResolvedFile;
import io.maestro.docker.internal.compose.YamlTree.BadYamlException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Takes out of a workspace what {@code docker compose config} would read there, before that is run on this machine: the file, the
 * files it includes or extends, files with variables. Each is written to a directory out of the agents' reach, at the place
 * it has in the workspace; YAML as JSON of what was understood here, so that compose cannot understand it
 * differently. What lies elsewhere compose does not find, and what would lead it elsewhere is refused. For one use.
 */
final class ComposeReader {
    private static final int MOST_FILES = 50;
    private static final int MOST_VARIABLE_BYTES = 256 * 1024;
    private static final int MOST_STEPS_UP = 8;
    private static final int MOST_SERVICES = 200;
    private static final int MOST_EXPANDED = 1 << 20;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path ROOT = Path.of("");

    /** What compose takes for a repository or a registry; and no name of a file needs a colon. */
    private static final Pattern REMOTE =
            Pattern.compile("(?i).*[:@#].*|(www\\.)?(github|gitlab|bitbucket)\\.[a-z]+/.*");

    /** Variables that steer the client instead of the file; compose takes them from an .env file too. */
    private static final Pattern STEERING =
            Pattern.compile("(?<![A-Za-z0-9_])((?:COMPOSE|DOCKER|BUILDX|BUILDKIT|LD|OTEL)_[A-Z0-9_]*)['\"]?\\s*[=:]");

    /** Without effect here: the file and the name of the project are given. */
    private static final Set<String> WITHOUT_EFFECT = Set.of("COMPOSE_FILE", "COMPOSE_PROJECT_NAME");

    private final WorkspaceFiles files;
    private final Path tree;
    private final Findings findings;
    private final Map<Path, Boolean> written = new HashMap<>();
    private final Set<List<Path>> visited = new HashSet<>();

    /** The longest line of files with variables, and how often they and the YAML name a variable. */
    private int longest;

    private long named;
    private long used;
    private int services;

    /** Of a workspace, into an empty directory. */
    ComposeReader(WorkspaceFiles files, Path tree, Findings findings) {
        this.files = files;
        this.tree = tree;
        this.findings = findings;
    }

    /**
     * What was taken.
     *
     * @param file the compose file in the tree
     * @param variables the content of the workspace's {@code .env}, or nothing; a file in the tree or beside it
     */
    record Taken(Path file, String variables) {}

    /** Takes a file and what it refers to; paths in it start from the workspace. */
    Taken take(String path) throws IOException {
        ResolvedFile place;
        try {
            place = files.find(ROOT, path);
        } catch (RefusedFileException e) {
            throw new ComposeRefusedException("path", e.getMessage());
        }
        if (place.isWorkspace()) {
            throw new ComposeRefusedException("path", "'" + path + "' is a directory; name the file");
        }
        // A policy has decided on the name, and not on what a link in it leads to.
        if (!place.real().equals(place.named())) {
            throw new ComposeRefusedException(
                    "path", "'" + path + "' is another name of '" + place.real() + "'; use that one");
        }
        yaml("path", place, ROOT);
        byte[] variables = dotEnv(ROOT);
        requireShort();
        findings.throwIfAny();
        return new Taken(tree.resolve(place.named()), new String(variables, StandardCharsets.UTF_8));
    }

    /** A YAML file in which relative paths start from a directory. */
    private void yaml(String where, ResolvedFile place, Path base) throws IOException {
        if (!visited.add(List.of(place.named(), base))) {
            return;
        }
        if (visited.size() > MOST_FILES) {
            findings.refuse(where, "more than " + MOST_FILES + " files are included or extended; use fewer");
            return;
        }
        String shown = place.named().toString();
        Map<String, @Nullable Object> content;
        try {
            content = YamlTree.read(files.read(place, YamlTree.MOST_BYTES));
            byte[] json = JSON.writeValueAsBytes(content);
            used += dollars(json);
            write(place.named(), json, true);
        } catch (RefusedFileException e) {
            findings.refuse(where, e.getMessage());
            return;
        } catch (BadYamlException e) {
            findings.refuse(shown, e.getMessage());
            return;
        } catch (JsonProcessingException e) {
            findings.refuse(shown, "it holds what cannot be written as JSON");
            return;
        }
        includes(shown, content.get("include"), base);
        if (content.get("services") instanceof Map<?, ?> described) {
            services += described.size();
            for (Map.Entry<?, ?> service : described.entrySet()) {
                if (service.getValue() instanceof Map<?, ?> fields) {
                    service("services." + service.getKey(), fields, base);
                }
            }
        }
    }

    private void includes(String file, @Nullable Object include, Path base) throws IOException {
        if (include != null && !(include instanceof List<?>)) {
            findings.refuse(file + ": include", "it must be a list");
        }
        for (Object item : listOf(include)) {
            String where = file + ": include";
            Map<?, ?> fields = item instanceof Map<?, ?> map ? map : Map.of("path", String.valueOf(item));
            Object given = fields.get("project_directory");
            Path directory = null;
            if (given != null) {
                ResolvedFile place = local(where + ".project_directory", given, base);
                if (place == null) {
                    continue;
                }
                directory = place.named();
            }
            for (Object path : listOf(fields.get("path"))) {
                ResolvedFile place = local(where, path, base);
                if (place != null) {
                    directory = directory == null ? directoryOf(place) : directory;
                    yaml(where, place, directory);
                }
            }
            if (directory == null) {
                findings.refuse(where, "it names no file");
                continue;
            }
            // Compose reads it for the included file, too.
            dotEnv(directory);
            for (Object path : listOf(fields.get("env_file"))) {
                variables(where + ".env_file", path, base, true);
            }
        }
    }

    private void service(String where, Map<?, ?> fields, Path base) throws IOException {
        if (fields.get("extends") instanceof Map<?, ?> extended && extended.get("file") != null) {
            ResolvedFile place = local(where + ".extends.file", extended.get("file"), base);
            if (place != null) {
                yaml(where + ".extends.file", place, directoryOf(place));
            }
        }
        for (Object item : listOf(fields.get("env_file"))) {
            if (item instanceof Map<?, ?> map) {
                variables(where + ".env_file", map.get("path"), base, !Boolean.FALSE.equals(map.get("required")));
            } else {
                variables(where + ".env_file", item, base, true);
            }
        }
        for (Object item : listOf(fields.get("label_file"))) {
            variables(where + ".label_file", item, base, true);
        }
        if (fields.get("credential_spec") != null) {
            findings.refuse(where + ".credential_spec", "it is not supported");
        }
    }

    private void variables(String where, @Nullable Object path, Path base, boolean required) throws IOException {
        if (path instanceof String text && !required) {
            try {
                files.find(base, text);
            } catch (RefusedFileException e) {
                if (e.missing()) {
                    return;
                }
            }
        }
        ResolvedFile place = local(where, path, base);
        if (place != null) {
            try {
                byte[] content = files.read(place, MOST_VARIABLE_BYTES);
                count(content);
                used += dollars(content);
                write(place.named(), content, false);
            } catch (RefusedFileException e) {
                findings.refuse(where, e.getMessage());
            }
        }
    }

    /** The variables that compose reads by itself in a directory of a project; none when it has no such file. */
    private byte[] dotEnv(Path directory) throws IOException {
        String where = directory.resolve(".env").toString();
        try {
            ResolvedFile place = files.find(ROOT, where);
            byte[] content = files.read(place, MOST_VARIABLE_BYTES);
            var steering = STEERING.matcher(new String(content, StandardCharsets.UTF_8));
            while (steering.find()) {
                if (!WITHOUT_EFFECT.contains(steering.group(1))) {
                    findings.refuse(where, "it sets " + steering.group(1) + ", which steers the client; remove it");
                }
            }
            count(content);
            write(place.named(), content, false);
            return content;
        } catch (RefusedFileException e) {
            if (!e.missing()) {
                findings.note(where + " is not used: " + e.getMessage());
            }
            return new byte[0];
        }
    }

    private void count(byte[] variables) {
        named += dollars(variables);
        longest = Math.max(
                longest,
                new String(variables, StandardCharsets.ISO_8859_1)
                        .lines()
                        .mapToInt(String::length)
                        .max()
                        .orElse(0));
    }

    private static long dollars(byte[] text) {
        return new String(text, StandardCharsets.ISO_8859_1)
                .chars()
                .filter(c -> c == '$')
                .count();
    }

    /**
     * Compose holds in memory all that variables become, and all services, before anybody can look at it. A value that names
     * others three times is three times as long as they are, and no other number makes it grow faster.
     */
    private void requireShort() {
        if (services > MOST_SERVICES) {
            findings.refuse("services", services + " are more than the " + MOST_SERVICES + " that are read");
        }
        if (2.0 * longest * Math.pow(3, named / 3.0) * used > MOST_EXPANDED) {
            findings.refuse(
                    "variables",
                    used + " places name variables of up to " + longest + " characters, whose files name others "
                            + named + " times: that may become more than " + MOST_EXPANDED
                            + " characters; write values out");
        }
    }

    /** Where a field's value is in the workspace; null when it is refused. */
    private @Nullable ResolvedFile local(String where, @Nullable Object value, Path base) {
        if (!(value instanceof String text) || text.isBlank()) {
            findings.refuse(where, "it must be a path");
            return null;
        }
        if (text.contains("$")) {
            findings.refuse(where, "'" + text + "' has a variable; write the path out");
        } else if (REMOTE.matcher(text).matches()) {
            findings.refuse(where, "'" + text + "' is or looks remote; only files of the workspace are read");
        } else if (text.split("\\.\\.", -1).length > MOST_STEPS_UP) {
            findings.refuse(where, "'" + text + "' has too many '..'; write it shorter");
        } else if (text.startsWith("/")) {
            findings.refuse(where, "'" + text + "' is absolute; use a path relative to the workspace");
        } else {
            try {
                return files.find(base, text);
            } catch (RefusedFileException e) {
                findings.refuse(where, e.getMessage());
            }
        }
        return null;
    }

    private static Path directoryOf(ResolvedFile place) {
        Path parent = place.named().getParent();
        return parent == null ? ROOT : parent;
    }

    private static List<?> listOf(@Nullable Object value) {
        return value == null ? List.of() : value instanceof List<?> list ? list : List.of(value);
    }

    private void write(Path named, byte[] content, boolean yaml) throws IOException {
        Boolean before = written.putIfAbsent(named, yaml);
        if (before != null && before != yaml) {
            // One of them would be read as it was written, not as it was understood here.
            findings.refuse(named.toString(), "it is used both as YAML and as a file with variables; use two files");
        }
        if (before == null) {
            Path target = tree.resolve(named);
            Path parent = target.getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            Files.write(target, content);
        }
    }
}
