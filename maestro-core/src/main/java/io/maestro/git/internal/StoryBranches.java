package io.maestro.git.internal;

import io.maestro.git.GitException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;

/**
 * The refs of stories in the mirror, while they are worked on. The branch of a story's attempt is
 * {@code refs/maestro/stories/<story>/<attempt>/<branch>}; it points to the base until there is a commit. Every commit that
 * the attempt's files were ever compared with is {@code refs/maestro/bases/<story>/<attempt>/<commit>}, so that it stays
 * whatever becomes of the target branch.
 */
final class StoryBranches {
    private static final String STORIES = "refs/maestro/stories/";
    private static final String BASES = "refs/maestro/bases/";
    private static final String HEADS = "refs/heads/";
    private static final String PREFIX = "maestro";
    private static final int MAX = 999;

    private StoryBranches() {}

    static String ref(String storyId, int attempt, String branch) {
        return STORIES + storyId + "/" + attempt + "/" + branch;
    }

    /** Keeps a commit that the files of an attempt are compared with. Lock of the mirror held. */
    static void keepBase(Mirror mirror, String storyId, int attempt, ObjectId base) throws IOException {
        mirror.update(BASES + storyId + "/" + attempt + "/" + base.name(), base);
    }

    /** Whether an attempt's files were ever compared with a commit. */
    static boolean isBase(Mirror mirror, String storyId, int attempt, ObjectId commit) throws IOException {
        return mirror.resolve(BASES + storyId + "/" + attempt + "/" + commit.name()) != null;
    }

    /**
     * Finds a name that nobody uses: neither a branch of the real repository nor another attempt. The same attempt gets
     * the name that it had, unless somebody has made such a branch since. Lock of the mirror held.
     */
    static String reserve(Mirror mirror, String storyId, int attempt, ObjectId base) throws IOException {
        drop(mirror, unused(mirror, storyId, attempt));
        keepBase(mirror, storyId, attempt, base);
        return reserveAt(mirror, storyId, attempt, base);
    }

    /** The same for an attempt that has a commit already, as when somebody has taken its name before it was pushed. */
    static String reserveAt(Mirror mirror, String storyId, int attempt, ObjectId tip) throws IOException {
        String name;
        try (Repository repository = mirror.open()) {
            name = free(mirror, repository.getRefDatabase(), storyId, attempt);
        }
        mirror.update(ref(storyId, attempt, name), tip);
        drop(mirror, others(mirror, storyId, attempt, name));
        return name;
    }

    /**
     * The name that an attempt has. It may have got another one after the one that is known was noted. Lock of the mirror held.
     */
    static String current(Mirror mirror, String storyId, int attempt, String known) throws IOException {
        List<String> others = others(mirror, storyId, attempt, known);
        if (others.isEmpty()) {
            return known;
        }
        String name = others.get(0).substring(ref(storyId, attempt, "").length());
        drop(mirror, others(mirror, storyId, attempt, name));
        return name;
    }

    private static List<String> others(Mirror mirror, String storyId, int attempt, String name) throws IOException {
        String own = ref(storyId, attempt, name);
        try (Repository repository = mirror.open()) {
            return repository.getRefDatabase().getRefsByPrefix(ref(storyId, attempt, "")).stream()
                    .map(Ref::getName)
                    .filter(ref -> !ref.equals(own))
                    .toList();
        }
    }

    /** Whether the real repository has no such branch, nor any that git allows no such branch beside, as far as the mirror knows. */
    private static boolean isFree(RefDatabase refs, String name) throws IOException {
        return refs.exactRef(HEADS + name) == null
                && refs.getRefsByPrefix(HEADS + name + "/").isEmpty();
    }

    /**
     * Whether a branch is somebody else's: as far as the mirror knows, the real repository has one with none of our commits, be it at
     * their own or at one of the target branch. Lock of the mirror held.
     *
     * @param tip our last commit, which was to be pushed there
     */
    static boolean isTaken(Mirror mirror, String storyId, int attempt, String name, ObjectId tip) throws IOException {
        try (Repository repository = mirror.open();
                RevWalk walk = new RevWalk(repository)) {
            Ref there = repository.exactRef(HEADS + name);
            if (there == null) {
                return !isFree(repository.getRefDatabase(), name);
            }
            walk.markStart(walk.parseCommit(tip));
            for (Ref base : repository.getRefDatabase().getRefsByPrefix(BASES + storyId + "/" + attempt + "/")) {
                walk.markUninteresting(walk.parseCommit(base.getObjectId()));
            }
            for (RevCommit own : walk) {
                if (StoryCommits.contains(repository, there.getObjectId(), own)) {
                    return false;
                }
            }
            return true;
        }
    }

