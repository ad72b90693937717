package io.maestro.git.internal.rules;

import io.maestro.files.internal.IgnoreRules;
import io.maestro.internal.Effort;
import io.maestro.internal.RawName;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.attributes.Attribute;
import org.eclipse.jgit.attributes.Attributes;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.jspecify.annotations.Nullable;

/**
 * What the {@code .gitignore} and {@code .gitattributes} files from the root down to one directory say. They are read as
 * patterns, nothing that they name is run, and an {@link Effort} bounds the work. Paths are raw. Not of JGit, for the reason that
 * {@link IgnoreRules} gives.
 */
public final class PathRules {
    private final @Nullable PathRules parent;
    /** The directory's path with a slash at its end; empty for the root. */
    private final String prefix;

    private final IgnoreRules ignore;

    /** Those that decide first stand first: the last of a file. */
    private final List<AttributeLine> attributes;

    private final Map<String, List<Attribute>> macros;
    private final ObjectId attributesId;
    private final Effort effort;

    private PathRules(
            @Nullable PathRules parent,
            String prefix,
            IgnoreRules ignore,
            List<AttributeLine> attributes,
            Map<String, List<Attribute>> macros,
            ObjectId attributesId,
            Effort effort) {
        this.parent = parent;
        this.prefix = prefix;
        this.ignore = ignore;
        this.attributes = attributes;
        this.macros = macros;
        this.attributesId = attributesId;
        this.effort = effort;
    }

    /** No rules at all: what holds above the root. */
    public static PathRules none(Effort effort) {
        List<Attribute> binary = List.of(
                new Attribute("diff", Attribute.State.UNSET),
                new Attribute("merge", Attribute.State.UNSET),
                new Attribute("text", Attribute.State.UNSET));
        return new PathRules(
                null, "", IgnoreRules.none(effort), List.of(), Map.of("binary", binary), ObjectId.zeroId(), effort);
    }

    /** The rules of a directory below: these, and those of its own files (null: it has no such file). */
    public PathRules below(String directory, byte @Nullable [] gitignore, byte @Nullable [] gitattributes) {
        if (gitignore == null && gitattributes == null) {
            return this;
        }
        List<AttributeLine> own = new ArrayList<>();
        Map<String, List<Attribute>> known = macros;
        ObjectId id = attributesId;
        if (gitattributes != null) {
            known = new HashMap<>(macros);
            for (String line : IgnoreRules.lines(gitattributes)) {
                AttributeLine read = AttributeLine.of(line, directory.isEmpty());
                if (read != null && read.macro() != null) {
                    known.put(read.macro(), read.attributes());
                } else if (read != null) {
                    own.add(read);
                }
            }
            Collections.reverse(own);
            try (ObjectInserter.Formatter formatter = new ObjectInserter.Formatter()) {
                id = formatter.idFor(
                        Constants.OBJ_BLOB, RawName.bytes(id.name() + directory + "\n" + RawName.of(gitattributes)));
            }
        }
        return new PathRules(this, directory, ignore.below(directory, gitignore), own, known, id, effort);
    }

    /** Whether a file or directory is ignored; one in an ignored directory is not asked for. */
    public boolean ignored(String path, boolean directory) {
        return ignore.ignored(path, directory);
    }

    /** Another one when the attributes of some file in this directory may be others. */
    public ObjectId attributesId() {
        return attributesId;
    }

    /** The attributes of a file. */
    public Attributes attributes(String path) {
        Map<String, Attribute> found = new HashMap<>();
        for (PathRules rules = this; rules != null; rules = rules.parent) {
            String relative = path.substring(rules.prefix.length());
            for (AttributeLine line : rules.attributes) {
                if (line.pattern() != null && line.pattern().matches(relative, false, effort)) {
                    fill(line.attributes(), found);
                }
            }
        }
        return new Attributes(found.values().stream()
                .filter(attribute -> attribute.getState() != Attribute.State.UNSPECIFIED)
                .toArray(Attribute[]::new));
    }

    /** What is said last counts, and of a macro only what nobody has said yet. */
    private void fill(List<Attribute> line, Map<String, Attribute> found) {
        Deque<Attribute> left = new ArrayDeque<>();
        line.forEach(left::push);
        while (!left.isEmpty()) {
            effort.spend(1);
            Attribute attribute = left.pop();
            boolean isNew = found.putIfAbsent(attribute.getKey(), attribute) == null;
            List<Attribute> macro = macros.get(attribute.getKey());
            if (isNew && macro != null && attribute.getState() == Attribute.State.SET) {
                macro.forEach(left::push);
            }
        }
    }
}
