package io.maestro.docker.internal.compose;

import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * What a YAML file says, anchors and merge keys resolved, as a tree of JSON types. Small in what it takes: UTF-8 without NUL, one document,
 * no tags, keys that are strings, none twice, and a size after resolving that has a limit too. Plain scalars mean what they
 * mean to Go's YAML reader, which is compose's: {@code yes} is a string, {@code 22:22} too, {@code 0440} is octal.
 */
final class YamlTree {
    static final int MOST_BYTES = 256 * 1024;
    private static final int MOST_NODES = 20_000;
    private static final int MOST_CHARACTERS = 1 << 20;
    private static final int DEEPEST = 40;
    private static final String MERGE = "<<";
    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");
    private static final Set<String> BOOLEANS = Set.of("true", "True", "TRUE", "false", "False", "FALSE");
    private static final Pattern INTEGER = Pattern.compile("([-+]?)(0[xX]|0[oO]|0[bB]|0)?([0-9a-fA-F]{1,64})");
    private static final Pattern FLOAT = Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?");

    private final IdentityHashMap<Node, Boolean> open = new IdentityHashMap<>();
    private int nodes;
    private int characters;

    private YamlTree() {}

    /** What is wrong with a file; the message is for a model. */
    static final class BadYamlException extends Exception {
        private static final long serialVersionUID = 1L;

        BadYamlException(String message) {
            super(message);
        }

        @Override
        public String getMessage() {
            return String.valueOf(super.getMessage());
        }
    }

    /** Reads a file's content; the tree is a map. */
    static Map<String, @Nullable Object> read(byte[] content) throws BadYamlException {
        String text = text(content);
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(MOST_BYTES);
        options.setNestingDepthLimit(DEEPEST);
        options.setMaxAliasesForCollections(1000);
        options.setAllowDuplicateKeys(false);
        DumperOptions unused = new DumperOptions();
        Yaml yaml =
                new Yaml(new SafeConstructor(options), new Representer(unused), unused, options, new NothingImplicit());
        try {
            Iterator<Node> documents = yaml.composeAll(new StringReader(text)).iterator();
            if (!documents.hasNext()) {
                throw new BadYamlException("the file is empty");
            }
            Node root = documents.next();
            if (documents.hasNext()) {
                throw new BadYamlException("there is more than one document in the file; leave one");
            }
            if (new YamlTree().value(root, 0) instanceof Map<?, ?> map) {
                Map<String, @Nullable Object> result = new LinkedHashMap<>();
                map.forEach((key, value) -> result.put(String.valueOf(key), value));
                return result;
            }
            throw new BadYamlException("the file must be a mapping with 'services'");
        } catch (MarkedYAMLException e) {
            String line = e.getProblemMark() == null
                    ? ""
                    : " in line " + (e.getProblemMark().getLine() + 1);
            throw new BadYamlException("no valid YAML" + line + ": " + e.getProblem());
        } catch (YAMLException e) {
            throw new BadYamlException("no valid YAML: " + e.getMessage());
        } catch (StackOverflowError e) {
            throw new BadYamlException("the file is nested too deeply");
        }
    }

