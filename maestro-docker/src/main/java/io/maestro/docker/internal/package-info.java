/**
 * The engine's commands, and what Maestro makes of them; no user may touch this. Rules with one home: what a client is told, and
 * that it runs nothing of a workspace, in {@code ClientCommand}; what is built, in {@code ImageBuilder}; what an untrusted
 * Dockerfile may say, in {@code ConfinedDockerfile}; which images, hosts and containers strangers may name, in {@code
 * egress.UntrustedNames}; what commands of a build may take, in {@code BuildLimits}; secrets that must not reach an engine, in {@code
 * KnownSecrets}; what a container must not have of its image, in {@code Image.Inherited}.
 */
@NullMarked
package io.maestro.docker.internal;

import org.jspecify.annotations.NullMarked;