    private static String free(Mirror mirror, RefDatabase refs, String storyId, int attempt) throws IOException {
        if (refs.exactRef(HEADS + PREFIX) != null) {
            throw new GitException(
                    "the repository " + mirror.remote() + " has a branch '" + PREFIX + "', so git allows no branch '"
                            + PREFIX + "/…' beside it: rename that branch",
                    null);
        }
        String own = ref(storyId, attempt, "");
        for (Ref ref : refs.getRefsByPrefix(own)) {
            String name = ref.getName().substring(own.length());
            if (isFree(refs, name)) {
                return name;
            }
        }
        for (int n = 1; n <= MAX; n++) {
            String name = name(storyId, n);
            if (isFree(refs, name) && !isUsed(refs, storyId, n, own)) {
                return name;
            }
        }
        throw new GitException(
                "no branch is left for story " + storyId + ": " + name(storyId, 1) + " to " + name(storyId, MAX)
                        + " exist all in " + mirror.remote() + " or are in use here; delete those that are not needed"
                        + " (git push <repository> --delete <branch>)",
                null);
    }

    /** The branches of stories in the real repository, as far as the mirror knows, each with its tip. Lock of the mirror held. */
    static Map<String, String> pushed(Mirror mirror) throws IOException {
        Map<String, String> pushed = new TreeMap<>();
        try (Repository repository = mirror.open()) {
            for (Ref ref : repository.getRefDatabase().getRefsByPrefix(HEADS + PREFIX + "/story-")) {
                pushed.put(
                        ref.getName().substring(HEADS.length()),
                        ref.getObjectId().name());
            }
        }
        return pushed;
    }

    private static String name(String storyId, int n) {
        return PREFIX + "/story-" + storyId + (n == 1 ? "" : "-" + n);
    }

    /** The second branch of story 7 has the name of the first branch of story 7-2; only these two can have it. */
    private static boolean isUsed(RefDatabase refs, String storyId, int n, String own) throws IOException {
        String name = name(storyId, n);
        String full = n == 1 ? storyId : storyId + "-" + n;
        Set<String> owners = new TreeSet<>(List.of(storyId));
        owners.add(full);
        owners.add(full.replaceFirst("-\\d+$", ""));
        for (String owner : owners) {
            for (Ref ref : refs.getRefsByPrefix(STORIES + owner + "/")) {
                if (ref.getName().endsWith("/" + name) && !ref.getName().startsWith(own)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Earlier attempts that ended without a commit need their names no more. */
    private static List<String> unused(Mirror mirror, String storyId, int attempt) throws IOException {
        List<String> unused = new ArrayList<>();
        try (Repository repository = mirror.open()) {
            for (Ref ref : repository.getRefDatabase().getRefsByPrefix(STORIES + storyId + "/")) {
                int of = attempt(ref, STORIES + storyId + "/");
                if (of < attempt && isBase(mirror, storyId, of, ref.getObjectId())) {
                    unused.add(ref.getName());
                }
            }
        }
        return unused;
    }

    /** Forgets attempts that are over: nobody goes on with them. Lock of the mirror held. */
    static void forget(Mirror mirror, String storyId, int upTo) throws IOException {
        List<String> over = new ArrayList<>();
        try (Repository repository = mirror.open()) {
            for (String prefix : List.of(STORIES + storyId + "/", BASES + storyId + "/")) {
                for (Ref ref : repository.getRefDatabase().getRefsByPrefix(prefix)) {
                    if (attempt(ref, prefix) <= upTo) {
                        over.add(ref.getName());
                    }
                }
            }
        }
        drop(mirror, over);
    }

    /** The stories that the mirror keeps something of. */
    static Set<String> stories(Mirror mirror) throws IOException {
        Set<String> stories = new TreeSet<>();
        try (Repository repository = mirror.open()) {
            for (String prefix : List.of(STORIES, BASES)) {
                for (Ref ref : repository.getRefDatabase().getRefsByPrefix(prefix)) {
                    stories.add(ref.getName().substring(prefix.length()).split("/", 2)[0]);
                }
            }
        }
        return stories;
    }

    private static int attempt(Ref ref, String prefix) {
        return Integer.parseInt(ref.getName().substring(prefix.length()).split("/", 2)[0]);
    }

    private static void drop(Mirror mirror, List<String> refs) throws IOException {
        for (String ref : refs) {
            mirror.delete(ref);
        }
    }
}