    private static String text(byte[] content) throws BadYamlException {
        if (content.length > MOST_BYTES) {
            throw new BadYamlException("the file has more than the " + MOST_BYTES + " bytes that are allowed");
        }
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new BadYamlException("the file is not UTF-8");
        }
        if (text.indexOf('\0') >= 0) {
            throw new BadYamlException("the file holds NUL characters; it must be UTF-8 text");
        }
        return text.startsWith("\ufeff") ? text.substring(1) : text;
    }

    private @Nullable Object value(Node node, int depth) throws BadYamlException {
        if (++nodes > MOST_NODES || depth > DEEPEST) {
            throw new BadYamlException("the file is too large or too deep once its anchors are resolved");
        }
        if (node instanceof ScalarNode scalar) {
            requireNoTag(node, Tag.STR);
            characters += scalar.getValue().length();
            if (characters > MOST_CHARACTERS) {
                throw new BadYamlException("the file is too large once its anchors are resolved");
            }
            return scalar.getScalarStyle() == DumperOptions.ScalarStyle.PLAIN
                    ? plain(scalar.getValue())
                    : scalar.getValue();
        }
        if (open.put(node, true) != null) {
            throw new BadYamlException("an anchor holds itself");
        }
        try {
            if (node instanceof SequenceNode sequence) {
                requireNoTag(node, Tag.SEQ);
                List<@Nullable Object> list = new ArrayList<>();
                for (Node item : sequence.getValue()) {
                    list.add(value(item, depth + 1));
                }
                return Collections.unmodifiableList(list);
            }
            requireNoTag(node, Tag.MAP);
            return map((MappingNode) node, depth);
        } finally {
            open.remove(node);
        }
    }

    private Map<String, @Nullable Object> map(MappingNode node, int depth) throws BadYamlException {
        Map<String, @Nullable Object> own = new LinkedHashMap<>();
        List<Node> merged = new ArrayList<>();
        for (NodeTuple tuple : node.getValue()) {
            String key = key(tuple.getKeyNode(), depth);
            if (key.equals(MERGE)) {
                merged.add(tuple.getValueNode());
            } else if (own.containsKey(key)) {
                throw new BadYamlException("the key '" + key + "' is there twice" + line(node));
            } else {
                own.put(key, value(tuple.getValueNode(), depth + 1));
            }
        }
        if (merged.size() > 1) {
            throw new BadYamlException("the key '<<' is there twice" + line(node));
        }
        for (Node source : merged) {
            // Its own keys win, then the first that has one.
            for (Node one : source instanceof SequenceNode several ? several.getValue() : List.of(source)) {
                if (!(value(one, depth + 1) instanceof Map<?, ?> other)) {
                    throw new BadYamlException("'<<' merges what is no mapping" + line(node));
                }
                other.forEach((key, value) -> own.putIfAbsent(String.valueOf(key), value));
            }
        }
        return Collections.unmodifiableMap(own);
    }

    private String key(Node node, int depth) throws BadYamlException {
        if (value(node, depth + 1) instanceof String key) {
            return key;
        }
        throw new BadYamlException("a key is not a string; put it in quotes" + line(node));
    }

    private static void requireNoTag(Node node, Tag implicit) throws BadYamlException {
        if (!node.getTag().equals(implicit)) {
            throw new BadYamlException("the tag '" + node.getTag().getValue()
                    + "' is not allowed; write the file without tags" + line(node));
        }
    }

    private static String line(Node node) {
        return " (line " + (node.getStartMark().getLine() + 1) + ")";
    }

    private static @Nullable Object plain(String text) {
        if (NULLS.contains(text)) {
            return null;
        }
        if (BOOLEANS.contains(text)) {
            return Boolean.valueOf(text.toLowerCase(Locale.ROOT));
        }
        String number = text.length() > 64 ? "" : text.replace("_", "");
        var matcher = INTEGER.matcher(number);
        if (matcher.matches()) {
            String prefix = matcher.group(2) == null ? "" : matcher.group(2).toLowerCase(Locale.ROOT);
            int radix = switch (prefix) {
                case "0x" -> 16;
                case "0b" -> 2;
                case "0o", "0" -> 8;
                default -> 10;
            };
            try {
                return new BigInteger(matcher.group(1) + matcher.group(3), radix);
            } catch (NumberFormatException e) {
                // 08 and 1f are none.
            }
        }
        return FLOAT.matcher(number).matches() ? new BigDecimal(number) : text;
    }

    /** Leaves every plain scalar a string, so that a tag is seen as one. */
    private static final class NothingImplicit extends Resolver {
        @Override
        protected void addImplicitResolvers() {
            // None.
        }
    }
}
