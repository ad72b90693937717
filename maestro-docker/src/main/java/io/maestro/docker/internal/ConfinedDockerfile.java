package io.maestro.docker.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.docker.internal.BaseNames.Base;
import io.maestro.docker.internal.DockerfileReader.Instruction;
import io.maestro.docker.internal.DockerfileReader.ParsedDockerfile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes an untrusted Dockerfile anew, as it was understood here: one line for each instruction, no comments, so no builder can
 * understand it differently and none is told to use another frontend; what does not read as it was meant is refused. Images are
 * named by {@link #images} only, and stages by names that no image has, so that neither is taken for the other; nothing is fetched
 * but by commands, which have the network of a container; caches are the instance's own; {@link #LEFT_OUT} is left out. What the
 * builder does in its own process, where no limit of a build holds, is bounded here. For one use.
 */
final class ConfinedDockerfile {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LONGEST_NAME = 1024;
    private static final int MOST_STAGES = 100;
    private static final String STAGE = "[a-z][a-z0-9._-]{0,127}";
    private static final String OWN_STAGE = "maestro-stage-";
    private static final String PLAIN = "[A-Za-z0-9._/*?~=,#+-]+";
    private static final Set<String> COPY_FLAGS = Set.of("chown", "chmod", "link", "parents", "exclude");
    /** The variable that parts the results of commands. */
    static final String LAYERS = "MAESTRO_LAYERS";

    /** Builders work on each with all that those before it have set. */
    private static final int MOST_INSTRUCTIONS = 1000;

    /**
     * What commands of the image never see: programs of the machine act on labels, a volume hides files of a workspace to which
     * its directory leads, and a range of ports takes the builder's memory.
     */
    private static final Set<String> LEFT_OUT = Set.of("EXPOSE", "LABEL", "VOLUME");

    /** What a shell expands, and not the builder. */
    private static final Set<String> OF_SHELLS = Set.of("CMD", "ENTRYPOINT", "HEALTHCHECK", "RUN", "SHELL");

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]*");

    /** What triggers may do: none of it runs, copies or makes anything. */
    private static final Set<String> TRIGGERS = Set.of(
            "ARG",
            "CMD",
            "ENTRYPOINT",
            "ENV",
            "EXPOSE",
            "HEALTHCHECK",
            "LABEL",
            "SHELL",
            "STOPSIGNAL",
            "USER",
            "VOLUME");

    private static final Set<String> ADD_FLAGS = Set.of("chown", "chmod", "link", "exclude");
    private static final String ARCHIVE = ".*\\.(tar(\\.[a-z0-9]+)?|t(gz|bz|bz2|xz|zst))";
    private static final Set<String> MOUNT_KEYS = Set.of(
            "type",
            "target",
            "dst",
            "destination",
            "source",
            "src",
            "from",
            "ro",
            "rw",
            "readonly",
            "readwrite",
            "id",
            "sharing",
            "mode",
            "uid",
            "gid",
            "size",
            "required");

    private final Map<String, String> arguments;
    private final Function<String, Base> images;
    private final String cache;
    private final Abilities abilities;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final List<String> stages = new ArrayList<>();
    private final Expansion expansion = new Expansion();
    private char escape;

    /**
     * What the builder that gets it understands.
     *
     * @param heredocs whether it knows them
     * @param mounts whether {@code RUN --mount} is known, and safe there
     */
    record Abilities(boolean heredocs, boolean mounts) {}

    /**
     * For one Dockerfile.
     *
     * @param arguments the values of its ARGs
     * @param images an image by its name in the Dockerfile; throws {@link IllegalArgumentException} for one that it may not use
     * @param cache what the names of its caches begin with; letters and digits
     */
    ConfinedDockerfile(
            Map<String, String> arguments, Function<String, Base> images, String cache, Abilities abilities) {
        this.arguments = arguments;
        this.images = images;
        this.cache = cache;
        this.abilities = abilities;
        arguments.forEach(expansion::set);
    }

    /**
     * The text for the builder.
     *
     * @throws IllegalArgumentException when it asks for what it does not get; the message goes on after the file's name
     */
    String of(String text) {
        return of(text, List.of());
    }

    /** The same, where each stage begins with these instructions. */
    String of(String text, List<Instruction> beginning) {
        ParsedDockerfile content = DockerfileReader.read(text);
        escape = content.escape();
        if (content.instructions().size() > MOST_INSTRUCTIONS) {
            throw refused("has more than " + MOST_INSTRUCTIONS + " instructions; use fewer");
        }
        List<Instruction> confined = new ArrayList<>();
        for (Instruction instruction : content.instructions()) {
            if (!instruction.heredocs().isEmpty() && !abilities.heredocs()) {
                throw refused(
                        "has a heredoc, which the builder of this engine does not know; use COPY or several commands");
            }
            Instruction own = confined(instruction);
            if (!isLeftOut(own)) {
                confined.add(own);
            }
            if (own.keyword().equals("FROM")) {
                confined.addAll(beginning);
            }
        }
        if (stages.isEmpty()) {
            throw refused("has no FROM; begin with one");
        }
        StringBuilder written = new StringBuilder(escape == '`' ? "# escape=`\n" : "");
        confined.forEach(instruction -> written.append(instruction.text()));
        if (!DockerfileReader.read(written.toString()).equals(new ParsedDockerfile(escape, confined))) {
            throw refused("can be read in more than one way; write its instructions in a simpler form");
        }
        return written.toString();
    }

    private boolean isLeftOut(Instruction instruction) {
        String keyword = instruction.keyword().equals("ONBUILD")
                ? DockerfileReader.single(instruction.rest(), escape).keyword()
                : instruction.keyword();
        return LEFT_OUT.contains(keyword);
    }

    /**
     * What the text of {@link #of} calls a stage of the Dockerfile.
     *
     * @throws IllegalArgumentException when there is no such stage
     */
    String stage(String name) {
        return stage(name, stages.size())
                .orElseThrow(() -> refused("has no stage '" + DockerfileReader.shown(name) + "'; name one"));
    }

    /** The same for a stage before another one, by its name or number. */
    private Optional<String> stage(String name, int before) {
        int found = name.matches("[0-9]{1,4}")
                ? Integer.parseInt(name)
                : stages.subList(0, before).lastIndexOf(name.toLowerCase(Locale.ROOT));
        return found < 0 || found >= before || name.isEmpty() ? Optional.empty() : Optional.of(own(found));
    }

    private String own(int stage) {
        String name = stages.get(stage);
        return OWN_STAGE + stage + (name.isEmpty() ? "" : "-" + name);
    }

    /**
     * What gives a command of a trusted Dockerfile the machine's own network or rights. Builders refuse it too, but not all of
     * them; what cannot be read here is left to them.
     */
    static Optional<String> rightsOfTheMachine(String text) {
        try {
            return DockerfileReader.read(text).instructions().stream()
                    .filter(instruction -> instruction.keyword().equals("RUN"))
                    .flatMap(instruction -> instruction.flags().stream())
                    .filter(flag ->
                            flag.equalsIgnoreCase("--network=host") || flag.equalsIgnoreCase("--security=insecure"))
                    .findFirst();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** What an image is called here, once it was seen that what it does when another is built on it is harmless. */
    private String image(String name) {
        Base base = images.apply(name);
        for (JsonNode variable : base.config().path("Env")) {
            String[] parts = variable.asText().split("=", 2);
            expansion.set(parts[0], parts.length > 1 ? parts[1] : "");
        }
        for (JsonNode trigger : base.config().path("OnBuild")) {
            try {
                trigger(trigger.asText(), '\\');
            } catch (IllegalArgumentException e) {
                throw refused("starts FROM '" + name + "', whose ONBUILD " + e.getMessage());
            }
        }
        return base.name();
    }

    private Instruction confined(Instruction instruction) {
        expand(instruction, escape);
        return switch (instruction.keyword()) {
            case "ARG" -> argument(instruction);
            case "FROM" -> from(instruction);
            case "RUN" -> run(instruction);
            case "COPY" -> copy(instruction);
            case "ADD" -> add(instruction);
            case "HEALTHCHECK" -> probe(instruction);
            case "ONBUILD" -> {
                trigger(instruction.rest(), escape);
                yield instruction;
            }
            default -> instruction;
        };
    }

    /** Counts what the builder expands in it. */
    private void expand(Instruction instruction, char escapeOfIt) {
        instruction.flags().forEach(expansion::add);
        switch (instruction.keyword()) {
            case "ARG" ->
                DockerfileReader.quotedWords(instruction.rest(), escapeOfIt).forEach(this::assign);
            case "ENV" -> {
                List<String> words = DockerfileReader.quotedWords(instruction.rest(), escapeOfIt);
                if (words.get(0).indexOf('=') >= 0) {
                    words.forEach(this::assign);
                } else {
                    // The older form: a name, and all that follows.
                    assign(instruction.rest().replaceFirst("[ \t]+", "="));
                }
            }
            default -> {
                if (!OF_SHELLS.contains(instruction.keyword()) && !LEFT_OUT.contains(instruction.keyword())) {
                    expansion.add(instruction.rest());
                    instruction.heredocs().forEach(expansion::add);
                }
            }
        }
    }

    /** A builder takes quotes from a name and expands it, so that only a plain one is read in one way. */
    private void assign(String assignment) {
        String[] parts = assignment.split("=", 2);
        if (!NAME.matcher(parts[0]).matches() || parts[0].equals(LAYERS)) {
            throw refused("sets the variable '" + DockerfileReader.shown(parts[0])
                    + "'; write a plain name, without quotes and variables, that is not Maestro's own");
        }
        if (parts.length > 1) {
            expansion.set(parts[0], parts[1]);
        }
    }

    private Instruction argument(Instruction instruction) {
        if (stages.isEmpty()) {
            for (String word : DockerfileReader.words(instruction.rest())) {
                String[] parts = word.split("=", 2);
                String given = arguments.get(parts[0]);
                if (given != null) {
                    values.put(parts[0], given);
                } else if (parts.length > 1) {
                    define(parts[0], parts[1]);
                }
            }
        }
        return instruction;
    }

    private void define(String name, String text) {
        try {
            values.put(name, expanded(text));
        } catch (IllegalArgumentException e) {
            // It only matters where an image is named by it.
            values.remove(name);
        }
    }

    private Instruction from(Instruction instruction) {
        if (stages.size() == MOST_STAGES) {
            throw refused("has more than " + MOST_STAGES + " stages; use fewer");
        }
        for (String flag : instruction.flags()) {
            if (!flag.startsWith("--platform=")) {
                throw refused("has FROM " + flag + ", which is not known; leave it out");
            }
        }
        List<String> words = DockerfileReader.words(instruction.rest());
        boolean named = words.size() == 3 && words.get(1).equalsIgnoreCase("as");
        if (words.size() != 1 && !named) {
            throw refused("has 'FROM " + DockerfileReader.shown(instruction.rest()) + "'; write FROM image AS name");
        }
        String base = base(expanded(words.get(0)));
        String stage = named ? words.get(2).toLowerCase(Locale.ROOT) : "";
        if (named && !stage.matches(STAGE)) {
            throw refused(
                    "has the stage '" + DockerfileReader.shown(words.get(2)) + "'; write a name of letters and digits");
        }
        stages.add(stage);
        // The platform is that of the image, which was chosen here.
        return instruction.with(List.of(), base + " AS " + own(stages.size() - 1));
    }

    /** A stage by its name, or an image; to FROM a number is no stage. */
    private String base(String name) {
        if (!name.isEmpty() && stages.contains(name.toLowerCase(Locale.ROOT))) {
            return stage(name);
        }
        return name.equals("scratch") ? name : image(name);
    }

    /** As far as names of images need it: variables with a default or without. */
    private String expanded(String text) {
        StringBuilder result = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\'') {
                continue;
            }
            if (c != '$') {
                result.append(c);
                continue;
            }
            boolean braces = text.startsWith("{", i + 1);
            int start = i + (braces ? 2 : 1);
            int end = start;
            while (end < text.length() && isOfName(text.charAt(end))) {
                end++;
            }
            String name = text.substring(start, end);
            String otherwise = "";
            if (braces) {
                int close = text.indexOf('}', end);
                otherwise = close < 0 ? "?" : text.substring(end, close);
                end = close + 1;
            }
            result.append(value(text, name, otherwise));
            i = end - 1;
            if (result.length() > LONGEST_NAME) {
                break;
            }
        }
        if (result.length() > LONGEST_NAME) {
            throw refused("names an image by more than " + LONGEST_NAME + " characters; write it shorter");
        }
        return result.toString();
    }

    private static boolean isOfName(char c) {
        return c == '_' || DockerfileReader.isWord(c) || DockerfileReader.isDigit(c);
    }

    private String value(String text, String name, String otherwise) {
        String value = values.get(name);
        if (value != null && !(value.isEmpty() && otherwise.startsWith(":")) && otherwise.matches("(:?-.*)?")) {
            return value;
        }
        String fallback = otherwise.replaceFirst("^:?-", "");
        if (otherwise.isEmpty() || fallback.equals(otherwise) || fallback.indexOf('$') >= 0) {
            throw refused("names an image by '" + DockerfileReader.shown(text)
                    + "', whose value is not known before the build; give it by a build argument, or write it out");
        }
        return fallback;
    }

    private Instruction run(Instruction instruction) {
        List<String> flags = new ArrayList<>();
        for (String flag : instruction.flags()) {
            String value = flag.substring(flag.indexOf('=') + 1);
            switch (name(flag)) {
                case "mount" -> flags.add("--mount=" + mount(value));
                case "network", "security" -> {
                    if (!Set.of("none", "default", "sandbox").contains(value)) {
                        throw refused("asks for " + flag
                                + ", which would give a command of the build the machine's own; leave it away");
                    }
                    if (value.equals("none")) {
                        flags.add(flag);
                    }
                }
                default -> throw refused("has RUN " + flag + ", which is not supported; leave it away");
            }
        }
        return instruction.with(flags, instruction.rest());
    }

    private String mount(String text) {
        if (!abilities.mounts()) {
            throw refused("has RUN --mount, which is not known or not safe in the builder of this engine; use COPY, and"
                    + " let the command fetch what it needs");
        }
        Map<String, String> fields = new LinkedHashMap<>();
        for (String field : text.split(",", -1)) {
            String[] parts = field.split("=", 2);
            String key = parts[0].toLowerCase(Locale.ROOT);
            if (!MOUNT_KEYS.contains(key) || fields.put(key, parts.length > 1 ? "=" + parts[1] : "") != null) {
                throw refused("has --mount=" + DockerfileReader.shown(text) + ", whose '" + DockerfileReader.shown(key)
                        + "' is not known; leave it away");
            }
        }
        String type = fields.getOrDefault("type", "=bind").substring(1);
        // Builders look for it whatever the type.
        String from = fields.get("from");
        if (from != null) {
            fields.put("from", "=" + source(from.substring(Math.min(1, from.length()))));
        }
        switch (type) {
            case "bind", "tmpfs" -> {}
            case "cache" -> {
                String id = fields.getOrDefault("id", "");
                String target = fields.getOrDefault(
                        "target", fields.getOrDefault("dst", fields.getOrDefault("destination", "")));
                fields.put("id", "=" + cache + ContentHash.of(id.isEmpty() ? target : id));
            }
            default ->
                throw refused("has --mount of the type '" + DockerfileReader.shown(type)
                        + "'; builds get no secrets and no keys, only bind, cache and tmpfs are known");
        }
        return String.join(
                ",",
                fields.entrySet().stream()
                        .map(field -> field.getKey() + field.getValue())
                        .toList());
    }

    private Instruction copy(Instruction instruction) {
        List<String> flags = new ArrayList<>();
        for (String flag : instruction.flags()) {
            if (flag.startsWith("--from=")) {
                flags.add("--from=" + source(flag.substring("--from=".length())));
            } else if (COPY_FLAGS.contains(name(flag))) {
                flags.add(flag);
            } else {
                throw refused("has COPY " + flag + ", which is not supported; leave it away");
            }
        }
        return instruction.with(flags, instruction.rest());
    }

    /** A stage before this one, by name or number, or an image. */
    private String source(String name) {
        Optional<String> stage = stage(name, Math.max(0, stages.size() - 1));
        if (stage.isPresent()) {
            return stage.get();
        }
        if (!name.matches("[0-9]{1,4}") && name.indexOf('$') < 0 && !name.equals("scratch")) {
            return image(name);
        }
        throw refused(
                "copies from '" + DockerfileReader.shown(name) + "', which is no stage before that one; name one");
    }

    /** As a COPY: the engine itself would unpack archives, where no limit of the build holds and nothing ends it. */
    private static Instruction add(Instruction instruction) {
        for (String flag : instruction.flags()) {
            if (!ADD_FLAGS.contains(name(flag))) {
                throw refused("has ADD " + flag + ", which is not supported; leave it away");
            }
        }
        if (!instruction.heredocs().isEmpty()) {
            throw refused("has ADD with a heredoc; use COPY");
        }
        List<String> words;
        boolean list = instruction.rest().startsWith("[");
        try {
            words = list
                    ? Arrays.stream(JSON.readValue(instruction.rest(), String[].class))
                            .map(String::valueOf)
                            .toList()
                    : DockerfileReader.words(instruction.rest());
        } catch (JsonProcessingException e) {
            words = List.of();
        }
        if (words.size() < 2) {
            throw refused("has 'ADD " + DockerfileReader.shown(instruction.rest()) + "'; write ADD file directory");
        }
        for (String source : words.subList(0, words.size() - 1)) {
            if (!source.matches(PLAIN)
                    || source.toLowerCase(Locale.ROOT).matches("(www\\.)?(github|gitlab|bitbucket)\\..*")) {
                throw refused("has 'ADD " + DockerfileReader.shown(instruction.rest())
                        + "': what is not in the context would be fetched by the machine itself; use COPY for files, and"
                        + " RUN with curl for what is elsewhere");
            }
            if (source.toLowerCase(Locale.ROOT).matches(ARCHIVE)) {
                throw refused("has 'ADD " + DockerfileReader.shown(instruction.rest())
                        + "': ADD unpacks no archives here; use COPY, and RUN tar to unpack them");
            }
        }
        return new Instruction(
                "COPY", instruction.flags(), list ? Json.write(words) : instruction.rest(), instruction.heredocs());
    }

    /** An instruction that another build runs, where nobody writes it anew. */
    private void trigger(String text, char escapeOfIt) {
        Instruction instruction = DockerfileReader.single(text, escapeOfIt);
        if (!TRIGGERS.contains(instruction.keyword())) {
            throw refused(
                    "has ONBUILD " + DockerfileReader.shown(instruction.keyword())
                            + ", which another build would run where nobody looks at it; put it into the Dockerfiles that need it");
        }
        expand(instruction, escapeOfIt);
        if (instruction.keyword().equals("HEALTHCHECK")) {
            probe(instruction);
        }
    }

    /** Whoever runs the image sets how often it is probed, but not this, which older engines do not know. */
    private static Instruction probe(Instruction instruction) {
        if (instruction.flags().stream().anyMatch(flag -> name(flag).equals("start-interval"))) {
            throw refused("has HEALTHCHECK --start-interval, which is not supported; leave it out");
        }
        return instruction;
    }

    private static String name(String flag) {
        int end = flag.indexOf('=');
        return flag.substring(2, end < 0 ? flag.length() : end);
    }

    private static IllegalArgumentException refused(String what) {
        return DockerfileReader.refused(what);
    }

    /**
     * The most that a builder makes of variables: it keeps all of it in memory, and a text that names itself twice is twice as
     * long each time. Each variable counts as long as it can have been anywhere.
     */
    private static final class Expansion {
        /** A variable longer than 128 KB starts no program on Linux. */
        private static final int MOST_OF_VARIABLES = 64 << 10;

        private static final int MOST_VARIABLES = 1000;
        private static final int MOST_OF_ALL = 1 << 20;
        private static final Pattern VARIABLE =
                Pattern.compile("\\$(?:\\{([A-Za-z_][A-Za-z0-9_]*)(/?)|([A-Za-z_][A-Za-z0-9_]*))");

        private final Map<String, Integer> lengths = new HashMap<>();
        private int ofVariables;
        private int ofAll;

        void set(String name, String text) {
            int before = lengths.getOrDefault(name, -name.length());
            int length = Math.max(before, add(text));
            lengths.put(name, length);
            ofVariables += length - before;
            if (ofVariables > MOST_OF_VARIABLES || lengths.size() > MOST_VARIABLES) {
                throw refused("sets more than " + MOST_VARIABLES + " variables, or more than " + MOST_OF_VARIABLES
                        + " characters in them, '" + DockerfileReader.shown(name)
                        + "' the last of them; keep what is long in files");
            }
        }

        /** Its length when expanded. */
        int add(String text) {
            long length = text.length();
            for (Matcher matcher = VARIABLE.matcher(text); length <= MOST_OF_ALL && matcher.find(); ) {
                int value = lengths.getOrDefault(matcher.group(matcher.group(1) == null ? 3 : 1), 0);
                if (value > 0 && "/".equals(matcher.group(2))) {
                    throw refused("replaces a part of a variable in '" + DockerfileReader.shown(text)
                            + "'; let a command do it");
                }
                length += value;
            }
            if (ofAll + length > MOST_OF_ALL) {
                throw refused("is longer than " + MOST_OF_ALL + " characters with its variables expanded, '"
                        + DockerfileReader.shown(text) + "' the last of them; keep what is long in files");
            }
            ofAll += (int) length;
            return (int) length;
        }
    }
}
