package io.maestro.docker.internal;

import java.util.List;

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

    /** Which attempt at its story it is for. */
    public static final String ATTEMPT = "io.maestro.attempt";

    /** On a volume: the user of containers that it was given to. */
    public static final String OWNER = "io.maestro.owner";

    /**
     * On what outlives a life of its instance that was killed: what for. The sweep at the start of the next life spares it; the
     * one at the end of a life, and that of the dead, remove it, unless it is a cache.
     */
    public static final String KEEP = "io.maestro.keep";

    /**
     * What a Dockerfile must not say of its image: containers inherit it, and would be taken for others' or be kept, and an image
     * of nobody's for a shared one.
     */
    static final List<String> NOT_OF_IMAGES =
            List.of(INSTANCE, SESSION, AGENT, STORY, ATTEMPT, ROLE, PROJECT, SHARED, KEEP);

    /** On an image: how to build it again. */
    public static final String RECIPE = "io.maestro.recipe";

    /** All of these. */
    static final List<String> ALL = List.of(
            INSTANCE, SESSION, AGENT, STORY, ROLE, PROJECT, DOCKERFILE, BUILT_BY, SHARED, ATTEMPT, OWNER, KEEP, RECIPE);

    /** Which label says whose a thing is. */
    static String instance(Inspector.Kind kind) {
        return kind == Inspector.Kind.IMAGE ? BUILT_BY : INSTANCE;
    }

    private Labels() {}
}
