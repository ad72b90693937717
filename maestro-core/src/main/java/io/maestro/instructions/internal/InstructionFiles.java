package io.maestro.instructions.internal;

import io.maestro.git.internal.CommitTree;
import io.maestro.internal.RawName;
import io.maestro.internal.Texts;
import io.maestro.secrets.Redactor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The files of a commit that tell agents something.
 *
 * @param text what they say, and which are left out; empty when there is none
 * @param hashes of each that is given
 */
record InstructionFiles(String text, String hashes) {
    /** In any directory. */
    private static final Set<String> NAMES = Set.of("AGENTS.md", "CLAUDE.md");

    /** Hold for the whole repository, in this order. */
    private static final List<String> OF_ALL =
            List.of(".maestro/instructions.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md");

    private static final int MOST_ENTRIES = 200_000;
    private static final int MOST_FILES = 20;
    private static final int MOST_READ = 100;
    private static final int MOST_IN_FILE = 32_000;
    private static final int MOST_CHARACTERS = 64_000;
    private static final int CHARACTERS_PER_TOKEN = 3;

    /** What is left of a file below this is not worth the cut. */
    private static final int LEAST_CHARACTERS = 1_000;

    private static final int MOST_LEFT_OUT = 20;
    private static final int MOST_PATH = 200;

    static InstructionFiles read(CommitTree tree, Redactor redactor, int tokens) throws IOException {
        List<CommitTree.CommitEntry> found = new ArrayList<>();
        for (String path : OF_ALL) {
            tree.find(tree.root(), path)
                    .filter(entry -> entry.kind() != CommitTree.EntryKind.DIRECTORY)
                    .ifPresent(found::add);
        }
        boolean all = tree.walk(tree.root(), MOST_ENTRIES, entry -> {
            if (NAMES.contains(entry.name())
                    && entry.kind() != CommitTree.EntryKind.DIRECTORY
                    && !OF_ALL.contains(entry.path())) {
                found.add(entry);
            }
        });
        Given given = new Given(tree, redactor, Math.min(MOST_CHARACTERS, tokens * CHARACTERS_PER_TOKEN));
        for (CommitTree.CommitEntry entry : found) {
            given.add(entry);
        }
        if (!all) {
            given.leftOut.add(
                    String.format(Locale.ROOT, "what lies beyond the first %,d files and directories", MOST_ENTRIES));
        }
        return new InstructionFiles(given.text(), given.hashes.toString());
    }

    /** A path in a prompt, on one line. */
    static String shown(String path) {
        return "`" + Texts.clip(RawName.shown(path), MOST_PATH).replace('`', '\'') + "`";
    }

    /** A text between two lines that it does not have itself. */
    static String fenced(String text) {
        int longest = 2;
        int run = 0;
        for (int i = 0; i < text.length(); i++) {
            run = text.charAt(i) == '`' ? run + 1 : 0;
            longest = Math.max(longest, run);
        }
        String fence = "`".repeat(longest + 1);
        return fence + "\n" + text.stripTrailing() + "\n" + fence + "\n";
    }

    /** What is given of the files, one after the other. */
    private static final class Given {
        private final CommitTree tree;
        private final Redactor redactor;
        private final StringBuilder text = new StringBuilder();
        private final StringBuilder hashes = new StringBuilder();
        private final List<String> leftOut = new ArrayList<>();

        /** The path by the directory and the blob. */
        private final Map<String, String> given = new HashMap<>();

        private final int most;
        private int left;
        private int read;

        Given(CommitTree tree, Redactor redactor, int most) {
            this.tree = tree;
            this.redactor = redactor;
            this.most = most;
            this.left = most;
        }

        void add(CommitTree.CommitEntry entry) throws IOException {
            String path = redactor.redact(shown(entry.path()));
            if (given.size() == MOST_FILES || read++ >= MOST_READ) {
                int files = given.size() == MOST_FILES ? MOST_FILES : MOST_READ;
                leftOut.add(path + " (more than " + files + " files)");
                return;
            }
            String before = given.get(entry.directory() + " " + entry.id());
            if (before != null) {
                leftOut.add(path + " (the same as " + before + ")");
                return;
            }
            CommittedText whole = CommittedText.read(tree, entry, redactor);
            if (!whole.fault().isEmpty()) {
                leftOut.add(path + " (" + whole.fault() + ")");
                return;
            }
            if (whole.text().isBlank()) {
                return;
            }
            String shown = cut(whole.text(), Math.min(left, MOST_IN_FILE));
            if (shown.length() < whole.text().length() && left < LEAST_CHARACTERS) {
                leftOut.add(path + String.format(Locale.ROOT, " (more than %,d characters in all)", most));
                return;
            }
            left -= shown.length();
            given.put(entry.directory() + " " + entry.id(), path);
            hashes.append(Instructions.hash(path, entry.id(), shown));
            text.append("\n## ")
                    .append(path)
                    .append(holdsFor(entry))
                    .append("\n\n")
                    .append(fenced(shown));
            if (shown.length() < whole.text().length()) {
                text.append(String.format(
                        Locale.ROOT,
                        "(cut: these are the first %,d of %,d characters)\n",
                        shown.length(),
                        whole.text().length()));
            }
        }

        private String holdsFor(CommitTree.CommitEntry entry) {
            return OF_ALL.contains(entry.path())
                    ? ", for the whole repository"
                    : ", for what is below " + redactor.redact(shown(entry.directory()));
        }

        /** Whole lines, unless the last is much of it. */
        private static String cut(String text, int most) {
            if (text.length() <= most || most == 0) {
                return most == 0 ? "" : text;
            }
            int line = text.lastIndexOf('\n', most - 1) + 1;
            int character = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
            return text.substring(0, line > most / 2 ? line : character);
        }

        private String text() {
            return text + leftOut(leftOut);
        }
    }

    /** What prompts say of what they do not show. */
    static String leftOut(List<String> all) {
        int others = all.size() - MOST_LEFT_OUT;
        return all.isEmpty()
                ? ""
                : "\nLeft out: " + String.join(", ", all.subList(0, Math.min(MOST_LEFT_OUT, all.size())))
                        + (others > 0 ? " and " + others + " others" : "") + ".\n";
    }
}
