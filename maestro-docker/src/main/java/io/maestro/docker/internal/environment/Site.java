package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.Engine;

/**
 * An engine that an attempt has been given, and what there is for it on that engine. Nothing of it is made before it is used.
 *
 * @param engine where it runs
 * @param specs describes its containers
 * @param outfit what the agent's containers have beside the workspace
 * @param rooms makes executors in them
 * @param services what there is around them
 * @param failed to be told when the engine does not answer
 */
record Site(Engine engine, PhaseSpecs specs, Outfit outfit, Rooms rooms, Services services, Runnable failed) {}
