package io.maestro.git.internal;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.treewalk.TreeWalk;

/**
 * What can be said of the real repository before anything is done in it.
 *
 * @param target the target branch
 * @param rootFiles the names of the files in its root, at its tip
 * @param refusesPush why no branch can be pushed; empty when one can. A push is tried without pushing, which asks for the right to
 *     write, but not the hooks and rules of a server
 */
public record RemoteCheck(String target, Set<String> rootFiles, Optional<String> refusesPush) {
    static RemoteCheck of(Mirror mirror, String target) {
        return mirror.locked(() -> {
            mirror.createShallow(target);
            ObjectId tip = mirror.tip(target);
            return new RemoteCheck(target, rootFiles(mirror, tip), mirror.refusesPush(tip, "maestro/check"));
        });
    }

    private static Set<String> rootFiles(Mirror mirror, ObjectId commit) throws IOException {
        Set<String> names = new TreeSet<>();
        try (Repository repository = mirror.open();
                RevWalk commits = new RevWalk(repository);
                TreeWalk root = new TreeWalk(repository)) {
            root.addTree(commits.parseCommit(commit).getTree());
            while (root.next()) {
                if ((root.getRawMode(0) & FileMode.TYPE_MASK) == FileMode.TYPE_FILE) {
                    names.add(root.getNameString());
                }
            }
        }
        return names;
    }
}
