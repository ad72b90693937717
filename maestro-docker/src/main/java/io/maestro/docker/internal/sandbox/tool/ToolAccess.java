package io.maestro.docker.internal.sandbox.tool;

import io.maestro.docker.Mount;
import io.maestro.docker.internal.egress.UntrustedNames;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What of the host, and of what lies around, a model gets at by the tool. Immutable.
 *
 * @param directories below which it may mount and copy; the first is its workspace
 * @param grants what else it may
 * @param images what the name of an image means to it; throws {@link IllegalArgumentException} for one that it may not use
 */
public record ToolAccess(List<Path> directories, Set<Grant> grants, UnaryOperator<String> images) {
    /** What a model may or may not. */
    public enum Grant {
        /** It may mount its directories. */
        MOUNTS("the engine does not see files of this machine; copy them with copy_in"),

        /** It may change files in its directories. */
        CHANGES("files of the host cannot be changed now"),

        /** Its containers may change them. */
        WRITABLE_MOUNTS("what containers mount here is read-only; get files out with copy_out"),

        /** Anything in a container may run as root where files of the host can be changed. */
        ROOT_BESIDE_MOUNTS("root is not allowed where files of the host are mounted that can be changed"),

        /** Containers may reach the host's SSH agent. */
        SSH("forward_ssh is not allowed here"),

        /** All variables of the host may be handed over. */
        ALL_VARIABLES("env_passthrough all is not allowed here; name variables, or use auto"),

        /** Containers may reach what is not theirs. */
        NETWORK("the work has no network of its own here; a container has network none, or one of create_network"),

        /** Their ports may be published. */
        PORTS("ports are not published here; another container of the same network reaches them, or exec does"),

        /** Containers may outlast whoever has made them. */
        PERSISTENT("persistent is not allowed here; containers end with the work"),

        /** They may be saved, and made from what was saved. */
        SNAPSHOTS("snapshots are not made here; build an image by container_build"),

        /** What purposes fetch is kept for the next container. */
        CACHES("caches are not kept here"),

        /** They may have all rights on the machine, where the rules allow it. */
        PRIVILEGED("privileged is not allowed here"),

        /** They may share the machine's network, where the rules allow it. */
        HOST_NETWORK("the host's network is not allowed here"),

        /** Services of compose files may run beside them. */
        SERVICES("services beside a container are not started here; use the tool compose_up"),

        /** What others use, too, may be removed. */
        SHARED("what is kept is used by others, too, and is not removed from here; create takes cache_bust");

        private final String refusal;

        Grant(String refusal) {
            this.refusal = refusal;
        }
    }

    /** Copies the collections. */
    public ToolAccess {
        directories = List.copyOf(directories);
        grants = Set.copyOf(grants);
    }

    /** The same without something. */
    ToolAccess without(Grant grant) {
        Set<Grant> fewer = EnumSet.noneOf(Grant.class);
        fewer.addAll(grants);
        fewer.remove(grant);
        return new ToolAccess(directories, fewer, images);
    }

    /** @throws IllegalArgumentException when it may not */
    void require(Grant grant) {
        if (!grants.contains(grant)) {
            throw new IllegalArgumentException(grant.refusal);
        }
    }

    /** The workspace, mounted. */
    Mount workspace(String target) {
        Mount mount = Mount.bind(root(), target);
        require(Grant.MOUNTS);
        boolean writable = grants.contains(Grant.CHANGES) && grants.contains(Grant.WRITABLE_MOUNTS);
        return writable ? mount : mount.asReadOnly();
    }

    private Path root() {
        if (directories.isEmpty()) {
            throw new IllegalArgumentException("no directory of the host is allowed here; leave out what needs one");
        }
        return directories.get(0);
    }

    /**
     * A directory that is mounted: one that is allowed, whole. What is in it can be exchanged for a link by whoever works there,
     * between a look at it and the engine's.
     *
     * @param text relative where it is in the workspace, else absolute
     * @throws IllegalArgumentException when it is no allowed directory
     */
    Mount mount(String text, String target, boolean readOnly) {
        Path asked = root().resolve(text).normalize();
        if (!directories.contains(asked)) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not mounted: of the host whole directories are, which are " + directories
                            + "; copy what is below them with copy_in");
        }
        requireCanonical(text, asked);
        require(Grant.MOUNTS);
        Mount mount = Mount.bind(asked, target);
        if (readOnly) {
            return mount.asReadOnly();
        }
        require(Grant.CHANGES);
        require(Grant.WRITABLE_MOUNTS);
        return mount;
    }

    /**
     * A file or directory that is copied: a name in an allowed directory, for the same reason.
     *
     * @param text relative where it is in the workspace, else absolute
     * @throws IllegalArgumentException when it is not directly in an allowed directory
     */
    Path name(String text) {
        Path asked = root().resolve(text).normalize();
        if (!directories.contains(asked.getParent())) {
            throw new IllegalArgumentException("'" + text
                    + "' is not copied: of the host what lies directly in one of these directories is: " + directories);
        }
        requireCanonical(text, asked);
        return asked;
    }

    /** Policies have decided on the text, and know the path by one spelling. */
    private void requireCanonical(String text, Path path) {
        Path one = path.startsWith(root()) ? root().relativize(path) : path;
        String canonical = path.equals(root()) ? "." : one.toString();
        if (!text.equals(canonical)) {
            throw new IllegalArgumentException(
                    "'" + text + "' is another spelling of '" + canonical + "'; use that one");
        }
    }

    /** Root in a container could leave a program on the host that makes whoever runs it root there. */
    void requireNoRoot(String what) {
        if (!grants.contains(Grant.ROOT_BESIDE_MOUNTS)) {
            throw new IllegalArgumentException(
                    what + " is not run as root where files of the host are mounted that can be"
                            + " changed; leave out mount_cwd and use copy_in, or leave out what needs root");
        }
    }

    /** The network of a container that asks for one, or for none. */
    String network(Optional<String> asked) {
        if (asked.filter("bridge"::equals).isPresent()) {
            require(Grant.NETWORK);
        }
        if (asked.filter("host"::equals).isPresent()) {
            require(Grant.HOST_NETWORK);
        }
        return asked.orElse(grants.contains(Grant.NETWORK) ? "bridge" : "none");
    }

    /** An address that a name is told; the machine's own only for whoever may have its network. */
    String address(String text) {
        if (UntrustedNames.isMachine(text)) {
            require(Grant.HOST_NETWORK);
        }
        return text;
    }
}
