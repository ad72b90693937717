package io.maestro.docker.internal;

import java.util.List;
import java.util.Map;

/** The labels by which Maestro knows what is its own. What does not carry {@link #INSTANCE} is never touched. */
public final class Labels {
    /** Which instance made it: the same in each life of a project directory. */
    public static final String INSTANCE = "io.maestro.instance";

    /** Which life of the instance. */
    public static final String SESSION = "io.maestro.session";

    /** Which agent it is for. */
    public static final String AGENT = "io.maestro.agent";

    /** Which story it is for. */
    public static final String STORY = "io.maestro.story";

    /** What it is for, for example {@code coding}. */
    public static final String ROLE = "io.maestro.role";

    /** The project directory of the instance, on the machine that it runs on. */
    public static final String PROJECT = "io.maestro.project";

    /** On an image: the path in the repository of the Dockerfile that it was built from. */
    public static final String DOCKERFILE = "io.maestro.dockerfile";

    /**
     * On an image, which instance built it. Another key than {@link #INSTANCE} because containers inherit the labels of their
     * image: a container that a user runs from an image of ours must not look like ours.
     */
    public static final String BUILT_BY = "io.maestro.built-by";

    /** On an image that belongs to all instances of the engine's users: what kind it is. None is ever removed. */
    public static final String SHARED = "io.maestro.shared";

    /**
     * On the image of a step of a build, which instance builds; empty on a finished one. What has it, no name and nothing built on it
     * was left by a build that has ended.
     */
    public static final String UNFINISHED = "io.maestro.unfinished";

    /** Which attempt at its story it is for. */
    public static final String ATTEMPT = "io.maestro.attempt";

    /** On a volume: the user of containers that it was given to. */
    public static final String OWNER = "io.maestro.owner";

    /** On what outlives a life of its instance: what for, as {@code cache}, {@code state} or {@link #BOX}. */
    public static final String KEEP = "io.maestro.keep";

    /** By which name a container, network or snapshot is found that somebody asked for. */
    public static final String NAME = "io.maestro.name";

    /** For which purpose a container was made. */
    public static final String PURPOSE = "io.maestro.purpose";

    /** As whom the commands of a provisioned container run. */
    public static final String USER = "io.maestro.user";

    /** Where the commands of a provisioned container run. */
    public static final String DIRECTORY = "io.maestro.directory";

    /** The names of the variables that a provisioned container's commands have from the host. */
    public static final String GIVEN = "io.maestro.given";

    /** Whether strangers' files may be in a provisioned container; {@code yes} then. */
    public static final String STRANGE = "io.maestro.strange";

    /** The value of {@link #KEEP} of a container that outlives whoever has made it. */
    public static final String BOX = "box";

    /** The role of containers in which a repository is looked at before one is made for it. */
    public static final String LOOK = "box-look";

    /** Whether something with these labels is a container that outlives whoever has made it, which no sweep removes. */
    public static boolean isLasting(Map<String, String> labels) {
        return BOX.equals(labels.get(KEEP)) && BOX.equals(labels.get(ROLE));
    }

    /** In which network a provisioned container is, by the name that was given to it. */
    public static final String NETWORK = "io.maestro.network";

    /**
     * What a Dockerfile must not say of its image: containers inherit it, and would be taken for others' or be kept, and an image
     * of nobody's for a shared one.
     */
    static final List<String> NOT_OF_IMAGES = List.of(
            INSTANCE,
            SESSION,
            AGENT,
            STORY,
            ATTEMPT,
            ROLE,
            PROJECT,
            SHARED,
            KEEP,
            NAME,
            PURPOSE,
            USER,
            DIRECTORY,
            NETWORK,
            GIVEN,
            UNFINISHED);

    /** On an image: how to build it again. */
    public static final String RECIPE = "io.maestro.recipe";

    /** All of these. */
    static final List<String> ALL = List.of(
            INSTANCE,
            SESSION,
            AGENT,
            STORY,
            ROLE,
            PROJECT,
            DOCKERFILE,
            BUILT_BY,
            SHARED,
            ATTEMPT,
            OWNER,
            KEEP,
            RECIPE,
            NAME,
            PURPOSE,
            USER,
            DIRECTORY,
            NETWORK,
            GIVEN,
            STRANGE,
            UNFINISHED);

    /** Which label says whose a thing is. */
    static String instance(Inspector.ObjectKind kind) {
        return kind == Inspector.ObjectKind.IMAGE ? BUILT_BY : INSTANCE;
    }

    private Labels() {}
}
