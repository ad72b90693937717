package io.maestro.instructions.internal;

import io.maestro.git.internal.CommitTree;
import io.maestro.git.internal.GitRepository;
import io.maestro.internal.RawName;
import io.maestro.internal.Texts;
import io.maestro.secrets.Redactor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The skills of one commit: folders with a {@code SKILL.md}. Their files are read out of that commit, and never run. Safe for use
 * by several threads.
 */
public final class Skills {
    /** The tool that reads them. */
    public static final String TOOL = "read_skill";

    /** What is read of a skill first. */
    public static final String GUIDE = "SKILL.md";

    /** None. */
    public static final Skills NONE = new Skills(null, "");

    /** Where agents keep them; of two with one name the first counts. */
    private static final List<String> PLACES = List.of(".maestro/skills", ".agents/skills", ".claude/skills");

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}");
    private static final int MOST = 40;
    private static final int MOST_READ = 200;
    private static final int MOST_DESCRIPTION = 400;
    private static final int MOST_FILES = 100;

    private final @Nullable GitRepository git;
    private final String commit;
    private final Map<String, Skill> byName = new LinkedHashMap<>();
    private final List<String> leftOut = new ArrayList<>();

    private record Skill(CommitTree.CommitEntry directory, String line, String hash) {}

    private Skills(@Nullable GitRepository git, String commit) {
        this.git = git;
        this.commit = commit;
    }

    static Skills read(GitRepository git, String commit, CommitTree tree, Redactor redactor) throws IOException {
        Skills skills = new Skills(git, commit);
        int read = 0;
        for (String place : PLACES) {
            CommitTree.CommitEntry directory = tree.find(tree.root(), place).orElse(null);
            if (directory == null) {
                continue;
            }
            if (directory.kind() != CommitTree.EntryKind.DIRECTORY) {
                skills.leftOut.add("`" + place + "` (no directory)");
                continue;
            }
            for (CommitTree.CommitEntry folder : tree.list(directory)) {
                if (read++ == MOST_READ) {
                    skills.leftOut.add("what lies beyond the first " + MOST_READ + " folders");
                    return skills;
                }
                skills.add(tree, folder, redactor);
            }
        }
        return skills;
    }

    private void add(CommitTree tree, CommitTree.CommitEntry folder, Redactor redactor) throws IOException {
        if (folder.kind() == CommitTree.EntryKind.FILE) {
            return;
        }
        String path = redactor.redact(InstructionFiles.shown(folder.path()));
        CommitTree.CommitEntry guide = folder.kind() == CommitTree.EntryKind.DIRECTORY
                ? tree.find(folder, GUIDE).orElse(null)
                : folder;
        if (guide == null) {
            return;
        }
        CommittedText text = CommittedText.read(tree, guide, redactor);
        String fault = text.fault().isEmpty() ? add(folder, guide, text.text()) : text.fault();
        if (!fault.isEmpty()) {
            leftOut.add(path + " (" + fault + ")");
        }
    }

    /** Why it is left out; empty when it is not. */
    private String add(CommitTree.CommitEntry folder, CommitTree.CommitEntry guide, String text) {
        FrontMatter front;
        try {
            front = FrontMatter.read(text);
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
        String name = front.name().isEmpty() ? RawName.text(folder.name()) : front.name();
        if (!NAME.matcher(name).matches()) {
            return "its name has other characters than letters, digits, spaces and ._-, or more than 64";
        }
        if (front.description().isEmpty()) {
            return "it has no description";
        }
        if (byName.containsKey(name)) {
            return "another has the name " + name;
        }
        if (byName.size() == MOST) {
            return "more than " + MOST + " skills";
        }
        String line = "- `" + name + "`: " + Texts.clip(front.description(), MOST_DESCRIPTION) + "\n";
        byName.put(
                name,
                new Skill(folder, line, Instructions.hash(InstructionFiles.shown(guide.path()), guide.id(), line)));
        return "";
    }

    /** Whether a tool is of use: all are, but for the one that reads skills where there is none. */
    public boolean mayOffer(String tool) {
        return !byName.isEmpty() || !tool.equals(TOOL);
    }

    /** Each on one line, for prompts; empty when there is none. */
    String text() {
        if (byName.isEmpty() && leftOut.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder("\n## Skills\n\n");
        if (!byName.isEmpty()) {
            text.append("Guides to certain kinds of work. When yours is one of them, read the guide by `" + TOOL
                    + "` first. Of its other files nothing is run unless you run it.\n\n");
        }
        byName.values().forEach(skill -> text.append(skill.line()));
        return text + InstructionFiles.leftOut(leftOut);
    }

    /** One line each, for the record. */
    String hashes() {
        StringBuilder hashes = new StringBuilder();
        byName.values().forEach(skill -> hashes.append(skill.hash()));
        return hashes.toString();
    }

    /**
     * Reads a file of a skill.
     *
     * @param name the skill's name
     * @param path from the skill's folder on
     * @param reading is given the file
     * @throws IllegalArgumentException when there is no such file; the message is for the model
     */
    public <T> T read(String name, String path, CommitTree.BlobReading<T> reading) {
        Skill skill = require(name);
        return inCommit(tree -> {
            CommitTree.CommitEntry found = tree.find(skill.directory(), path)
                    .orElseThrow(() -> new IllegalArgumentException("the skill '" + name + "' has no file '"
                            + Texts.clip(RawName.shown(RawName.ofText(path)), MOST_DESCRIPTION) + "'"));
            if (found.kind() != CommitTree.EntryKind.FILE) {
                throw new IllegalArgumentException(InstructionFiles.shown(found.path()) + " is no file but a "
                        + found.kind().shown());
            }
            return tree.open(found, reading);
        });
    }

    /** The first of the files that a skill has beside its guide, by their paths from its folder on. */
    public List<String> otherFiles(String name) {
        Skill skill = require(name);
        return inCommit(tree -> {
            List<String> files = new ArrayList<>();
            tree.walk(skill.directory(), MOST_FILES, entry -> {
                String path = entry.path().substring(skill.directory().path().length() + 1);
                if (entry.kind() == CommitTree.EntryKind.FILE && !path.equals(GUIDE)) {
                    files.add(RawName.shown(path));
                }
            });
            return files;
        });
    }

    private Skill require(String name) {
        Skill skill = byName.get(name);
        if (skill == null) {
            throw new IllegalArgumentException(
                    byName.isEmpty()
                            ? "the repository has no skills"
                            : "there is no skill '" + Texts.clip(name, MOST_DESCRIPTION) + "'; there are "
                                    + String.join(", ", byName.keySet()));
        }
        return skill;
    }

    private <T> T inCommit(CommitTree.CommitWork<T> work) {
        GitRepository repository = git;
        if (repository == null) {
            throw new IllegalStateException("there are no skills to read");
        }
        return repository
                .readCommit(commit, work)
                .orElseThrow(() -> new IllegalArgumentException(
                        "the commit " + commit + ", which the skills are read from, is not there any more"));
    }
}
